import { listField } from "@sotto/core/dialect"
import type { Call, HttpDialectName } from "../call.js"
import { reportedBy } from "../money/response.js"
import { segmentOf } from "../segments/make.js"
import type { Segment, Slot } from "../segments/segment.js"
import { slotsOf } from "../segments/slots.js"
import { type KeptCall, kindsOf } from "./kept.js"
import type { CallTokens } from "./page.js"

/** Where each dialect has the conversation. */
const LISTS = {
  anthropic: "messages",
  openai: "input",
  "openai-chat": "messages",
  gemini: "contents",
} as const

export function itemsIn(body: unknown, dialect: HttpDialectName): readonly unknown[] {
  return listField(body, LISTS[dialect])
}

/**
 * Keeps a call that is known to repeat the request before it and to add to its conversation, without comparing
 * anything: the work is that of what is new. Undefined if its reply says that the cache did not hold: then it has to be
 * looked at.
 */
export function extended(before: KeptCall, call: Call, model: string): KeptCall | undefined {
  const { dialect } = before.strand
  const { body: _, text: __, sent: ___, ...about } = call
  const tail = newSegments(call.body, dialect, before.items)
  const kinds = kindsOf(before, before.length, tail)
  const tokens = tokensOf(before, call, dialect, kinds)
  if (tokens === undefined) return undefined
  return {
    call: about,
    strand: before.strand,
    number: before.number + 1,
    model,
    tokens,
    failed: false,
    n: before.n + 1,
    before,
    shared: before.length,
    tail,
    length: before.length + tail.length,
    kinds,
    items: itemsIn(call.body, dialect).length,
  }
}

function newSegments(body: unknown, dialect: HttpDialectName, known: number): readonly Segment[] {
  const name = LISTS[dialect]
  const added = { [name]: itemsIn(body, dialect).slice(known) }
  const place = new RegExp(`^${name}\\.(\\d+)`)
  const moved = ({ path, ...slot }: Slot): Slot => ({
    ...slot,
    path: path.replace(place, (_, i: string) => `${name}.${Number(i) + known}`),
  })
  return slotsOf(added, dialect, undefined).messages.map((slot) => segmentOf(moved(slot)))
}

function tokensOf(
  before: KeptCall,
  { response }: Call,
  dialect: HttpDialectName,
  kinds: KeptCall["kinds"],
): CallTokens | undefined {
  const { usage } = reportedBy(response, dialect)
  const all = Object.values(kinds).reduce((sum, tokens) => sum + tokens, 0)
  if (usage === undefined) {
    const read = Object.values(before.kinds).reduce((sum, tokens) => sum + tokens, 0)
    return { sent: all, read, written: all - read, missed: 0, reported: false }
  }
  const { plain, read, written, output } = usage
  // Much less than the request before it had put there: expired, or lost by the provider.
  if (before.tokens.reported && read * 2 < before.tokens.read + before.tokens.written) return undefined
  return { sent: plain + read + written, read, written, missed: 0, output, reported: true }
}
