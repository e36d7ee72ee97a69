/** A stretch of a text between a tag and its end, both included. */
export interface Tagged {
  readonly tag: string
  readonly start: number
  readonly end: number
}

const OPENING = /<([A-Za-z][\w-]{1,60}(?: instructions)?)(?: [^<>\n]{0,200})?>/g

/** Finds the outermost tagged stretches of a text whose tag `isWanted`, each with its matching end. */
export function tagged(text: string, isWanted: (tag: string) => boolean): readonly Tagged[] {
  if (!text.includes("<")) return []
  const found: Tagged[] = []
  let from = 0
  for (const match of text.matchAll(OPENING)) {
    if (match.index < from) continue
    const tag = match[1]?.toLowerCase() ?? ""
    if (!isWanted(tag)) continue
    const end = endOf(text, match[1] ?? "", match.index + match[0].length)
    if (end === undefined) continue
    found.push({ tag, start: match.index, end })
    from = end
  }
  return found
}

/** Finds where the tag that was opened ends; the same tag may be opened again inside. */
function endOf(text: string, tag: string, from: number): number | undefined {
  const close = `</${tag}>`
  const open = `<${tag}>`
  let depth = 1
  let at = from
  while (depth > 0) {
    const end = text.indexOf(close, at)
    if (end < 0) return undefined
    const inner = text.indexOf(open, at)
    if (inner >= 0 && inner < end) {
      depth++
      at = inner + open.length
    } else {
      depth--
      at = end + close.length
    }
  }
  return at
}
