import type { Take } from "./openings.js"

/**
 * Bracket signs that are escaped and cut off by the end of a text: the rest may stand at the start of the next part.
 * Each kind of escape is looked at on its own, since only the last of its kind can be cut.
 */
export const SEAMS: readonly ((text: string, take: Take) => void)[] = [
  seam(["&"], cutEntity()),
  seam(["%"], /^(\\*)(?:25)*(?:2|3|5|25)$/),
  seam(["\\u", "\\U", "\\x", "\\X"], /^(\\*)\{?0*[2356]?$/),
]

function seam(heads: readonly string[], rest: RegExp): (text: string, take: Take) => void {
  return (text, take) => {
    const at = Math.max(...heads.map((head) => text.lastIndexOf(head)))
    if (at < 0) return
    const end = at + (heads[0]?.length ?? 0)
    const found = rest.exec(text.slice(end))
    if (found !== null) take(end, found[1] !== "")
  }
}

/** The beginnings of every entity that is a bracket. An ampersand may be escaped any number of times before it. */
function cutEntity(): RegExp {
  const names = ["amp", "lt", "langle", "leftanglebracket", "lsaquo", "lsqb", "lbrack", "laquo", "nvlt"]
  const starts = new Set(names.flatMap((name) => Array.from(name, (_, i) => name.slice(0, i))))
  const numeric = "#0*[0-9]{0,4}|#x0*[0-9a-f]{0,3}"
  return new RegExp(
    String.raw`^(\\*)(?:amp;|#0*38;|#x0*26;)*(?:amp|${[...starts].join("|")}|${numeric})$`,
    "i",
  )
}
