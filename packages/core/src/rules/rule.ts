import type { Agent, ThreadKind } from "../vocabulary/agent.js"
import type { Carrier } from "../vocabulary/capabilities.js"
import { SottoError } from "../vocabulary/errors.js"
import type { Fact } from "../vocabulary/fact.js"
import type { Json } from "../vocabulary/json.js"
import type { Receipt } from "../vocabulary/message.js"
import type { Form, Kind, Trust } from "../vocabulary/reminder.js"
import { callable, exactly, flag, list, maybe, number, object, text } from "../vocabulary/shape.js"
import type { Signal } from "../vocabulary/signal.js"
import { carrier, texts, trust } from "../vocabulary/value-shape.js"

/** The least number of steps or human turns between two times, and the most times in a session. */
export interface Throttle {
  /** Steps that have to pass between two times. */
  readonly steps?: number
  /** Turns of a human that have to pass between two times. */
  readonly turns?: number
  /** How often in a session at the most. */
  readonly limit?: number
}

/** How much has passed: steps of any turn, and turns that a human opened. */
export interface Elapsed {
  readonly steps: number
  readonly turns: number
}

/**
 * What a rule knows when it decides: this boundary, what is new since the last, and what it told before. `Memo` is the
 * type of what the rule notes for itself.
 */
export interface Moment<Memo extends Json = Json> {
  /** The turn, counted from 1. */
  readonly turn: number
  /** The step, counted from 1 within the turn. */
  readonly step: number
  /** The last step this turn may have: tools are forbidden in it. */
  readonly last: boolean
  /** The agent that answers at this step. */
  readonly agent: Agent
  /** The agent whose reply came last, if any has come. */
  readonly answeredBy: Agent | undefined
  /** Finds an agent of the session by its name; undefined if it is gone. */
  agentNamed(name: string): Agent | undefined
  /** Signals the rule listens to that wait to be told, oldest first. */
  readonly signals: readonly Signal[]
  /** Reads what is known of a key; undefined if nothing ever was. */
  fact(key: string): Fact | undefined
  /** Lists everything known of a family of keys, sorted by key. */
  facts(family: string): readonly (readonly [string, Fact])[]
  /** Reads the value of a fact that the system prompt states, unless the rule has settled a newer one since. */
  pinned(key: string): Json | undefined
  /** Reads what the rule noted under this key when it last spoke, or chose to be silent. */
  memo(key?: string): Memo | undefined
  /** How often the rule has spoken: ever, and since the last compaction. */
  readonly spoken: { readonly ever: number; readonly lately: number }
  /** Counts since a signal of this type came; since the session began if none has. */
  since(signalType: string): Elapsed
  /** Steps since a fact was observed to be what it is. */
  age(key: string): number
  /** How much of the context is in use, and how large it is, in tokens. */
  readonly context: { readonly tokens: number; readonly window: number }
  /** What has become of a message; at this boundary what is delivered now counts as delivered. */
  receipt(messageId: string): Receipt["state"] | undefined
  /** Whether the model may snip. */
  readonly snip: boolean
}

/** What a rule decides about one key: to speak, fullest form first, or, without forms, to note something silently. */
export interface Utterance<Memo extends Json = Json> {
  /** What it is about; reminders of one rule and key replace each other until told. */
  readonly key?: string
  /** Ways to say it, fullest first: the first that fits the budget is told. */
  readonly forms?: readonly Form[]
  /** Not yet: what has to happen first. Its signals go on waiting. */
  readonly until?: string
  /** Something began anew: steps and turns of the throttle count from here. A `limit` still holds. */
  readonly anew?: boolean
  /** What the rule wants to remember under this key. It is kept only if the step is. */
  readonly memo?: Memo
  /** For `{{placeholders}}` in a text of the user's own. */
  readonly values?: Readonly<Record<string, string>>
  /** Why nothing is said, where there are no forms: the ledger shows it. */
  readonly why?: string
  /** The words stand in `forms`: `forms: [{ line }]`. */
  readonly line?: never
  /** Outside text stands in `forms`: `forms: [{ line, body }]`. */
  readonly body?: never
  /** The words stand in `forms`: `forms: [{ line }]`. */
  readonly text?: never
}

/**
 * Turns signals, facts and cadence into reminders. A plain value: it keeps no state of its own, because the session
 * remembers for it (`memo`). Write one with `onChange`, `onSignal`, `onCadence` or `defineRule`.
 */
export interface Rule<K extends Kind = Kind, Memo extends Json = Json> {
  /** Its name, in settings and in the ledger. Each kind has one rule. */
  readonly kind: K
  /** Called at every boundary. Returns what to say, or nothing. */
  decide(moment: Moment<Memo>): readonly Utterance<NoInfer<Memo>>[]
  /** Types of signal that wait for this rule. */
  readonly signals?: readonly string[]
  /** Whether it has nothing to say, and nothing to note, while none of those waits: then it need not be asked. */
  readonly onlyOnSignals?: boolean
  /** The key a signal is about, so that those of a key that was told stop waiting while others go on. */
  keyOf?(signal: Signal): string
  /** Higher speaks first; 50 unless said. */
  readonly priority?: number
  /**
   * Whose words its reminders carry; the harness's unless said. Untrusted ones never travel with system authority.
   */
  readonly trust?: Trust
  /** How often it may speak; as often as it likes unless said. */
  readonly throttle?: Throttle
  /** How its reminders travel, where the model takes that. */
  readonly carrier?: Carrier
  /** Must be said whatever the budget: mode changes, the last step, what the user mentions. */
  readonly exempt?: boolean
  /** Off unless the settings name its kind. */
  readonly optIn?: boolean
  /** Names of the agents it applies to; all unless said. */
  readonly agents?: readonly string[]
  /** Whether it speaks in main conversations, in those of subagents, or in both, which is usual. */
  readonly threads?: readonly ThreadKind[]
  /** Whether what it has told still counts once a summary has replaced the conversation. */
  readonly afterCompaction?: "keep" | "forget"
  /** The program that speaks, for the paragraph that explains reminders. */
  readonly product?: string
  /** Where it comes from, for people: "standard", or the path of a file. */
  readonly source?: string
}

/**
 * Checks a rule. What is written is what runs: nothing is filled in. A rule that remembers something gives its memo a
 * type by the type of the moment.
 *
 * @example
 * ```ts
 * const budget = defineRule({
 *   kind: "budget",
 *   decide: ({ context, memo }: Moment<{ told: number }>) => {
 *     if (context.tokens < 2 * (memo()?.told ?? 10_000)) return []
 *     return [{ memo: { told: context.tokens }, forms: [{ line: `${context.tokens} tokens are in use.` }] }]
 *   },
 * })
 * ```
 */
export function defineRule<const K extends Kind, Memo extends Json = Json>(
  rule: Rule<K, Memo>,
): Rule<K, Memo> {
  const wrong = (what: string, remedy: string) => new SottoError("bad-options", what, remedy)
  if (typeof rule.kind !== "string" || !/^[\w.:-]+$/.test(rule.kind))
    throw wrong(
      `${JSON.stringify(rule.kind) ?? "nothing"} cannot be the kind of a rule.`,
      "Use letters, digits, and _ - . : only.",
    )
  if (typeof rule.decide !== "function")
    throw wrong(`The rule "${rule.kind}" does not decide anything.`, "Give it a function `decide`.")
  for (const [name, value] of Object.entries(rule.throttle ?? {}))
    if (!["steps", "turns", "limit"].includes(name) || !(Number.isInteger(value) && value >= 0))
      throw wrong(
        `The rule "${rule.kind}" has throttle.${name} = ${value}.`,
        "Use `steps`, `turns` or `limit`, each a whole number.",
      )
  const misshapen = FIELDS(rule)
  if (misshapen !== undefined)
    throw new SottoError("bad-input", `The rule "${rule.kind}": ${misshapen.slice(1)}.`, "See the type Rule.")
  return rule
}

const FIELDS = object({
  signals: maybe(texts),
  onlyOnSignals: maybe(flag),
  keyOf: maybe(callable),
  priority: maybe(number),
  trust: maybe(trust),
  carrier: maybe(carrier),
  exempt: maybe(flag),
  optIn: maybe(flag),
  agents: maybe(texts),
  threads: maybe(list(exactly("main", "subagent"))),
  afterCompaction: maybe(exactly("keep", "forget")),
  source: maybe(text),
})

/** Makes the name that a memo or a deferral goes by. Kinds have no line break, so it cannot be ambiguous. */
export function ruleKey(kind: Kind, key: string): string {
  return `${kind}\n${key}`
}

export function appliesTo(rule: Rule, agent: Agent, thread: ThreadKind): boolean {
  if (rule.agents !== undefined && !rule.agents.includes(agent.name)) return false
  return rule.threads === undefined || rule.threads.includes(thread)
}
