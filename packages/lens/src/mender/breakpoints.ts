import { listField, stringField } from "@sotto/core/dialect"
import { LOOK_BACK } from "../compare/markers.js"
import type { ComposedParts } from "./compose.js"
import { blocksIn, markerOf, withMarker } from "./json-text.js"

/** Anthropic takes no more. */
const MOST = 4

/** A block that may carry a marker. */
interface Unit {
  readonly part: "tools" | "system" | number
  readonly index: number
  readonly marker: string | undefined
  /** False for what takes no marker, or from which no later request would read. */
  readonly isMarkable: boolean
}

export interface MarkedBody {
  readonly parts: ComposedParts
  /** Where markers stand now, in blocks. */
  readonly marks: readonly number[]
  /** The paths of those that were added. */
  readonly added: readonly string[]
}

/** Adds cache markers where the harness has none within reach. `before` are the places of the last request's. */
export function marked(parts: ComposedParts, before: readonly number[], isWhole: boolean): MarkedBody {
  const units = unitsOf(parts)
  const own = units.flatMap(({ marker }, i) => (marker === undefined ? [] : [i]))
  const end = units.findLastIndex(({ isMarkable, part }) => isMarkable && typeof part === "number")
  const headEnd = units.findLastIndex(({ part }) => typeof part !== "number")
  const marks = [...own, ...(isWhole ? [units.length - 1] : [])]
  const added: number[] = []
  const add = (at: number) => {
    if (at < 0 || marks.includes(at) || marks.length >= MOST || !units[at]?.isMarkable) return
    marks.push(at)
    added.push(at)
  }
  if (!marks.some((mark) => mark >= end - LOOK_BACK && mark > headEnd)) add(end)
  const furthest = Math.max(-1, ...before.filter((mark) => mark <= end))
  if (!marks.some((mark) => mark >= furthest && mark <= furthest + LOOK_BACK)) add(furthest)
  if (!marks.some((mark) => mark <= headEnd)) add(headEnd)
  const isLong = (mark: number) => units[mark]?.marker?.includes('"1h"') ?? false
  const changed = added.reduce((now, at) => {
    // A long-lived marker may not follow a short-lived one.
    const ttl = own.some((mark) => mark > at && isLong(mark)) ? ',"ttl":"1h"' : ""
    return withMark(now, units[at], `{"type":"ephemeral"${ttl}}`)
  }, parts)
  return { parts: changed, marks, added: added.map((at) => pathOf(units[at])) }
}

function withMark(parts: ComposedParts, unit: Unit | undefined, marker: string): ComposedParts {
  if (unit === undefined) return parts
  const { part, index } = unit
  if (typeof part === "number")
    return {
      ...parts,
      items: parts.items.map((item, i) => (i === part ? withMarker(item, index, marker) : item)),
    }
  return { ...parts, [part]: withMarker(parts[part] ?? "", index, marker) }
}

function pathOf(unit: Unit | undefined): string {
  if (unit === undefined) return ""
  return typeof unit.part === "number"
    ? `messages[${unit.part}].content[${unit.index}]`
    : `${unit.part}[${unit.index}]`
}

function unitsOf({ tools, system, items }: ComposedParts): readonly Unit[] {
  return [
    ...unitsIn(tools, "tools"),
    ...unitsIn(system, "system"),
    ...items.flatMap((item, i) => unitsIn(item, i)),
  ]
}

function unitsIn(json: string | undefined, part: Unit["part"]): readonly Unit[] {
  if (json === undefined) return []
  const value: unknown = JSON.parse(json)
  const isTail = typeof part !== "number" || stringField(value, "role") === "user"
  const blocks = Array.isArray(value) ? value : listField(value, "content")
  if (blocks.length === 0) {
    const words = typeof value === "string" ? value : stringField(value, "content")
    return words?.trim() ? [{ part, index: 0, marker: undefined, isMarkable: isTail }] : []
  }
  return blocksIn(json).map((block, index) => ({
    part,
    index,
    marker: markerOf(json, block),
    isMarkable: isTail && (stringField(blocks[index], "text") ?? "-").trim() !== "",
  }))
}
