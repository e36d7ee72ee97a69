import type { Agent, Thread } from "../agent/agent.js"
import { SottoError } from "../errors.js"
import type { Fact } from "../facts/facts.js"
import type { Json } from "../json.js"
import { callable, exactly, flag, list, maybe, number, object, text } from "../log/shape.js"
import { carrier, texts, trust } from "../log/value-shape.js"
import type { Receipt } from "../message/message.js"
import type { Form, Kind, Trust } from "../reminder/reminder.js"
import type { Carrier } from "../wire/capabilities.js"

/** Something that happened. Standard types and their fields are in `signals.ts`; a rule may listen to any other. */
export interface Signal {
  readonly type: string
  readonly [field: string]: unknown
}

/** At least so many steps or human turns between two times, and at most so many times in a session. */
export interface Throttle {
  readonly steps?: number
  readonly turns?: number
  readonly limit?: number
}

/** How much has passed: steps of any turn, and turns that a human opened. */
export interface Elapsed {
  readonly steps: number
  readonly turns: number
}

/** What a rule knows when it decides: this boundary, what is new since the last, and what it told before. */
export interface Moment {
  readonly turn: number
  readonly step: number
  /** The last step this turn may have: tools are forbidden in it. */
  readonly last: boolean
  readonly agent: Agent
  /** The agent whose reply came last, if any has come. */
  readonly answeredBy: Agent | undefined
  /** Signals the rule listens to that wait to be told, oldest first. */
  readonly signals: readonly Signal[]
  fact(key: string): Fact | undefined
  facts(family: string): readonly (readonly [string, Fact])[]
  /** The value of a fact that the system prompt states, unless the rule has settled a newer one since. */
  pinned(key: string): Json | undefined
  /** What the rule noted under this key when it last spoke, or chose to be silent. */
  memo(key?: string): Json | undefined
  /** How often the rule has spoken: ever, and since the last compaction. */
  readonly spoken: { readonly ever: number; readonly lately: number }
  /** Since a signal of this type came; since the session began if none has. */
  since(signalType: string): Elapsed
  /** Steps since a fact was observed to be what it is. */
  age(key: string): number
  readonly context: { readonly tokens: number; readonly window: number }
  /** What has become of a message; at this boundary what is delivered now counts as delivered. */
  receipt(messageId: string): Receipt["state"] | undefined
  /** Whether the model may snip. */
  readonly snip: boolean
}

/** What a rule decides about one key: to speak, fullest form first, or, without forms, to note something silently. */
export interface Utterance {
  /** What it is about; reminders of one rule and key replace each other until told. */
  readonly key?: string
  readonly forms?: readonly Form[]
  /** Not yet: what has to happen first. Its signals go on waiting. */
  readonly until?: string
  readonly memo?: Json
  /** For `{{placeholders}}` in a text of the user's own. */
  readonly values?: Readonly<Record<string, string>>
}

/** Turns signals, facts and cadence into reminders. A plain value: it keeps no state of its own. */
export interface Rule {
  readonly kind: Kind
  decide(moment: Moment): readonly Utterance[]
  /** Types of signal that wait for this rule. */
  readonly signals?: readonly string[]
  /** Whether it has nothing to say, and nothing to note, while none of those waits: then it need not be asked. */
  readonly onlyOnSignals?: boolean
  /** The key a signal is about, so that those of a key that was told stop waiting while others go on. */
  keyOf?(signal: Signal): string
  /** Higher speaks first; 50 unless said. */
  readonly priority?: number
  readonly trust?: Trust
  readonly throttle?: Throttle
  readonly carrier?: Carrier
  /** Must be said whatever the budget: mode changes, the last step, what the user mentions. */
  readonly exempt?: boolean
  /** Off unless the settings name its kind. */
  readonly optIn?: boolean
  /** Names of the agents it applies to; all unless said. */
  readonly agents?: readonly string[]
  readonly threads?: readonly Thread[]
  /** Whether what it has told still counts once a summary has replaced the conversation. */
  readonly afterCompaction?: "keep" | "forget"
  /** Where it comes from, for people: "standard", or the path of a file. */
  readonly source?: string
}

/** A rule, checked. What is written is what runs: nothing is filled in. */
export function defineRule(rule: Rule): Rule {
  const wrong = (what: string, remedy: string) => new SottoError("bad-options", what, remedy)
  if (typeof rule.kind !== "string" || !/^[\w.:-]+$/.test(rule.kind))
    throw wrong(
      `${JSON.stringify(rule.kind) ?? "nothing"} cannot be the kind of a rule.`,
      "Use letters, digits, and _ - . : only.",
    )
  if (typeof rule.decide !== "function")
    throw wrong(
      `The rule "${rule.kind}" does not decide anything.`,
      "Give it a function `decide`, or use a shape.",
    )
  for (const [name, value] of Object.entries(rule.throttle ?? {}))
    if (!(Number.isInteger(value) && value >= 0))
      throw wrong(
        `The rule "${rule.kind}" has throttle.${name} = ${value}.`,
        "Use a whole number of steps, turns or times.",
      )
  const misshapen = FIELDS(rule)
  if (misshapen !== undefined)
    throw new SottoError(
      "bad-input",
      `The rule "${rule.kind}": ${misshapen.slice(1)}.`,
      "See the type Rule for what each field takes.",
    )
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

/** The name that a memo or a deferral goes by. Kinds have no line break, so it cannot be ambiguous. */
export function ruleKey(kind: Kind, key: string): string {
  return `${kind}\n${key}`
}

export function appliesTo(rule: Rule, agent: Agent, thread: Thread): boolean {
  if (rule.agents !== undefined && !rule.agents.includes(agent.name)) return false
  return rule.threads === undefined || rule.threads.includes(thread)
}
