import type { DialectName } from "../call.js"
import { same } from "./json.js"
import { segmentOf } from "./make.js"
import { SECTIONS, type Section, type Segment, type Slot } from "./segment.js"
import type { Slots } from "./slots.js"

/** One request in the normal form that all dialects share. */
export interface Snapshot {
  readonly dialect: DialectName
  readonly sections: Readonly<Record<Section, readonly Segment[]>>
  readonly tokens: number
  /** How the JSON was written, as far as its beginning tells: white space between its tokens. */
  readonly spacing: string
}

/** Makes the normal form. Segments that stand in `like` already are taken from there: nothing is computed twice. */
export function snapshotOf(slots: Slots, dialect: DialectName, spacing: string, like?: Snapshot): Snapshot {
  const sections = Object.fromEntries(
    SECTIONS.map((section) => [section, segmentsOf(slots[section], like?.sections[section] ?? [])]),
  ) as unknown as Snapshot["sections"]
  return { dialect, sections, tokens: tokensIn(allOf(sections)), spacing }
}

/** A request whose earlier conversation the provider keeps: what it sends stands behind what is there. */
export function continued(tip: Snapshot, now: Snapshot): Snapshot {
  const messages = [...tip.sections.messages, ...now.sections.messages]
  const sections = { ...now.sections, messages }
  return { ...now, sections, tokens: tokensIn(allOf(sections)) }
}

function segmentsOf(slots: readonly Slot[], known: readonly Segment[]): readonly Segment[] {
  return slots.map((slot, i) => {
    const there = known[i]
    if (there === undefined || !sameSlot(slot, there)) return segmentOf(slot)
    const isSamePlace = there.path === slot.path && there.marked === slot.marked && there.bare === slot.bare
    return isSamePlace ? there : { ...there, path: slot.path, marked: slot.marked, bare: slot.bare }
  }) as readonly Segment[]
}

export function sameSlot(a: Slot, b: Slot): boolean {
  return a.kind === b.kind && a.role === b.role && same(a.value, b.value)
}

export function allOf(sections: Snapshot["sections"]): readonly Segment[] {
  return SECTIONS.flatMap((section) => sections[section])
}

export function tokensIn(segments: readonly Segment[]): number {
  return segments.reduce((sum, { tokens }) => sum + tokens, 0)
}

/** "compact" bodies have no space after a colon; others are told apart by what stands there. */
export function spacingOf(text: string | undefined): string {
  if (text === undefined) return ""
  const start = /^\s*\{(\s*)"(?:[^"\\]|\\.){0,200}"(\s*:\s*)/.exec(text.slice(0, 600))
  return start === null ? "" : `${start[1]}|${start[2]}`
}
