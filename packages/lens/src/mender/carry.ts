import { field, stringField } from "@sotto/core/dialect"
import { causeOf } from "../compare/cause.js"
import { detailOf } from "../compare/detail.js"
import type { Comparison, Edit } from "../compare/edits.js"
import { exactJson } from "../segments/json.js"
import { elementsOf } from "../segments/locate.js"
import type { Segment } from "../segments/segment.js"
import { extendsItem, type Followed, itemOf, sameItem } from "./follow.js"
import { blocksIn, contentOf, inResult, replaced, withoutElements, withoutMarkers } from "./json-text.js"
import { smooshed } from "./smoosh.js"

/** A message as it was sent. */
export interface Carried {
  /** Its index in the newest original; -1 if it is not there, because the harness removed it or the mender told it. */
  readonly from: number
  /** Its text without cache markers, where it is not that of the original. */
  readonly frozen?: string
  /** Reminders that were left out of it, by hash. */
  readonly withheld?: readonly string[]
  /** How many of its blocks were there when reminders among them moved into a tool result. Absent if none did. */
  readonly smooshed?: number
}

/** Gives the text of a message as it was sent, if only reminders moved in it. */
export function asSmooshed(json: string, { smooshed: most }: Pick<Carried, "smooshed">): string {
  return most === undefined ? json : smooshed(json, most)
}

/** What is known about the messages that were sent before. */
export interface CarriedMessages {
  readonly carried: readonly Carried[]
  /** Index of a message that was sent and has more blocks now, all of which go out with it. */
  readonly extended?: number
  /** Blocks that were added to a message that is held: they go out as a message of their own. */
  readonly split: readonly Segment[]
}

/** Changes that go through at their place while everything else is held. */
const IN_PLACE = new Set(["result-masked", "reasoning-removed", "media-removed"])
const VOLATILE = new Set([
  "reminder-inserted",
  "reminder-moved",
  "reminder-removed",
  "reminder-changed",
  "serialisation",
])

export interface Requests {
  readonly old: readonly string[]
  readonly now: readonly string[]
  readonly before: readonly Segment[]
  readonly after: readonly Segment[]
  readonly compared: Comparison
  readonly followed: Followed
}

/** Carries what was sent on to the next request, or says why it cannot be held. */
export function carry(
  sent: readonly Carried[],
  requests: Requests,
  holdsResults: boolean,
): CarriedMessages | { readonly why: string } {
  const { old, now, after, compared, followed } = requests
  const inPlace = new Map<number, Edit[]>()
  const others = new Set<number>()
  for (const edit of compared.edits) {
    const cause = causeOf(edit, after)
    const isHeld = VOLATILE.has(cause) || (holdsResults && cause === "result-masked")
    if (!isHeld && !IN_PLACE.has(cause)) return { why: detailOf(cause, edit) }
    const item = edit.type === "inserted" ? (followed.partners[itemOf(edit.now)] ?? -1) : itemOf(edit.old)
    if (isHeld) others.add(item)
    else inPlace.set(item, [...(inPlace.get(item) ?? []), edit])
  }
  const whereNow = new Map<number, number>()
  followed.partners.forEach((partner, j) => {
    if (partner >= 0) whereNow.set(partner, j)
  })
  const last = followed.firstNew - 1
  let extended: number | undefined
  const carried: Carried[] = []
  for (const one of sent) {
    const was = old[one.from]
    if (was === undefined) {
      carried.push(one)
      continue
    }
    const from = whereNow.get(one.from) ?? -1
    const is = now[from]
    const changes = inPlace.get(one.from) ?? []
    if (is === undefined) {
      // The whole message is what went: thinking that is an item of its own, for example.
      if (changes.length === 0) carried.push({ ...one, from, frozen: one.frozen ?? own(withoutMarkers(was)) })
      continue
    }
    if (sameItem(was, is)) carried.push({ ...one, from })
    else if (one.frozen === undefined && changes.length > 0 && !others.has(one.from))
      carried.push({ ...one, from })
    else if (one.frozen === undefined && from === last && extendsItem(was, is)) {
      carried.push({ ...one, from })
      extended = from
    } else {
      const frozen = changes.reduce<string | undefined>(
        (text, edit) => text && changedIn(text, edit, is),
        one.frozen ?? own(withoutMarkers(was)),
      )
      if (frozen === undefined) return { why: "a message that is held changed in another way" }
      carried.push({ ...one, from, frozen: one.frozen === undefined ? asSmooshed(frozen, one) : frozen })
    }
  }
  const split = extended === last ? [] : addedTo(last, requests)
  if (split.some(({ path }) => !/\.(?:content|parts)\.\d+$/.test(path)))
    return { why: "a message that is held was added to" }
  return { carried, split, ...(extended !== undefined && { extended }) }
}

/** Copies a text, so that it does not keep the whole body alive that it was cut out of. */
export function own(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string
}

function addedTo(last: number, { after, compared }: Requests): readonly Segment[] {
  const kept = compared.partners.findLastIndex((partner) => partner >= 0)
  return after.filter(
    (one, i) => i > kept && itemOf(one) === last && !one.isReminder && (compared.partners[i] ?? -1) < 0,
  )
}

function changedIn(json: string, edit: Edit, now: string): string | undefined {
  if (edit.type !== "changed" && edit.type !== "removed") return undefined
  const { old } = edit
  if (old.path.split(".").length === 2) return edit.type === "changed" ? now : undefined
  const blocks = blocksIn(json)
  const list = contentOf(json)
  const { index, told } = heldBlock(json, old)
  const block = blocks[index]
  if (block === undefined || list === undefined) return undefined
  if (edit.type === "removed") return withoutElements(json, list, (i) => i === index)
  const content = contentOf(now)
  const place = Number(edit.now.path.split(".").at(-1))
  const next = content && elementsOf(now, content.start)[place]
  if (next === undefined) return undefined
  const text = now.slice(next.start, next.end)
  return withoutMarkers(replaced(json, block, told.length === 0 ? text : inResult(text, ...told)))
}

/**
 * Finds where a block of the harness stands in a held message, and what was put behind its content if it is a tool
 * result.
 */
function heldBlock(
  json: string,
  { value, kind, name }: Segment,
): { readonly index: number; readonly told: readonly string[] } {
  const blocks = blocksIn(json).map(({ start, end }) => json.slice(start, end))
  const plain = (block: string) => exactJson(JSON.parse(block), true)
  const own = JSON.stringify(value)
  const same = blocks.findIndex((block) => plain(block) === plain(own))
  if (same >= 0 || kind !== "result") return { index: same, told: [] }
  const index = blocks.findIndex((block) => stringField(JSON.parse(block), "tool_use_id") === name)
  const held = blocks[index] ?? "{}"
  const inner = blocksIn(held).map(({ start, end }) => held.slice(start, end))
  const told = inner.slice(lengthOf(field(value, "content")))
  const isHost = told.length > 0 && plain(inResult(own, ...told)) === plain(held)
  return isHost ? { index, told } : { index: -1, told: [] }
}

function lengthOf(content: unknown): number {
  if (Array.isArray(content)) return content.length
  return typeof content === "string" && content.trim() !== "" ? 1 : 0
}
