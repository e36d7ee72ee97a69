import { Fingerprint } from "@sotto/core/cache"
import { field, withoutMarkers } from "@sotto/core/dialect"
import type { Call, SourceDamage, SourceFormat } from "../call.js"
import { excerpts } from "../compare/excerpt.js"
import { findingKind } from "../findings/table.js"
import { type CallReading, createLens, type LensOptions } from "../lens.js"
import { moneyFor } from "../money/prices.js"
import type { Report } from "../report.js"
import { utf8Length } from "../segments/locate.js"
import type { Segment } from "../segments/segment.js"
import type { Snapshot } from "../segments/snapshot.js"
import { wordsOf } from "../segments/words.js"
import type { Strand } from "../threads/strand.js"
import { threadsOf } from "../threads/threads.js"
import { extended, itemsIn } from "./extend.js"
import { commonStart, type KeptCall, kindsOf, segmentsOf } from "./kept.js"
import { bytesOf, calledIn, pageSegment } from "./layout.js"
import { mendsOf } from "./mended.js"
import type { BreakPage, CallPage, CallRow, CallTotals, Mended, ToolUse, Unchanged } from "./page.js"
import { replyIn } from "./reply.js"
import { moneyOf, rowOf } from "./row.js"
import { type CalledWith, toolUse } from "./tool-use.js"

/** How much of a call a page holds. */
export interface PageOptions {
  /** The first segment to show, counted from 0: the first new one unless given. */
  readonly from?: number
  readonly limit?: number
  /** Shows only the segment at this path, with its whole text. */
  readonly whole?: string
}

/** A place where a search found its words. */
export interface Hit {
  readonly n: number
  readonly path: string
  readonly role: string
  readonly excerpt: string
}

/** A trace that is looked at call by call. It keeps what is new in each call, so memory grows with what was said, not with what was sent. */
export interface Pages {
  source(name: string, format: SourceFormat): void
  push(call: Call): void
  /**
   * Takes a call that is known to repeat the newest one of the trace and to add to its conversation, as requests of one epoch
   * do. Its cost is that of what is new, where `push` looks at the whole request.
   */
  extend(call: Call): void
  damage(damage: SourceDamage): void
  /** How many calls there are. */
  readonly length: number
  /** Rows from a place on, counted from 1. */
  rows(from: number, limit: number): readonly CallRow[]
  page(n: number, options?: PageOptions): CallPage | undefined
  breaks(): readonly BreakPage[]
  totals(): CallTotals
  /**
   * Lists the tools that the model called in its answer to a call, with the results that the next request brings. `whole`
   * names the one to give uncut. Undefined for an unknown call.
   */
  tools(n: number, whole?: string): readonly ToolUse[] | undefined
  /** All segments of a call, in the order in which the provider reads them. */
  segments(n: number): readonly Segment[] | undefined
  /** Where a text first stands, ignoring case: only what is new in each call is searched. */
  search(text: string, limit: number): readonly Hit[]
  report(): Report
}

const MOST_SEGMENTS = 400
/** A page shows this much around the first difference. */
const ROOM = { before: 1_500, after: 2_500 }

/** Makes the pages of a recording, call by call. */
export function createPages(options: LensOptions = {}): Pages {
  const lens = createLens(options, keep)
  const all: KeptCall[] = []
  const mends = new Map<number, readonly Mended[]>()
  const tips = new WeakMap<Snapshot, KeptCall>()
  const strands = new Set<Strand>()
  /** The newest call that was taken without the lens, which has to know it before it sees another one. */
  let unread: { readonly call: Call; readonly kept: KeptCall } | undefined
  let isKnown = false
  let threads: { readonly at: number; readonly place: (kept: KeptCall) => Place } | undefined

  function keep({ call, snapshot, before, difference, ...reading }: CallReading): void {
    if (isKnown && unread !== undefined) return void tips.set(snapshot, unread.kept)
    const { body: _, text, sent, ...about } = call
    const from = before && tips.get(before)
    const shared = from === undefined ? 0 : commonStart(before?.cached ?? [], snapshot.cached)
    const tail = snapshot.cached.slice(shared)
    const wire = sent?.text ?? text
    const kept: KeptCall = {
      ...reading,
      call: about,
      n: all.length + 1,
      ...(difference?.old && { old: difference.old }),
      ...(difference?.now && { now: difference.now }),
      ...(from && { before: from }),
      shared,
      tail,
      length: snapshot.cached.length,
      kinds: kindsOf(from, shared, tail),
      items: itemsIn((sent ?? call).body, snapshot.dialect).length,
      ...(wire !== undefined && !call.partial && { bytes: utf8Length(wire) }),
    }
    const changed = mendsOf(call, snapshot.dialect, reading.model)
    if (changed.length > 0) mends.set(kept.n, changed)
    tips.set(snapshot, kept)
    strands.add(reading.strand)
    all.push(kept)
  }

  function push(call: Call): void {
    if (unread !== undefined) {
      const { strand, number } = unread.kept
      strand.calls = number - 1
      isKnown = true
      lens.push(unread.call)
      isKnown = false
      unread = undefined
    }
    lens.push(call)
  }

  function extend(call: Call): void {
    const before = all.at(-1)
    const kept =
      before === undefined ||
      before.failed ||
      before.strand.dialect !== call.dialect ||
      call.error !== undefined
        ? undefined
        : extended(before, call, before.model)
    if (kept === undefined) {
      push(call)
      return
    }
    unread = { call, kept }
    all.push(kept)
  }

  /**
   * Finds the thread of a call, and its place there. Later calls can change it: a branch may turn out to be the same
   * thread.
   */
  function place(kept: KeptCall): Place {
    if (threads?.at !== all.length) threads = { at: all.length, place: placesOf([...strands]) }
    return threads.place(kept)
  }

  const row = (kept: KeptCall): CallRow =>
    rowOf(kept, place(kept), mends.get(kept.n)?.length ?? 0, options.prices)

  function breakOf(kept: KeptCall, isWhole: boolean): BreakPage | undefined {
    const { break: found, n, model, old, now } = kept
    if (found === undefined) return undefined
    const { severity, remedy } = findingKind(found.cause)
    const price = options.prices?.(model)
    const { thread, call } = place(kept)
    return {
      ...found,
      call,
      n,
      thread,
      severity,
      remedy,
      ...(price && moneyFor(found.lostTokens, price)),
      ...(isWhole && excerpts(old, now, ROOM)),
    }
  }

  function page(n: number, how: PageOptions = {}): CallPage | undefined {
    const kept = all[n - 1]
    if (kept === undefined) return undefined
    const segments = segmentsOf(kept)
    const known = hashesOf(kept.before)
    // Whether a segment was in the request before it depends on how often it stands there.
    const isNew = segments.map(({ hash }) => !known.delete(hash))
    const tools = new Map(
      segments.flatMap((segment) => {
        const called = calledIn(segment)
        return called && segment.name ? [[segment.name, called.name] as const] : []
      }),
    )
    const from = Math.max(0, how.from ?? (kept.shared < segments.length ? kept.shared : 0))
    const limit = Math.min(MOST_SEGMENTS, how.limit ?? MOST_SEGMENTS)
    const shown = segments.flatMap((segment, i) => {
      const isAsked = how.whole === undefined ? i >= from && i < from + limit : segment.path === how.whole
      return isAsked ? [pageSegment(segment, isNew[i] ?? true, how.whole !== undefined, tools)] : []
    })
    const found = breakOf(kept, true)
    const previous = kept.before?.n
    const next = all.find((other) => other.before === kept)?.n
    const unchanged = unchangedIn(kept, segments)
    return {
      row: row(kept),
      segments: shown,
      from,
      total: segments.length,
      ...(kept.bytes !== undefined && { bytes: kept.bytes }),
      ...(unchanged && { unchanged }),
      ...(found && { break: found }),
      reply: replyParts(kept),
      mends: mends.get(n) ?? [],
      ...(previous !== undefined && { previous }),
      ...(next !== undefined && { next }),
    }
  }

  function totals(): CallTotals {
    const tokens = { sent: 0, read: 0 }
    let [cost, output]: (number | undefined)[] = []
    const assumed = new Map<string, string>()
    let breaks = 0
    let [startedAt, endedAt]: (number | undefined)[] = []
    for (const { tokens: own, model, break: found, call } of all) {
      tokens.sent += own.sent
      tokens.read += own.read
      if (own.output !== undefined) output = (output ?? 0) + own.output
      const price = options.prices?.(model)
      if (price) cost = (cost ?? 0) + moneyOf(own, price)
      if (price?.assumed !== undefined) assumed.set(model, price.assumed)
      if (found !== undefined && found.cause !== "compacted") breaks++
      if (call.at === undefined) continue
      startedAt = Math.min(startedAt ?? call.at, call.at)
      endedAt = Math.max(endedAt ?? 0, call.at + (call.ms ?? 0))
    }
    return {
      tokens: { ...tokens, ...(output !== undefined && { output }) },
      ...(cost !== undefined && { cost }),
      ...(assumed.size > 0 && { assumed: Object.fromEntries(assumed) }),
      breaks,
      ...(startedAt !== undefined && { startedAt }),
      ...(endedAt !== undefined && { endedAt }),
    }
  }

  function tools(n: number, whole?: string): readonly ToolUse[] | undefined {
    const kept = all[n - 1]
    if (kept === undefined) return undefined
    const after = all.find((other) => other.before === kept)?.tail ?? []
    return calledWith(kept, after)
      .filter(({ id }) => whole === undefined || id === whole)
      .map((called) => toolUse(called, whole !== undefined))
  }

  return {
    source: lens.source,
    push,
    extend,
    damage: lens.damage,
    get length() {
      return all.length
    },
    rows: (from, limit) => all.slice(Math.max(0, from - 1), Math.max(0, from - 1) + limit).map(row),
    page,
    totals,
    tools,
    segments(n) {
      const kept = all[n - 1]
      return kept && segmentsOf(kept)
    },
    breaks: () => all.flatMap((kept) => breakOf(kept, false) ?? []),
    search(text, limit) {
      const hits: Hit[] = []
      for (const { n, tail } of all) {
        for (const segment of tail) {
          if (hits.length >= limit) return hits
          const found = hitIn(segment, text, n)
          if (found) hits.push(found)
        }
      }
      return hits
    },
    report: lens.report,
  }
}

/** Finds what a reply called, or what the next request says that it called, with the results. */
function calledWith({ call, strand }: KeptCall, after: readonly Segment[]): readonly CalledWith[] {
  const results = new Map(
    after.flatMap((segment) =>
      segment.kind === "result" && segment.name !== undefined
        ? [[segment.name, { text: wordsOf(segment), error: field(segment.value, "is_error") === true }]]
        : [],
    ),
  )
  const parts = replyIn(call.response, strand.dialect)?.parts ?? []
  const replied = parts.flatMap((part) => (part.type === "tool-call" ? [part] : []))
  const repeated = after.flatMap((segment) => {
    const called = calledIn(segment)
    return called === undefined ? [] : [{ ...called, id: segment.name ?? segment.path }]
  })
  return (replied.length > 0 ? replied : repeated).map(({ id, name, input }) => {
    const result = results.get(id)
    return { id, name, input, ...(result && { result }) }
  })
}

type Place = Pick<CallRow, "thread" | "call">

function placesOf(strands: readonly Strand[]): (kept: KeptCall) => Place {
  const places = new Map<Strand, { readonly thread: string; readonly before: number }>()
  for (const { id, strands: own } of threadsOf(strands)) {
    let before = 0
    for (const strand of own) {
      places.set(strand, { thread: id, before })
      before += strand.calls
    }
  }
  return ({ strand, number }) => {
    const { thread, before } = places.get(strand) ?? { thread: "", before: 0 }
    return { thread, call: before + number }
  }
}

/** Makes a bag of hashes: each can be taken out as often as it is in it. */
function hashesOf(kept: KeptCall | undefined): { delete(hash: string): boolean } {
  const counts = new Map<string, number>()
  if (kept !== undefined)
    for (const { hash } of segmentsOf(kept)) counts.set(hash, (counts.get(hash) ?? 0) + 1)
  return {
    delete(hash) {
      const count = counts.get(hash) ?? 0
      if (count > 0) counts.set(hash, count - 1)
      return count > 0
    },
  }
}

/**
 * Tells what a request has in common with the one before it, with a digest of both that is computed from the segments
 * themselves.
 */
function unchangedIn({ before, shared }: KeptCall, segments: readonly Segment[]): Unchanged | undefined {
  if (before === undefined) return undefined
  const same = segments.slice(0, shared)
  return {
    since: before.n,
    segments: shared,
    of: before.length,
    tokens: same.reduce((sum, { tokens }) => sum + tokens, 0),
    bytes: same.reduce((sum, segment) => sum + bytesOf(segment), 0),
    before: digest(segmentsOf(before).slice(0, shared)),
    now: digest(same),
  }
}

function digest(segments: readonly Segment[]): string {
  const print = new Fingerprint()
  for (const { role, value } of segments) print.add(role).add(withoutMarkers(value))
  return print.toString()
}

function replyParts({ call, strand }: KeptCall): CallPage["reply"] {
  const parts = replyIn(call.response, strand.dialect)?.parts ?? []
  return parts.map((part) =>
    part.type === "tool-call"
      ? { kind: "call", name: part.name, text: JSON.stringify(part.input, null, 2) }
      : { kind: part.type, text: part.text },
  )
}

function hitIn(segment: Segment, wanted: string, n: number): Hit | undefined {
  const { text } = pageSegment(segment, true, true)
  const at = text.toLowerCase().indexOf(wanted.toLowerCase())
  if (at < 0 || wanted === "") return undefined
  const start = Math.max(0, at - 60)
  const excerpt = `${start > 0 ? "…" : ""}${text.slice(start, at + wanted.length + 100)}`
  return { n, path: segment.path, role: segment.role, excerpt }
}
