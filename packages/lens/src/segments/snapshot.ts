import type { HttpDialectName } from "../call.js"
import { same } from "./json.js"
import { segmentOf } from "./make.js"
import { SECTIONS, type Section, type Segment, type Slot } from "./segment.js"
import type { Slots } from "./slots.js"

/** One request in the normal form that all dialects share. */
export interface Snapshot {
  readonly dialect: HttpDialectName
  readonly sections: Readonly<Record<Section, readonly Segment[]>>
  /** What the provider caches, in its order: tools, system, conversation. */
  readonly cached: readonly Segment[]
  readonly tokens: number
  /** How the JSON was written, as far as its beginning tells: white space between its tokens. */
  readonly spacing: string
}

/**
 * Makes the normal form. Segments that stand in `like` already are taken from there: nothing is computed twice. The first
 * `same` segments of the conversation are known to be the same.
 */
export function snapshotOf(
  slots: Slots,
  dialect: HttpDialectName,
  spacing: string,
  like?: Snapshot,
  same = 0,
): Snapshot {
  const make = (section: Section) =>
    segmentsOf(slots[section], like?.sections[section] ?? [], section === "messages" ? same : 0)
  const sections = Object.fromEntries(
    SECTIONS.map((section) => [section, make(section)]),
  ) as unknown as Snapshot["sections"]
  return whole(dialect, sections, spacing)
}

/** Continues a request whose earlier conversation the provider keeps: what it sends stands behind what is there. */
export function continued(tip: Snapshot, now: Snapshot): Snapshot {
  const messages = [...tip.sections.messages, ...now.sections.messages]
  return whole(now.dialect, { ...now.sections, messages }, now.spacing)
}

export function whole(dialect: HttpDialectName, sections: Snapshot["sections"], spacing: string): Snapshot {
  const cached = [...sections.tools, ...sections.system, ...sections.messages]
  return { dialect, sections, cached, tokens: tokensIn(cached), spacing }
}

function segmentsOf(slots: readonly Slot[], known: readonly Segment[], same: number): readonly Segment[] {
  return slots.map((slot, i): Segment => {
    const there = known[i]
    if (there === undefined || (i >= same && !sameSlot(slot, there))) return segmentOf(slot)
    const isSamePlace =
      there.path === slot.path &&
      Boolean(there.marked) === Boolean(slot.marked) &&
      Boolean(there.bare) === Boolean(slot.bare)
    if (isSamePlace) return there
    const { path, marked = false, bare = false } = slot
    return { ...there, path, marked, bare }
  })
}

export function sameSlot(a: Slot, b: Slot): boolean {
  return a.kind === b.kind && a.role === b.role && same(a.value, b.value)
}

export function tokensIn(segments: readonly Segment[]): number {
  return segments.reduce((sum, { tokens }) => sum + tokens, 0)
}

/**
 * Gives the spacing of a body: "compact" ones have no space after a colon; others are told apart by what stands there.
 */
export function spacingOf(text: string | undefined): string {
  if (text === undefined) return ""
  const start = /^\s*\{(\s*)"(?:[^"\\]|\\.){0,200}"(\s*:\s*)/.exec(text.slice(0, 600))
  return start === null ? "" : `${start[1]}|${start[2]}`
}
