import { field, withoutMarkers } from "@sotto/core/dialect"
import type { Call } from "../call.js"
import type { Break } from "../report.js"
import { firstDifference, locate, utf8Length } from "../segments/locate.js"
import type { Segment } from "../segments/segment.js"
import type { Difference } from "./compare.js"
import { excerpts } from "./excerpt.js"

/** Describes a difference as the report shows it. `number` counts the calls of the thread from 1. */
export function breakOf(difference: Difference, call: Call, number: number): Break {
  const { path, cause, detail, lostTokens, old, now } = difference
  const byte = call.partial ? undefined : byteOf(difference, call)
  return {
    call: number,
    segment: path,
    ...(byte !== undefined && { byte }),
    cause,
    detail,
    lostTokens,
    ...excerpts(old, now),
  }
}

function byteOf({ path, old, now }: Difference, call: Call): number {
  const wire = call.sent ?? call
  const text = wire.text ?? JSON.stringify(wire.body) ?? ""
  // Only the white space differs, from the first brace on.
  if (path === "body") return 1
  const place = locate(text, path)
  if (place === undefined) return utf8Length(text)
  const inside =
    old === undefined || now === undefined || now.path !== path
      ? 0
      : firstDifference(text.slice(place.start, place.end), written(old, now))
  return utf8Length(text, place.start + inside)
}

function written(old: Segment, now: Segment): string {
  const value = now.bare ? (field(old.value, "text") ?? field(old.value, "content")) : old.value
  return withoutMarkers(value)
}
