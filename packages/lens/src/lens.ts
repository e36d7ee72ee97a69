import { agreesWith, type CacheChanges } from "@sotto/core/cache"
import { stringField } from "@sotto/core/dialect"
import type { Call, HttpDialectName, SourceDamage, SourceFormat } from "./call.js"
import { breakOf } from "./compare/break.js"
import { changesOf, comparedIn } from "./compare/changes.js"
import type { Difference } from "./compare/compare.js"
import { cachedBy, missedTokens, missedUnchanged } from "./compare/expiry.js"
import { lostBefore, marksOf, outOfReach } from "./compare/markers.js"
import { Notebook } from "./findings/notebook.js"
import type { Prices } from "./money/prices.js"
import { type Reported, reportedBy } from "./money/response.js"
import { secretsIn } from "./problems/secrets.js"
import { tagProblems } from "./problems/tags.js"
import { problemsOf } from "./problems/validate.js"
import { type Break, figure, type Report, type ThreadTokens } from "./report.js"
import { countsTokens, dialectOf, modelIn } from "./segments/dialect.js"
import { slotsOf } from "./segments/slots.js"
import type { Snapshot } from "./segments/snapshot.js"
import { reportOf, type Sources } from "./summary.js"
import { type Assigned, assign } from "./threads/assign.js"
import { LiveThreads } from "./threads/live.js"
import { OpenStrands } from "./threads/open.js"
import { Strand, type Sums } from "./threads/strand.js"

/** What a lens is told about how to count and to price. */
export interface LensOptions {
  /** What models cost. Without it, costs are told in tokens of plain input. */
  readonly prices?: Prices
  /** False leaves out what the provider's validator would say: for requests that are known to be valid. */
  readonly validates?: boolean
}

/** Reads calls one by one, in the order in which they were made, and explains them. */
export interface Lens {
  /** Says what kind of recording a source is. Without it, a source is taken for bodies or calls. */
  source(name: string, format: SourceFormat): void
  /** Takes one more call, and returns the break that it makes, if any. */
  push(call: Call): readonly Break[]
  /**
   * Gives what is known of the newest call that was taken, for people who watch. Undefined if it was not a call to a
   * model.
   */
  newest(): CallSeen | undefined
  /** Takes note of something in a source that could not be read. */
  damage(damage: SourceDamage): void
  /** Reports everything so far. More calls may follow. */
  report(): Report
}

/** One call as it is seen when it comes, before it is known what follows it. */
export interface CallSeen {
  /** The thread that it belongs to by what is known so far. The report may join two threads, or tell them apart. */
  readonly thread: string
  /** Counted from 1 within the thread. */
  readonly call: number
  readonly model: string
  /** True if it only asks how long a prompt is. */
  readonly countsTokens: boolean
  /** Absent if the provider refused the call, or nothing is known of its tokens. */
  readonly tokens?: ThreadTokens
}

/** A call as the lens has read it, for what shows calls one by one. */
export interface CallReading {
  readonly call: Call
  readonly strand: Strand
  /** Counted from 1 within the strand. */
  readonly number: number
  readonly model: string
  readonly snapshot: Snapshot
  /** The request before it in its strand, or in the one that it branched off. */
  readonly before?: Snapshot
  readonly tokens: Omit<ThreadTokens, "reported"> & { readonly output?: number; readonly reported: boolean }
  readonly failed: boolean
  readonly difference?: Difference
  readonly break?: Break
}

/** Makes a lens that reads calls one by one, so that a report can be had at any time. */
export function createLens(options: LensOptions = {}, onRead?: (reading: CallReading) => void): Lens {
  const sources: Sources = new Map()
  const open = new OpenStrands()
  const strands: Strand[] = []
  const counts = new Map<string, Strand>()
  const notebook = new Notebook()
  const live = new LiveThreads()
  let sequence = 0
  let newest: CallSeen | undefined

  const sourceOf = (name: string) => {
    const known = sources.get(name)
    if (known !== undefined) return known
    const source = { format: undefined, seen: "bodies" as const, calls: 0 }
    sources.set(name, source)
    return sources.get(name) ?? source
  }

  return {
    source(name, format) {
      sourceOf(name).format = format
    },
    push(call) {
      const source = sourceOf(call.source)
      source.calls++
      newest = undefined
      if (call.response !== undefined || call.at !== undefined) source.seen = "calls"
      if (call.partial)
        notebook.add(
          "partial-source",
          `${call.source} is a session file: only part of each request is known.`,
        )
      const dialect = dialectOf(call)
      if (dialect === undefined) {
        const message = `Call ${call.number} of ${call.source} is no request that the lens knows.`
        notebook.add("unknown-request", message)
        return []
      }
      return read(call, dialect, ++sequence)
    },
    newest: () => newest,
    damage({ source, number, message }) {
      sourceOf(source)
      notebook.addDamage(source, number, message)
    },
    report: () => reportOf(sources, [...strands, ...counts.values()], notebook, options.prices),
  }

  function read(call: Call, dialect: HttpDialectName, place: number): readonly Break[] {
    const { body } = call.sent ?? call
    const model = stringField(body, "model") ?? call.model ?? modelIn(call.path) ?? ""
    const slots = slotsOf(body, dialect, model === "" ? undefined : model)
    const assigned = assign(call, slots, dialect, countsTokens(call.path) ? [] : open.of(call.source))
    if (countsTokens(call.path)) return countTokens(call, model, place, assigned)
    const strand = assigned.type === "continues" ? assigned.strand : begin(call, model, place, assigned)
    const failed = isFailed(call)
    const reported = reportedBy(call.response, dialect)
    strand.calls++
    strand.last = place
    newest = { ...live.seen(strand), model, countsTokens: false }
    const before = strand.tip
    examine(call, strand, assigned, model)
    if (assigned.type === "continues") tellLastCall(strand, assigned)
    const previous =
      assigned.type === "begins" ? undefined : assigned.type === "branches" ? assigned.strand.tip : before
    const reading = {
      call,
      strand,
      number: strand.calls,
      model,
      snapshot: assigned.snapshot,
      ...(previous !== undefined && previous !== assigned.snapshot && { before: previous }),
    }
    if (failed) {
      onRead?.({ ...reading, failed, tokens: UNTAKEN })
      return []
    }
    const difference =
      assigned.type === "continues" && strand.wasTaken ? differenceOf(assigned, reported, call) : undefined
    const compared = comparedIn((call.sent ?? call).body)
    const isCompared = compared !== undefined && compared === strand.tipId && !call.partial
    const changes =
      assigned.type === "continues" && strand.wasTaken && isCompared
        ? changesOf(difference, before, assigned.snapshot)
        : undefined
    tellDiagnosis(strand, reported, difference, changes)
    const sums = { ...strand.sums }
    count(strand, assigned.snapshot, reported, difference, call)
    const tokens = tokensSince(sums, strand, reported)
    const { output: _, ...counted } = tokens
    if (tokens.sent > 0) newest = { ...newest, tokens: counted }
    strand.entries = entriesAfter(strand.entries, difference, assigned.snapshot, before)
    strand.tip = assigned.snapshot
    strand.wasTaken = true
    strand.until =
      call.at !== undefined && call.ms !== undefined ? call.at + call.ms : Number.NEGATIVE_INFINITY
    strand.tipId = reported.id
    if (reported.id !== undefined) strand.responseId = reported.id
    open.touch(strand)
    if (difference === undefined) {
      onRead?.({ ...reading, failed, tokens })
      return []
    }
    const found = breakOf(difference, call, strand.calls)
    strand.breaks.push(found)
    onRead?.({ ...reading, failed, tokens, difference, break: found })
    return [found]
  }

  function begin(
    call: Call,
    model: string,
    place: number,
    assigned: Exclude<Assigned, { type: "continues" }>,
  ): Strand {
    const branch = assigned.type === "branches" ? assigned : undefined
    const strand = new Strand(
      call,
      model,
      place,
      assigned.snapshot,
      branch?.strand,
      branch?.isParallel ?? false,
    )
    strands.push(strand)
    open.touch(strand)
    return strand
  }

  /** Takes the token counts of a source as one thread, which costs nothing. */
  function countTokens(call: Call, model: string, place: number, { snapshot }: Assigned): readonly Break[] {
    const known = counts.get(call.source)
    const strand = known ?? new Strand(call, model, place, snapshot, undefined, true)
    if (known === undefined) counts.set(call.source, strand)
    strand.calls++
    strand.last = place
    strand.countsTokens = true
    strand.close()
    newest = { ...live.seen(strand), model, countsTokens: true }
    return []
  }

  /** Looks at what is new in a call. */
  function examine(call: Call, strand: Strand, assigned: Assigned, model: string): void {
    const { snapshot } = assigned
    const where = { strand, call: strand.calls }
    const known = new Set(assigned.type === "begins" ? [] : assigned.strand.tip.cached)
    for (const segment of snapshot.cached) {
      if (known.has(segment)) continue
      for (const id of tagProblems(segment))
        notebook.add(id, `The result at ${segment.path} ${SAYS[id]}.`, where)
      for (const name of secretsIn(segment))
        notebook.add("secret", `${segment.path} contains what looks like a secret (${name}).`, where)
    }
    if (call.partial || options.validates === false) return
    for (const { severity, path, message } of problemsOf(call, snapshot.dialect, model)) {
      const id = severity === "error" ? "invalid-request" : "unknown-field"
      notebook.add(id, message.startsWith(path) ? message : `${path}: ${message}`, where)
    }
  }

  /**
   * Tells of a last call that forbids tools. Only Anthropic documents that its cache depends on the choice of tools.
   */
  function tellLastCall(
    strand: Strand,
    { compared, snapshot }: Extract<Assigned, { type: "continues" }>,
  ): void {
    const { lostToLastCall = 0 } = compared
    if (lostToLastCall === 0 || snapshot.dialect !== "anthropic") return
    const tokens = figure(lostToLastCall)
    const message = `Call ${strand.calls} is the last of its turn and forbids tools with tool_choice: about ${tokens} tokens of the conversation are processed again in this one call.`
    notebook.add("last-call", message, { strand, call: strand.calls })
  }

  function differenceOf(
    { strand, snapshot, compared }: Extract<Assigned, { type: "continues" }>,
    { usage }: Reported,
    call: Call,
  ): Difference | undefined {
    if (compared.difference !== undefined) return priced(compared.difference, strand, snapshot)
    const wasRead =
      usage !== undefined && strand.cached !== undefined && usage.read >= strand.cached.tokens * 0.9
    const reach = wasRead || call.partial ? undefined : outOfReach(strand.entries, snapshot)
    return reach ?? (usage && missedUnchanged(strand.cached, usage, call.at, snapshot, strand.isPartial))
  }

  function count(
    strand: Strand,
    snapshot: Snapshot,
    { usage }: Reported,
    difference: Difference | undefined,
    call: Call,
  ): void {
    const { sums } = strand
    const use = strand.predict?.(snapshot)
    const where = { strand, call: strand.calls }
    strand.tally.add(snapshot)
    // A session file does not tell which blocks shared a message.
    if (!call.partial) strand.siblings.add(snapshot, strand.calls)
    sums.answered++
    if (usage !== undefined) {
      const { plain, read, written } = usage
      sums.reported++
      sums.sent += plain + read + written
      sums.read += read
      sums.written += written
      sums.missed += missedTokens(strand.cached, usage)
      if (
        difference === undefined &&
        use !== undefined &&
        strand.calls > 1 &&
        use.read >= FEWEST &&
        read * 2 < use.read
      )
        notebook.add(
          "cache-disagreement",
          `The provider read ${figure(read)} tokens from its cache in call ${strand.calls}; by its rules it would be ${figure(use.read)}.`,
          where,
        )
      strand.cached = cachedBy(usage, snapshot, { body: (call.sent ?? call).body, at: call.at })
    } else if (use !== undefined) {
      sums.sent += use.total
      sums.read += use.read
      sums.written += use.written
      sums.missed += Math.max(use.missed, use.total >= FEWEST ? (difference?.lostTokens ?? 0) : 0)
    }
  }

  /**
   * Tells what the provider says of its cache, beside what the lens has found. `changes` are since the call that the
   * provider has compared; undefined if that is not the one before.
   */
  function tellDiagnosis(
    strand: Strand,
    { diagnosis }: Reported,
    difference: Difference | undefined,
    changes: CacheChanges | undefined,
  ): void {
    if (diagnosis === undefined) return
    const where = { strand, call: strand.calls }
    const { reason = "nothing changed", tokens } = diagnosis
    const missed = tokens === undefined ? "" : `, ${figure(tokens)} tokens missed`
    const own = difference?.cause ?? "no break"
    const both = `The provider says of call ${strand.calls}: ${reason}${missed}; the lens: ${own}.`
    const disagrees =
      changes !== undefined &&
      difference?.cause !== "expired" &&
      agreesWith(diagnosis.reason, changes) === false
    if (disagrees) notebook.add("diagnosis-disagrees", both, where)
    else if (diagnosis.reason !== undefined) notebook.add("provider-diagnosis", both, where)
  }
}

/** The provider took nothing. */
const UNTAKEN = { sent: 0, read: 0, written: 0, missed: 0, reported: false }

function tokensSince(before: Sums, { sums }: Strand, { usage }: Reported): CallReading["tokens"] {
  return {
    sent: sums.sent - before.sent,
    read: sums.read - before.read,
    written: sums.written - before.written,
    missed: sums.missed - before.missed,
    ...(usage && { output: usage.output }),
    reported: usage !== undefined,
  }
}

/** Adds to a difference all that it makes the provider process again. */
function priced(difference: Difference, strand: Strand, now: Snapshot): Difference {
  if (now.dialect !== "anthropic" || strand.isPartial || difference.lostTokens === 0) return difference
  const { entries, sums } = strand
  // What was never cached cannot be lost.
  if (entries.length === 0 && sums.read + sums.written === 0) return { ...difference, lostTokens: 0 }
  return { ...difference, lostTokens: difference.lostTokens + lostBefore(difference, entries, now) }
}

/** The fewest tokens that a provider caches. */
const FEWEST = 1_024

const SAYS = {
  "forged-reminder": "contains a reminder amid what the tool said",
  "unbalanced-reminder": "contains a reminder's tag without its counterpart",
} as const

/** True if the provider refused the call, or it never came back: nothing of it was cached. */
function isFailed({ response, error }: Call): boolean {
  if (response === undefined) return error !== undefined
  return (response.status ?? 200) >= 400
}

/** Lists the breakpoints that the cache may hold after a call: the earlier ones before the difference, and its own. */
function entriesAfter(
  entries: readonly number[],
  difference: Difference | undefined,
  now: Snapshot,
  before: Snapshot,
): readonly number[] {
  const kept =
    difference === undefined || difference.cause === "markers-out-of-reach"
      ? entries
      : entries.filter((entry) => entry < commonStart(before, now))
  return [...new Set([...kept, ...marksOf(now)])]
}

function commonStart({ cached: before }: Snapshot, { cached: now }: Snapshot): number {
  let i = 0
  while (i < before.length && i < now.length && before[i]?.hash === now[i]?.hash) i++
  return i
}

/** Explains the calls of a whole trace. */
export function check(calls: Iterable<Call>, options: LensOptions = {}): Report {
  const lens = createLens(options)
  for (const call of calls) lens.push(call)
  return lens.report()
}
