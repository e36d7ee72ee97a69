import { wrapReminder } from "@sotto/core"
import { locate } from "../segments/locate.js"
import type { FoundReminder, Segment } from "../segments/segment.js"
import type { Mend, MendingPolicy } from "./contract.js"
import { blocksIn, contentOf, replaced, withoutElements } from "./json-text.js"

/** When a kind of reminder was last sent, counted in requests of its thread. */
export type SpokenReminder = Map<string, number>

/** Tells which policy keeps a new reminder back, if any. Notes what goes out as spoken. */
export function keptBack(
  { kind }: FoundReminder,
  { mute = [], throttle = {} }: MendingPolicy,
  spoken: SpokenReminder,
  step: number,
): Extract<Mend["policy"], "mute" | "throttle"> | undefined {
  if (mute.includes(kind)) return "mute"
  const steps = Object.hasOwn(throttle, kind) ? throttle[kind] : undefined
  if (steps === undefined) return undefined
  const last = spoken.get(kind)
  if (last !== undefined && step - last < steps) return "throttle"
  spoken.set(kind, step)
  return undefined
}

/** A text in a message that goes out as something else, or, if that is empty, not at all. */
export interface TextCut {
  readonly segment: Segment
  readonly found: FoundReminder
  readonly instead: string
}

/** Replaces texts of a message; undefined if nothing is left of it. */
export function withCuts(json: string, cuts: readonly TextCut[]): string | undefined {
  const paths = [...new Set(cuts.map(({ segment }) => segment.path))]
  // From the end, so that the places of what comes before stay as they are.
  return paths
    .sort((a, b) => Number(b.split(".")[3] ?? 0) - Number(a.split(".")[3] ?? 0))
    .reduce<string | undefined>(
      (text, path) =>
        text &&
        cutIn(
          text,
          path.split(".").slice(2).join("."),
          cuts.filter(({ segment }) => segment.path === path),
        ),
      json,
    )
}

function cutIn(json: string, path: string, cuts: readonly TextCut[]): string | undefined {
  const place = path === "" ? { start: 0, end: json.length } : locate(json, path)
  if (place === undefined) return json
  const value: unknown = JSON.parse(json.slice(place.start, place.end))
  const left = cuts.reduce((now, { segment, found, instead }) => {
    const note =
      instead === "" || segment.role === "system" || segment.role === "developer"
        ? instead
        : wrapReminder(instead)
    return substituted(now, found.text, note)
  }, value)
  if (left !== undefined) return replaced(json, place, JSON.stringify(left))
  const list = contentOf(json)
  if (list === undefined || json[list.start] !== "[" || blocksIn(json).length === 1) return undefined
  const index = Number(path.split(".").at(-1))
  return withoutElements(json, list, (i) => i === index)
}

/** Replaces a text of a block wherever it stands; undefined if the block has nothing else to say. */
function substituted(value: unknown, text: string, instead: string): unknown {
  if (typeof value === "string") {
    if (!value.includes(text)) return value
    const left = value.replace(text, () => instead)
    return left.trim() === "" ? undefined : left
  }
  if (Array.isArray(value))
    return value.map((one) => substituted(one, text, instead)).filter((one) => one !== undefined)
  if (value === null || typeof value !== "object") return value
  const fields = Object.entries(value).map(
    ([name, inner]) => [name, substituted(inner, text, instead)] as const,
  )
  const isText = fields.some(([name, inner]) => inner === undefined && name === "text")
  if (isText) return undefined
  return Object.fromEntries(fields.map(([name, inner]) => [name, inner === undefined ? "" : inner]))
}
