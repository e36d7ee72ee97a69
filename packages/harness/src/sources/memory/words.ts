/** English words that say nothing about what a text is about. Other languages go by the share of words that match. */
const COMMON = new Set(
  (
    "about above after again against all also always and any are because been before being below between both but can " +
    "could did does doing done down during each else even ever every few file files for from further get gets give go " +
    "goes got had has have having her here him his how into its just keep know let like look made make makes many may me " +
    "might more most much must need needs never new not now off once one only onto other our out over own please put " +
    "really said same say see she should show since some something still such take tell than that the their them then " +
    "there these they thing things this those through too try under until use used using very want was way well were " +
    "what when where whether which while who why will with without work would yes yet you your"
  ).split(" "),
)

const SHORTEST = 3

let segmenter: Intl.Segmenter | undefined

/** Lists the words of a text, also of scripts that put no space between them. Identifiers count whole and in parts. */
export function wordsOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "word" })
  const found: string[] = []
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    if (isWordLike !== true) continue
    found.push(segment)
    const parts = segment.split(/[_.]|(?<=\p{Ll})(?=\p{Lu})/u)
    if (parts.length > 1) found.push(...parts)
  }
  return found
}

/**
 * Reduces a word to how it is compared: without case and without the commonest endings; undefined if it says nothing.
 */
export function stemOf(word: string): string | undefined {
  const plain = word.normalize("NFKC").toLowerCase()
  if (COMMON.has(plain) || /^\d+$/.test(plain)) return undefined
  // One character is a word in Chinese, and noise in most other scripts.
  if (plain.length < SHORTEST && !/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u.test(plain))
    return undefined
  return plain.length > 4 ? plain.replace(/(?:ies|ing|ed|es|s|e|y)$/, "") : plain.replace(/(?<=\w{3})s$/, "")
}
