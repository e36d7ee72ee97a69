import { ENTITIES } from "./entities.js"
import type { Take } from "./openings.js"

/**
 * Bracket signs that are escaped and cut off by the end of a text: the rest may stand at the start of the next part.
 * Each kind of escape is looked at on its own, since only the last of its kind can be cut. A backslash behind the
 * first characters of an escape makes it none.
 */
export const SEAMS: readonly ((text: string, take: Take) => void)[] = [
  seam(["&"], isCutEntity),
  seam(["%"], (rest) => /^(?:25)*(?:2|3|5|25)$/.test(rest)),
  seam(["\\u", "\\U", "\\x", "\\X"], (rest) => /^\{?0*[2356]?$/.test(rest)),
]

function seam(
  heads: readonly string[],
  isCut: (rest: string) => boolean,
): (text: string, take: Take) => void {
  return (text, take) => {
    const at = Math.max(...heads.map((head) => text.lastIndexOf(head)))
    if (at < 0) return
    const end = at + (heads[0]?.length ?? 0)
    let after = end
    while (text.charCodeAt(after) === 0x5c) after++
    if (isCut(text.slice(after))) take(end, after > end)
  }
}

/**
 * True for the beginning of an entity that is a bracket. Its ampersand may be escaped any number of times before it.
 */
function isCutEntity(rest: string): boolean {
  const last = rest.lastIndexOf(";")
  const escaped =
    last < 0 || /^(?:amp|#0*38|#x0*26)$/i.test(rest.slice(rest.lastIndexOf(";", last - 1) + 1, last))
  const begun = rest.slice(last + 1).toLowerCase()
  return escaped && (STARTS.has(begun) || /^#(?:0*[0-9]{0,4}|x0*[0-9a-f]{0,3})$/.test(begun))
}

/** Entities that open something, or the ampersand of one that does. */
const NAMES = [...ENTITIES].flatMap(([name, code]) =>
  "<[&".includes(String.fromCharCode(code)) ? [name] : [],
)
const STARTS = new Set(["amp", ...NAMES.flatMap((name) => Array.from(name, (_, i) => name.slice(0, i)))])
