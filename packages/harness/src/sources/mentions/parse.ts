/** Something that a message names with an `@`. */
export interface Mention {
  /** As it was written: `@src/a.ts:3-9`. */
  readonly raw: string
  /** What it names, without the `@` and quotes; lines, if any, are still part of it. */
  readonly name: string
}

/** A bare one goes on to a blank, a quote, or what cannot stand in a path; a quoted one to its quote. */
const MENTION =
  /@(?:"([^"\n]+)"(:\d+(?:-\d+)?)?|([^\s"'`<>|*?\uff0c\u3002\u3001\uff1b\uff1a\uff01\uff1f\uff09\u3011\u300d\u300f]+))/gu

/** What comes right before an `@` that belongs to a word: an e-mail address, a URL, an escape. */
const INSIDE_A_WORD = /[\w.%+\-/@\\$#&=~]$/

/** Finds the mentions of a text, each once, in order. What stands in code does not count as a mention. */
export function mentionsIn(text: string): readonly Mention[] {
  const found = new Map<string, Mention>()
  const plain = withoutCode(text)
  for (const match of plain.matchAll(MENTION)) {
    if (INSIDE_A_WORD.test(plain.slice(Math.max(0, match.index - 1), match.index))) continue
    const [whole, quoted, lines = "", bare = ""] = match
    const name = quoted === undefined ? withoutPunctuation(bare) : `${quoted}${lines}`
    if (/^\.*$/.test(name)) continue
    const raw = quoted === undefined ? `@${name}` : whole
    if (!found.has(name)) found.set(name, { raw, name })
  }
  return [...found.values()]
}

/** Blanks of the same length in place of fenced code and code spans. */
function withoutCode(text: string): string {
  const blank = (code: string) => code.replaceAll(/[^\n]/g, " ")
  return text
    .replaceAll(/^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|$(?![\s\S]))/gm, blank)
    .replaceAll(/(?<!`)(`+)(?!`)[\s\S]+?(?<!`)\1(?!`)/g, blank)
}

/** Removes punctuation: a sentence may end, or a bracket close, right after a mention. */
function withoutPunctuation(name: string): string {
  let end = name.length
  for (; end > 0; end--) {
    const last = name[end - 1] ?? ""
    const isLoose = /[.,;:!?]/.test(last) && !/^\.{1,2}$/.test(name.slice(0, end).split("/").at(-1) ?? "")
    if (!isLoose && !closesNothing(name.slice(0, end), last)) break
  }
  return name.slice(0, end)
}

const PAIRS: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" }

function closesNothing(name: string, last: string): boolean {
  const opening = PAIRS[last]
  if (opening === undefined) return false
  return name.split(last).length > name.split(opening).length
}

/**
 * True if the user who wrote this will have meant a path or a resource, so that it is worth a word that it does not
 * exist: not a decorator, a package or a person.
 */
export function looksMeant({ raw, name }: Mention, isFolder: (name: string) => boolean): boolean {
  if (raw.startsWith('@"') || /^[\w.-]+:[^:\s]/.test(name)) return true
  if (/[({=]/.test(name)) return false
  const path = name.replace(/:\d+(-\d+)?$/, "")
  if (/^(?:~|\.{1,2})?\//.test(path)) return true
  const isPackage = /^[a-z0-9][\w.-]*\/[a-z0-9][\w.-]*(@[\w.^~-]+)?$/.test(path) && !hasExtension(path)
  const [first = "", ...rest] = path.split("/")
  if (rest.length > 0) return !isPackage || isFolder(first)
  return hasExtension(path)
}

function hasExtension(path: string): boolean {
  return /[\w\])]\.[a-z][a-z0-9]{0,7}$/i.test(path)
}
