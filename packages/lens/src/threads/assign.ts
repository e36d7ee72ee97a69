import { stringField } from "@sotto/core/dialect"
import type { Call, HttpDialectName } from "../call.js"
import { type Compared, compare } from "../compare/compare.js"
import { isWork } from "../compare/relation.js"
import type { Slots } from "../segments/slots.js"
import { continued, type Snapshot, sameSlot, snapshotOf, spacingOf } from "../segments/snapshot.js"
import { lastWords, sidePurpose } from "./side.js"
import type { Strand } from "./strand.js"

/** Where a call belongs: it continues a strand, branches off one, or begins something new. */
export type Assigned =
  | {
      readonly type: "continues"
      readonly strand: Strand
      readonly snapshot: Snapshot
      readonly compared: Compared
    }
  | {
      readonly type: "branches"
      readonly strand: Strand
      readonly snapshot: Snapshot
      readonly isParallel: boolean
    }
  | { readonly type: "begins"; readonly snapshot: Snapshot }

/** How many strands are compared in full when none is simply extended. */
const MOST_COMPARED = 6

/** Assigns a call to a strand. `open` are the strands of the call's source, the newest first. */
export function assign(
  call: Call,
  slots: Slots,
  dialect: HttpDialectName,
  open: readonly Strand[],
): Assigned {
  const wire = call.sent ?? call
  const spacing = spacingOf(wire.text)
  const make = (like?: Snapshot, same = 0) => snapshotOf(slots, dialect, spacing, like, same)
  const kin = open.filter((strand) => strand.dialect === dialect)
  const kept = keptByProvider(wire.body, kin)
  if (kept !== undefined) return proceed(call, kept, continued(kept.tip, make(kept.tip)))
  for (const strand of extended(slots, kin)) {
    const snapshot = make(strand.tip, strand.tip.sections.messages.length)
    const compared = compare(strand.tip, snapshot)
    if (compared.relation === "extends") return proceed(call, strand, snapshot, compared)
  }
  return findKin(call, make(kin[0]?.tip), kin)
}

/** Finds the strand that `previous_response_id` names: the conversation so far is on the server. */
function keptByProvider(body: unknown, kin: readonly Strand[]): Strand | undefined {
  const previous = stringField(body, "previous_response_id")
  if (previous === undefined) return undefined
  return (
    kin.find(({ responseId }) => responseId === previous) ??
    kin.find(({ responseId }) => responseId === undefined)
  )
}

/** Lists the strands whose whole conversation the call repeats, the longest first. */
function extended(slots: Slots, kin: readonly Strand[]): readonly Strand[] {
  const now = slots.messages
  const found = kin.filter(({ tip }) => {
    const before = tip.sections.messages
    if (before.length === 0 || before.length > now.length) return false
    // The end first: conversations that share a beginning differ there.
    for (let i = before.length - 1; i >= 0; i--) {
      const [a, b] = [before[i], now[i]]
      if (a === undefined || b === undefined || !sameSlot(b, a)) return false
    }
    return true
  })
  return found.sort((a, b) => b.tip.sections.messages.length - a.tip.sections.messages.length)
}

function proceed(call: Call, strand: Strand, snapshot: Snapshot, compared?: Compared): Assigned {
  const isParallel = call.at !== undefined && call.at < strand.until
  const isBeside = compared?.relation !== "continues" && asksBeside(strand.tip, snapshot)
  if (isParallel || isBeside) return { type: "branches", strand, snapshot, isParallel }
  return { type: "continues", strand, snapshot, compared: compared ?? compare(strand.tip, snapshot) }
}

/** True if all that is new is a request for a title or a summary: the conversation may go on without it. */
function asksBeside(tip: Snapshot, now: Snapshot): boolean {
  if (now.sections.messages.length === tip.sections.messages.length) return false
  return sidePurpose(lastWords(now)) !== undefined && sidePurpose(lastWords(tip)) === undefined
}

/**
 * True if a call only asks for a title or a summary, and holds nothing that a model did: it cannot continue a conversation,
 * however much of its instructions it shares.
 */
function asksAside(now: Snapshot): boolean {
  return !now.sections.messages.some(isWork) && sidePurpose(lastWords(now)) !== undefined
}

function findKin(call: Call, snapshot: Snapshot, kin: readonly Strand[]): Assigned {
  const hashes = new Set(snapshot.sections.messages.map(({ hash }) => hash))
  const shared = (strand: Strand) =>
    strand.tip.sections.messages.reduce(
      (sum, { hash, tokens, isReminder }) => (hashes.has(hash) && !isReminder ? sum + tokens : sum),
      0,
    )
  const ranked = kin
    .map((strand) => ({ strand, shared: shared(strand) }))
    .sort((a, b) => b.shared - a.shared)
    .slice(0, MOST_COMPARED)
  const isAside = asksAside(snapshot)
  let branch: Strand | undefined
  for (const { strand } of ranked) {
    if (isAside && !asksAside(strand.tip)) continue
    const compared = compare(strand.tip, snapshot)
    if (compared.relation === "extends" || compared.relation === "continues")
      return proceed(call, strand, snapshot, compared)
    if (compared.relation === "branch") branch ??= strand
  }
  if (branch === undefined) return { type: "begins", snapshot }
  const isParallel = call.at !== undefined && call.at < branch.until
  return { type: "branches", strand: branch, snapshot, isParallel }
}
