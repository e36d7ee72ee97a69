import { SHAPES, TAGS } from "./shapes.js"

/** The kind of a text that speaks for the harness: by its tag, by a known shape, or else by its own. */
export function kindOf(text: string, tag: string | undefined): string {
  const byTag = tag === undefined ? undefined : TAGS.get(tag)
  if (byTag !== undefined) return byTag
  const start = text.slice(0, 2_000)
  const known = SHAPES.find(({ says }) => says.test(start))
  if (known !== undefined) return known.kind
  if (tag !== undefined && !TAGS.has(tag)) return tag
  const shape = shapeOf(text)
  return shape === "" ? (tag ?? "system message") : shape
}

const WORDS = 6

/** The first words, with what varies from one time to the next left out. */
function shapeOf(text: string): string {
  const plain = text
    .slice(0, 400)
    .replace(/<[^<>]{0,80}>/g, " ")
    .replace(/["'`“][^"'`”]{0,120}["'`”]/g, " … ")
    .trim()
  return plain
    .split(/\s+/)
    .slice(0, WORDS)
    .map((word) => (/[\d/\\]/.test(word) ? "…" : word))
    .join(" ")
    .replace(/(?:… ?){2,}/g, "… ")
    .trim()
}
