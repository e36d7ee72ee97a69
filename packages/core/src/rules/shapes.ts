import { SottoError } from "../vocabulary/errors.js"
import { lastValue } from "../vocabulary/fact.js"
import { type Json, sameJson } from "../vocabulary/json.js"
import type { Form, Kind } from "../vocabulary/reminder.js"
import type { Signal } from "../vocabulary/signal.js"
import type { DynamicKey } from "./custom.js"
import type { Moment, Rule, Throttle, Utterance } from "./rule.js"
import type { FactFamily, FactKey, SignalType } from "./signals.js"

type SignalName = SignalType | DynamicKey

type Common<K extends Kind> = Omit<Rule<K>, "decide" | "signals" | "onlyOnSignals" | "keyOf">

/** Speaks when a fact differs from what the model was last told of it. */
export interface OnChange<K extends Kind = Kind> extends Common<K> {
  /** A key, or the family of keys that begin with it and a colon. One that is not declared goes through `dynamic`. */
  readonly fact: FactKey | FactFamily | DynamicKey
  /** The first time a value is seen that the system prompt does not state; silent unless given. */
  first?(key: string, value: Json, moment: Moment): readonly Form[]
  /** What to say when a value differs from the one told before. */
  changed(key: string, before: Json, after: Json, moment: Moment): readonly Form[]
  /** What to say when it was removed; silent unless given. */
  gone?(key: string, before: Json, moment: Moment): readonly Form[]
}

/**
 * Makes a rule that tells what changed about a fact. The first value is the baseline: it is in the system prompt, or
 * `first` says it. Afterwards only a difference is told, and a value that went and came back is not.
 *
 * @example
 * ```ts
 * const branch = onChange({
 *   kind: "branch_change",
 *   fact: "branch",
 *   changed: (_, before, after) => [{ line: `The branch changed from ${before} to ${after}.` }],
 * })
 * ```
 */
export function onChange<const K extends Kind>(shape: OnChange<K>): Rule<K> {
  const { fact: family, first, changed, gone, ...common } = shape
  const told = (moment: Moment, key: string): Json | undefined => {
    const pinned = moment.pinned(key)
    return pinned === undefined ? (moment.memo(key) as { value?: Json } | undefined)?.value : pinned
  }
  return {
    ...common,
    decide: (moment) => {
      const known = moment.facts(family)
      if (known.length === 0) return NO_FACT
      return known.flatMap(([key, fact]): Utterance[] => {
        const before = told(moment, key)
        const after = fact.is === "unavailable" ? before : lastValue(fact)
        if (sameJson(before, after)) return []
        if (after === undefined) {
          const was = before as Json
          return [{ key, memo: { was }, forms: gone?.(key, was, moment) ?? [] }]
        }
        const memo = { value: after }
        if (before === undefined) return [{ key, memo, forms: first?.(key, after, moment) ?? [] }]
        return [{ key, memo, forms: changed(key, before, after, moment) }]
      })
    },
  }
}

const NO_FACT: readonly Utterance[] = [{ why: "no fact yet" }]

/** Speaks once of what happened, as one reminder a key. */
export interface OnSignal<K extends Kind = Kind> extends Common<K> {
  /** The types of signal it listens to. One that is not declared goes through `dynamic`. */
  readonly signal: SignalName | readonly SignalName[]
  /** What a signal is about: signals with the same key become one reminder. */
  key?(signal: Signal): string
  /** All that happened to one key since the last boundary, oldest first; nothing if it cancels out. */
  say(signals: readonly [Signal, ...Signal[]], moment: Moment): readonly Form[]
}

/**
 * Makes a rule that tells once what happened. All signals with the same key between two boundaries are one reminder.
 *
 * @example
 * ```ts
 * const ci = onSignal({
 *   kind: "ci_failed",
 *   signal: "ci.failed",
 *   say: (signals) => [{ line: `CI failed ${signals.length} times since the last step.` }],
 * })
 * ```
 */
export function onSignal<const K extends Kind>(shape: OnSignal<K>): Rule<K> {
  const { signal, key: keyOf = () => "", say, ...common } = shape
  return {
    ...common,
    keyOf,
    signals: typeof signal === "string" ? [signal] : signal,
    onlyOnSignals: true,
    decide: (moment) => {
      const byKey = new Map<string, [Signal, ...Signal[]]>()
      for (const one of moment.signals) {
        const key = keyOf(one)
        const others = byKey.get(key)
        if (others) others.push(one)
        else byKey.set(key, [one])
      }
      return [...byKey].map(([key, signals]) => ({ key, forms: say(signals, moment) })).filter(speaks)
    },
  }
}

/** Speaks when so much has passed since something happened, and since it last spoke. */
export interface OnCadence<K extends Kind = Kind> extends Common<K> {
  /** How much has to pass. */
  readonly every: { readonly steps: number } | { readonly turns: number }
  /** The signal that starts the count anew; the start of the session unless given. */
  readonly since?: SignalName
  /** Nothing if there is nothing to say; `short` after the first full one. */
  say(moment: Moment, short: boolean): readonly Form[]
}

/**
 * Makes a rule that speaks at a cadence of steps or turns, if it has something to say then.
 *
 * @example
 * ```ts
 * const tests = onCadence({
 *   kind: "run_tests",
 *   every: { steps: 20 },
 *   since: "tests.run",
 *   say: (_, short) => [{ line: short ? "Run the tests." : "The tests were not run for 20 steps. Run them." }],
 * })
 * ```
 */
export function onCadence<const K extends Kind>(shape: OnCadence<K>): Rule<K> {
  const { every, since, say, ...common } = shape
  const given = Object.entries(every)
  if (given.length !== 1 || !given.every(([unit, n]) => /^(steps|turns)$/.test(unit) && n > 0 && n % 1 === 0))
    throw new SottoError(
      "bad-options",
      `The rule "${shape.kind}" has every = ${JSON.stringify(every)}.`,
      "Write `{ steps: 10 }` or `{ turns: 3 }`, from 1.",
    )
  const throttle: Throttle = { ...every, ...common.throttle }
  return {
    ...common,
    throttle,
    decide: (moment) => {
      const elapsed = moment.since(since ?? "")
      const due = "steps" in every ? elapsed.steps >= every.steps : elapsed.turns >= every.turns
      return due ? [{ forms: say(moment, moment.spoken.lately > 0) }].filter(speaks) : NOT_DUE
    },
  }
}

const NOT_DUE: readonly Utterance[] = [{ why: "not due yet" }]

function speaks({ forms }: { readonly forms: readonly Form[] }): boolean {
  return forms.length > 0
}
