import type { Json } from "../vocabulary/json.js"
import type { RuleOutcome } from "../vocabulary/ledger-page.js"
import type { Kind } from "../vocabulary/reminder.js"
import type { HeldSignals, MemoRecord, Signal } from "../vocabulary/signal.js"
import { type Elapsed, ruleKey, type Throttle } from "./rule.js"

/** Counts that cadence goes by: steps of any turn, and turns that a human opened. */
export interface Clock {
  readonly steps: number
  readonly turns: number
}

export function tick(clock: Clock, opensHumanTurn: boolean): Clock {
  return { steps: clock.steps + 1, turns: clock.turns + (opensHumanTurn ? 1 : 0) }
}

export interface NotedSignal {
  readonly seq: number
  readonly signal: Signal
}

/** When and how often a kind has spoken. */
interface Voice {
  readonly ever: number
  /** Since the last compaction. */
  readonly lately: number
  readonly last: Clock | undefined
}

interface Memo {
  readonly value: Json
  /** The step that settled it. */
  readonly step: number
}

/** What the rules need to have remembered for them. All of it follows from the log. */
export class RuleMemory {
  #memos = new Map<string, Memo>()
  #voices = new Map<Kind, Voice>()
  #happened = new Map<string, Clock>()
  #deferred = new Map<string, number>()
  #fresh: NotedSignal[] = []
  #held = new Map<Kind, readonly NotedSignal[]>()

  note(noted: NotedSignal, clock: Clock): void {
    this.#fresh.push(noted)
    this.#happened.set(noted.signal.type, clock)
  }

  /** Adopts what waits to be told, of another memory too, without what `isMoot` says is not worth telling any more. */
  adopt(other: RuleMemory, isMoot: (signal: Signal) => boolean): void {
    const waiting = [...this.#fresh, ...other.#fresh, ...[...other.#held.values()].flat()]
    const bySeq = new Map(waiting.map((noted) => [noted.seq, noted]))
    this.#fresh = [...bySeq.values()].filter(({ signal }) => !isMoot(signal)).sort((a, b) => a.seq - b.seq)
  }

  /** Signals that wait for a rule: what was throttled or did not fit, then what is new. */
  waiting(kind: Kind, types: readonly string[], born: readonly NotedSignal[]): readonly NotedSignal[] {
    const held = this.#held.get(kind) ?? []
    if (this.#fresh.length + born.length === 0) return held
    return [...held, ...[...this.#fresh, ...born].filter(({ signal }) => types.includes(signal.type))]
  }

  memo(kind: Kind, key: string): Json | undefined {
    return this.#memos.get(ruleKey(kind, key))?.value
  }

  /** True if the rule has settled anything about the key since the given step. */
  settledSince(kind: Kind, key: string, step: number): boolean {
    return (this.#memos.get(ruleKey(kind, key))?.step ?? -1) >= step
  }

  spoken(kind: Kind): { readonly ever: number; readonly lately: number } {
    return this.#voices.get(kind) ?? { ever: 0, lately: 0 }
  }

  /** True once a signal of this type has come. */
  happened(signalType: string): boolean {
    return this.#happened.has(signalType)
  }

  since(signalType: string, now: Clock): Elapsed {
    const then = this.#happened.get(signalType) ?? { steps: 0, turns: 0 }
    return { steps: now.steps - then.steps, turns: now.turns - then.turns }
  }

  /** Says until when a kind has to keep silent, in words; undefined if it may speak. */
  throttledUntil(kind: Kind, throttle: Throttle, now: Clock): string | undefined {
    const voice = this.#voices.get(kind)
    if (throttle.limit !== undefined && (voice?.ever ?? 0) >= throttle.limit) return NEVER_AGAIN
    if (voice?.last === undefined) return undefined
    const steps = (throttle.steps ?? 0) - (now.steps - voice.last.steps)
    const turns = (throttle.turns ?? 0) - (now.turns - voice.last.turns)
    if (steps > 0) return `in ${steps} ${steps === 1 ? "step" : "steps"}`
    if (turns > 0) return `in ${turns} ${turns === 1 ? "turn" : "turns"}`
    return undefined
  }

  /** Gives the place in the line of what did not fit before: the lower, the longer it has waited. */
  deferredAt(kind: Kind, key: string): number | undefined {
    return this.#deferred.get(ruleKey(kind, key))
  }

  /** Takes in what a step decided. */
  settle(step: SettledStep, clock: Clock): void {
    for (const [kind, key, value] of step.memos)
      this.#memos.set(ruleKey(kind, key), { value, step: clock.steps })
    const spoke = step.outcomes.filter(({ outcome }) => outcome === "spoke")
    for (const kind of new Set(spoke.map((row) => row.kind))) {
      const voice = this.#voices.get(kind) ?? { ever: 0, lately: 0, last: undefined }
      this.#voices.set(kind, { ever: voice.ever + 1, lately: voice.lately + 1, last: clock })
    }
    if (this.#fresh.length > 0 || this.#held.size > 0) this.#hold(step.held)
    this.#defer(step.outcomes, clock)
  }

  /** Copies the memory as it will be once a summary has replaced what was told before `firstKeptStep`. */
  forgetting(kinds: readonly Kind[], firstKeptStep: number): RuleMemory {
    const copy = new RuleMemory()
    copy.#memos = new Map(this.#memos)
    copy.#voices = new Map(this.#voices)
    copy.#happened = this.#happened
    copy.#deferred = this.#deferred
    copy.#fresh = this.#fresh
    copy.#held = this.#held
    copy.forget(kinds, firstKeptStep)
    return copy
  }

  /** Forgets what a summary has replaced: these kinds will have to tell again what they told before `firstKeptStep`. */
  forget(kinds: readonly Kind[], firstKeptStep: number): void {
    for (const kind of kinds) {
      const voice = this.#voices.get(kind)
      if (voice?.last !== undefined && voice.last.steps < firstKeptStep)
        this.#voices.set(kind, { ever: voice.ever, lately: 0, last: undefined })
      for (const [name, memo] of this.#memos)
        if (name.startsWith(ruleKey(kind, "")) && memo.step < firstKeptStep) this.#memos.delete(name)
    }
  }

  #hold(held: readonly HeldSignals[]): void {
    const known = new Map<number, NotedSignal>()
    for (const noted of [...this.#fresh, ...[...this.#held.values()].flat()]) known.set(noted.seq, noted)
    this.#fresh = []
    this.#held = new Map(
      held.map(([kind, seqs]) => [kind, seqs.flatMap((seq) => known.get(seq) ?? [])] as const),
    )
  }

  #defer(outcomes: readonly RuleOutcome[], clock: Clock): void {
    const names = new Set(
      outcomes.flatMap((row) => (row.outcome === "over-budget" ? [ruleKey(row.kind, row.key)] : [])),
    )
    for (const name of this.#deferred.keys()) if (!names.has(name)) this.#deferred.delete(name)
    for (const name of names) if (!this.#deferred.has(name)) this.#deferred.set(name, clock.steps)
  }
}

/** What a step decided, as far as the rules have to remember it. */
export interface SettledStep {
  readonly memos: readonly MemoRecord[]
  readonly outcomes: readonly RuleOutcome[]
  readonly held: readonly HeldSignals[]
}

export const NEVER_AGAIN = "the session ends"
