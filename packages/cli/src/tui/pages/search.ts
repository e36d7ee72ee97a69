import { type ScreenLine, span, type TextSpan, textOfLine } from "../text/line.js"
import { graphemesOf } from "../text/width.js"
import type { Press } from "./page.js"

/** What is looked for on a page. */
export interface Search {
  readonly query: string
  /** It is still being typed: every key belongs to it. */
  readonly isTyped: boolean
}

export const NO_SEARCH: Search = { query: "", isTyped: false }

/** Returns what a key makes of the search; undefined if the key was not meant for it. */
export function searchAfter(search: Search, { event, name }: Press): Search | undefined {
  if (!search.isTyped) return name === "/" ? { query: "", isTyped: true } : undefined
  if (event.type === "text" || event.type === "paste")
    return { query: search.query + event.text.replaceAll("\n", " "), isTyped: true }
  switch (name) {
    case "enter":
      return { ...search, isTyped: false }
    case "escape":
      return NO_SEARCH
    case "backspace":
      return { query: graphemesOf(search.query).slice(0, -1).join(""), isTyped: true }
    default:
      return search
  }
}

/** Finds capitals by small letters, too. */
export function isFound(text: string, query: string): boolean {
  return query !== "" && placesOf(text, query).length > 0
}

/** Finds the first place after `from` for which `isThere` holds, going around the end. */
export function nextPlace(
  count: number,
  from: number,
  by: 1 | -1,
  isThere: (place: number) => boolean,
): number | undefined {
  for (let step = 1; step <= count; step++) {
    const place = (((from + by * step) % count) + count) % count
    if (isThere(place)) return place
  }
  return undefined
}

export function marked(row: ScreenLine, query: string): ScreenLine {
  const places = query === "" ? [] : placesOf(textOfLine(row), query)
  if (places.length === 0) return row
  const cuts = places.flatMap((at) => [at, at + query.length])
  let at = 0
  return row.flatMap((one): readonly TextSpan[] => {
    const [begin, end] = [at, at + one.text.length]
    at = end
    const inside = cuts.filter((cut) => cut > begin && cut < end)
    return [begin, ...inside].map((from, i) => {
      const text = one.text.slice(from - begin, (inside[i] ?? end) - begin)
      const isHit = places.some((place) => from >= place && from < place + query.length)
      return isHit ? span(text, { ...one.style, inverse: true }) : { ...one, text }
    })
  })
}

function placesOf(text: string, query: string): readonly number[] {
  const isSmall = query === query.toLowerCase()
  const within = isSmall ? text.toLowerCase() : text
  // Letters whose small form is longer would shift every place.
  if (within.length !== text.length) return text.includes(query) ? [text.indexOf(query)] : []
  const places: number[] = []
  for (let at = within.indexOf(query); at >= 0; at = within.indexOf(query, at + query.length)) places.push(at)
  return places
}
