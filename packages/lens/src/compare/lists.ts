import type { Cause } from "../report.js"
import { canonicalJson } from "../segments/json.js"
import type { Segment } from "../segments/segment.js"
import { wordsOf } from "../segments/words.js"
import { align } from "./align.js"
import { volatileParts } from "./volatile.js"

/** The first difference of a list that may not even be appended to, and which of the new segments are old ones. */
export interface ListDifference {
  readonly at: number
  readonly old: Segment | undefined
  readonly now: Segment | undefined
  readonly cause: Cause
  readonly detail: string
}

function firstIn(old: readonly Segment[], now: readonly Segment[]): number | undefined {
  const longest = Math.max(old.length, now.length)
  for (let i = 0; i < longest; i++) if (old[i]?.hash !== now[i]?.hash) return i
  return undefined
}

export function toolDifference(old: readonly Segment[], now: readonly Segment[]): ListDifference | undefined {
  const at = firstIn(old, now)
  if (at === undefined) return undefined
  const before = new Map(old.map((tool) => [tool.name, tool]))
  const after = new Map(now.map((tool) => [tool.name, tool]))
  const added = now.filter(({ name }) => !before.has(name)).map(({ name }) => name)
  const removed = old.filter(({ name }) => !after.has(name)).map(({ name }) => name)
  const place = { at, old: old[at], now: now[at] }
  const detail = [
    ...(added.length > 0 ? [`tools added: ${some(added)}`] : []),
    ...(removed.length > 0 ? [`tools removed: ${some(removed)}`] : []),
  ].join("; ")
  if (place.now !== undefined && !before.has(place.now.name))
    return { ...place, cause: "tools-added", detail }
  if (place.old !== undefined && !after.has(place.old.name))
    return { ...place, cause: "tools-removed", detail }
  if (place.old?.name !== place.now?.name)
    return { ...place, cause: "tools-reordered", detail: "the same tools in another order" }
  const isSame = canonicalJson(place.old?.value) === canonicalJson(place.now?.value)
  return isSame
    ? {
        ...place,
        cause: "serialisation",
        detail: `the keys of the tool ${place.now?.name} stand in another order`,
      }
    : { ...place, cause: "tool-reworded", detail: `the tool ${place.now?.name} is defined differently` }
}

export function systemDifference(
  old: readonly Segment[],
  now: readonly Segment[],
): ListDifference | undefined {
  const at = firstIn(old, now)
  if (at === undefined) return undefined
  const place = { at, old: old[at], now: now[at] }
  if (canonicalJson(old.map(({ value }) => value)) === canonicalJson(now.map(({ value }) => value)))
    return { ...place, cause: "serialisation", detail: "the keys of a system block stand in another order" }
  const text = (list: readonly Segment[]) => list.map(wordsOf).join("\n")
  if (text(old) === text(now))
    return { ...place, cause: "serialisation", detail: "the system prompt is the same text in other blocks" }
  const parts = volatileParts(text(old), text(now))
  const detail =
    parts.length > 0 ? `${parts.join(" and ")} changed in the system prompt` : "the system prompt changed"
  return { ...place, cause: "system-changed", detail }
}

/** Finds for each new segment of a list the index of the old one that it repeats or rewords, or -1. */
export function partnersIn(old: readonly Segment[], now: readonly Segment[]): Int32Array {
  const partners = align(
    old.map(({ hash }) => hash),
    now.map(({ hash }) => hash),
  )
  const taken = new Set(partners)
  now.forEach((one, i) => {
    if ((partners[i] ?? -1) >= 0) return
    const j = old.findIndex(
      (other, k) =>
        !taken.has(k) && (one.kind === "tool" ? other.name === one.name : other.hash === one.hash || k === i),
    )
    if (j < 0) return
    partners[i] = j
    taken.add(j)
  })
  return partners
}

function some(names: readonly (string | undefined)[]): string {
  const shown = names.slice(0, 3).join(", ")
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown
}
