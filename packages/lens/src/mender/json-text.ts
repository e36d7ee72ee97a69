import { elementsOf, type JsonSpan, locate, membersOf } from "../segments/locate.js"

/** Changes of JSON as text: what is not touched keeps its bytes, numbers and escapes included. */

export function replaced(json: string, { start, end }: JsonSpan, text: string): string {
  return json.slice(0, start) + text + json.slice(end)
}

/** Puts an element into the list that stands at a place, before the element with this index. */
export function withElement(json: string, list: JsonSpan, index: number, element: string): string {
  const elements = elementsOf(json, list.start)
  const next = elements[index]
  if (next !== undefined) return replaced(json, { start: next.start, end: next.start }, `${element},`)
  const last = elements.at(-1)
  if (last !== undefined) return replaced(json, { start: last.end, end: last.end }, `,${element}`)
  return replaced(json, list, `[${element}]`)
}

/** Takes elements out of the list that stands at a place. */
export function withoutElements(json: string, list: JsonSpan, isGone: (index: number) => boolean): string {
  const kept = elementsOf(json, list.start).filter((_, i) => !isGone(i))
  return replaced(json, list, `[${kept.map(({ start, end }) => json.slice(start, end)).join(",")}]`)
}

/** Adds a field to the object that begins at a place, at its end. */
export function withMember(json: string, at: number, name: string, value: string): string {
  const members = membersOf(json, at)
  const known = members.find((member) => member.name === name)
  if (known !== undefined) return replaced(json, known, value)
  const last = members.at(-1)
  const start = last?.end ?? at + 1
  return replaced(
    json,
    { start, end: start },
    `${last === undefined ? "" : ","}${JSON.stringify(name)}:${value}`,
  )
}

/**
 * Puts blocks behind the content of a tool result. A bare text becomes the first block, unless it is blank: the API refuses
 * blocks without words.
 */
export function inResult(json: string, ...blocks: readonly string[]): string {
  const place = locate(json, "content")
  if (place === undefined) return withMember(json, json.indexOf("{"), "content", `[${blocks.join(",")}]`)
  const content: unknown = JSON.parse(json.slice(place.start, place.end))
  if (Array.isArray(content)) return withElement(json, place, content.length, blocks.join(","))
  const isSaid = typeof content === "string" && content.trim() !== ""
  const own = isSaid ? [`{"type":"text","text":${json.slice(place.start, place.end)}}`] : []
  return replaced(json, place, `[${[...own, ...blocks].join(",")}]`)
}

const MARKER = "cache_control"

/** Finds the blocks of a message or of a list of blocks, as places in its text. */
export function blocksIn(json: string): readonly JsonSpan[] {
  const list = json.trimStart().startsWith("[") ? { start: json.indexOf("[") } : contentOf(json)
  return list === undefined ? [] : elementsOf(json, list.start)
}

/** Finds where the content of a message stands: Gemini calls it parts. */
export function contentOf(json: string): JsonSpan | undefined {
  return locate(json, "content") ?? locate(json, "parts")
}

/** Removes the cache markers of the text's blocks, and of the blocks inside of those. */
export function withoutMarkers(json: string): string {
  if (!json.includes(`"${MARKER}"`)) return json
  const cuts = blocksIn(json).flatMap((block) => {
    const inner = membersOf(json, block.start).find(({ name }) => name === "content")
    const nested = inner === undefined ? [] : elementsOf(json, inner.start)
    return [...nested, block].flatMap(({ start }) => markerIn(json, start))
  })
  return cuts.sort((a, b) => b.start - a.start).reduce((text, cut) => replaced(text, cut, ""), json)
}

/** Finds the place of a block's own marker, with the comma that belongs to it. */
export function markerIn(json: string, at: number): readonly JsonSpan[] {
  const members = membersOf(json, at)
  const i = members.findIndex(({ name }) => name === MARKER)
  const marker = members[i]
  if (marker === undefined) return []
  const before = members[i - 1]
  const after = members[i + 1]
  if (before !== undefined) return [{ start: before.end, end: marker.end }]
  return [{ start: marker.from, end: after?.from ?? marker.end }]
}

/** Gives the text of the marker of a block, of whatever lifetime. */
export function markerOf(json: string, block: JsonSpan): string | undefined {
  const [found] = [block, ...nestedIn(json, block)].flatMap(({ start }) =>
    membersOf(json, start).filter(({ name }) => name === MARKER),
  )
  return found && json.slice(found.start, found.end)
}

function nestedIn(json: string, block: JsonSpan): readonly JsonSpan[] {
  const inner = membersOf(json, block.start).find(({ name }) => name === "content")
  return inner === undefined ? [] : elementsOf(json, inner.start)
}

/** Puts a marker on the block with this index. A content that is a bare text becomes a list of one. */
export function withMarker(json: string, index: number, marker: string): string {
  const block = blocksIn(json)[index]
  if (block !== undefined) return withMember(json, block.start, MARKER, marker)
  const content = json.trimStart().startsWith('"')
    ? { start: json.indexOf('"'), end: json.lastIndexOf('"') + 1 }
    : contentOf(json)
  if (content === undefined || json[content.start] !== '"') return json
  return replaced(
    json,
    content,
    `[{"type":"text","text":${json.slice(content.start, content.end)},"${MARKER}":${marker}}]`,
  )
}
