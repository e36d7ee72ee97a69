import { filled } from "../text/reminder-text.js"
import { threadOf } from "../vocabulary/agent.js"
import type { TokenCounter } from "../vocabulary/economy.js"
import { reasonOf } from "../vocabulary/errors.js"
import { type Json, ownField, plain } from "../vocabulary/json.js"
import type { RuleOutcome, Silences } from "../vocabulary/ledger-page.js"
import { isBlank } from "../vocabulary/message.js"
import type { Form, Kind, Reminder } from "../vocabulary/reminder.js"
import { exact, flag, json, list, map, maybe, object, text } from "../vocabulary/shape.js"
import type { HeldSignals, MemoRecord, Signal } from "../vocabulary/signal.js"
import { isThenable } from "../vocabulary/synchronous.js"
import { body } from "../vocabulary/value-shape.js"
import { type Candidate, fit, inOrder } from "./budget.js"
import { type Clock, NEVER_AGAIN, type NotedSignal, type RuleMemory } from "./memory.js"
import { appliesTo, type Moment, type Rule, ruleKey, type Utterance } from "./rule.js"
import type { ConfiguredRule } from "./settings.js"

/** What the rules decided at one boundary: everything a restored session needs to know of it. */
export interface RuleDecisions {
  /** In priority order. */
  readonly reminders: readonly Reminder[]
  /** Those that spoke stand first, in the order of the reminders. */
  readonly outcomes: readonly RuleOutcome[]
  readonly memos: readonly MemoRecord[]
  readonly held: readonly HeldSignals[]
  /** Why kinds kept silent that were silent for another reason before, or were not. */
  readonly silences: Silences
}

/** What is the same for every rule at this boundary. */
type Surroundings = Omit<Moment, "signals" | "pinned" | "memo" | "spoken" | "since">

/** What a boundary gives the rules to go by. */
export interface RuleInput {
  readonly rules: readonly ConfiguredRule[]
  readonly memory: RuleMemory
  readonly surroundings: Surroundings
  readonly clock: Clock
  /** What the system prompt states, and since which step. */
  readonly stated: Readonly<Record<string, Json>>
  readonly statedSince: number
  /** Signals that this very step gives rise to. */
  readonly born: readonly NotedSignal[]
  readonly room: number
  readonly count: TokenCounter
  /** Why kinds kept silent when they last did. */
  readonly silences: Silences
}

const NOTHING = { steps: 0, turns: 0 } as const

interface Proposal extends Candidate {
  readonly configured: ConfiguredRule
  readonly utterance: Utterance
  readonly key: string
}

/** Asks every rule, then finds room for what they want to say. */
export function speak(hearing: RuleInput): RuleDecisions {
  const { proposals, silenced, memos, waits, silences } = ask(hearing)
  const { told, overBudget } = findRoom(proposals, hearing)
  const spoke = told.toSorted((a, b) => b.proposal.priority - a.proposal.priority)
  const settledMemos = spoke.flatMap(({ proposal, reminder }): MemoRecord[] =>
    proposal.utterance.memo === undefined ? [] : [[reminder.kind, reminder.key, proposal.utterance.memo]],
  )
  const outcomes: RuleOutcome[] = [
    ...spoke.map(
      ({ reminder: { kind, key, tokens } }) =>
        ({ kind, key, outcome: "spoke", tokens }) satisfies RuleOutcome,
    ),
    ...overBudget,
    ...silenced,
  ]
  return {
    reminders: spoke.map(({ reminder }) => reminder),
    outcomes,
    memos: [...memos, ...settledMemos],
    held: waits.size === 0 ? [] : hold(waits, outcomes),
    silences,
  }
}

function ask(hearing: RuleInput) {
  const { rules, memory, surroundings, born } = hearing
  const proposals: Proposal[] = []
  const silenced: RuleOutcome[] = []
  const memos: MemoRecord[] = []
  const waits = new Map<ConfiguredRule, readonly NotedSignal[]>()
  const silences = new Map<Kind, string>()
  const thread = threadOf(surroundings.agent)
  const keepSilent = (kind: Kind, why: string) => {
    if (ownField(hearing.silences, kind) !== why) silences.set(kind, why)
  }

  for (const configured of rules) {
    const { kind, signals = [], onlyOnSignals } = configured.rule
    if (!configured.enabled) continue
    if (!appliesTo(configured.rule, surroundings.agent, thread)) {
      keepSilent(kind, "not this agent")
      continue
    }
    const waiting = memory.waiting(kind, signals, born)
    if (waiting.length > 0) waits.set(configured, waiting)
    const whenSilent =
      signals.length === 0 || waiting.length > 0
        ? "returned nothing"
        : signals.some((type) => memory.happened(type))
          ? "no new signal"
          : "no signal yet"
    if (waiting.length === 0 && onlyOnSignals) {
      keepSilent(kind, whenSilent)
      continue
    }
    const utterances = utterancesOf(configured, momentFor(kind, waiting, hearing), silenced)
    if (utterances === undefined) continue
    let silence = utterances.length === 0 ? whenSilent : undefined
    let rows = 0
    for (const utterance of utterances) {
      const { key = "", memo, until = throttledUntil(configured, utterance, hearing) } = utterance
      const forms = formsOf(configured, utterance, key)
      if (forms.length > 0 || utterance.until !== undefined) {
        rows++
        if (until !== undefined) silenced.push({ kind, key, outcome: "throttled", until })
        else proposals.push(propose(configured, utterance, key, forms, memory))
        continue
      }
      if (memo !== undefined) memos.push([kind, key, memo])
      const why = whyWithout(utterance)
      if (why === "returned nothing" || key === "") silence ??= why
      else {
        rows++
        silenced.push({ kind, key, outcome: "nothing", why })
      }
    }
    if (rows === 0 && silence !== undefined) keepSilent(kind, silence)
  }
  return { proposals, silenced, memos, waits, silences: Object.fromEntries(silences) }
}

/** Finds until when the throttle keeps a rule silent; undefined if it may speak. */
function throttledUntil(
  { rule, throttle }: ConfiguredRule,
  { anew }: Utterance,
  { memory, clock }: RuleInput,
): string | undefined {
  const { limit } = throttle
  const holding = anew !== true ? throttle : limit === undefined ? {} : { limit }
  return memory.throttledUntil(rule.kind, holding, clock)
}

/**
 * Lists the forms of an utterance as they would be told, without those that say nothing: no provider takes a blank
 * text.
 */
function formsOf({ text }: ConfiguredRule, { forms = [], values }: Utterance, key: string): readonly Form[] {
  const worded =
    text === undefined
      ? forms
      : forms.map((form) => ({ ...form, line: filled(text, { line: form.line, key, ...values }) }))
  return worded.filter(
    ({ line, body }) => !isBlank(line) || !isBlank(body?.text ?? "") || body?.media?.length,
  )
}

function whyWithout({ why, forms = [], memo }: Utterance): string {
  if (forms.length > 0) return "blank"
  return why ?? (memo === undefined ? "no form" : "returned nothing")
}

/** Makes the moment field by field: spreading the surroundings for every rule was most of what a boundary cost. */
function momentFor(kind: Kind, waiting: readonly NotedSignal[], hearing: RuleInput): Moment {
  const { memory, surroundings, clock, stated, statedSince, born } = hearing
  return {
    turn: surroundings.turn,
    step: surroundings.step,
    last: surroundings.last,
    agent: surroundings.agent,
    answeredBy: surroundings.answeredBy,
    agentNamed: surroundings.agentNamed,
    fact: surroundings.fact,
    facts: surroundings.facts,
    age: surroundings.age,
    context: surroundings.context,
    receipt: surroundings.receipt,
    snip: surroundings.snip,
    signals: waiting.map(({ signal }) => signal),
    pinned: (key) => (memory.settledSince(kind, key, statedSince) ? undefined : stated[key]),
    memo: (key = "") => memory.memo(kind, key),
    spoken: memory.spoken(kind),
    since: (type) => (born.some(({ signal }) => signal.type === type) ? NOTHING : memory.since(type, clock)),
  }
}

const UTTERANCE = exact({
  key: maybe(text),
  forms: maybe(list(exact({ line: text, body: maybe(body) }))),
  until: maybe(text),
  anew: maybe(flag),
  memo: maybe(json),
  values: maybe(map(text)),
  why: maybe(text),
})
const VERDICT = object({ utterances: list(UTTERANCE) })

/**
 * Asks a rule. Returns undefined if it throws, or if it does not return a list of utterances: the turn goes on and the
 * ledger says why. Copies what it returns: the rule may change its own later, and the log would not know.
 */
function utterancesOf(
  configured: ConfiguredRule,
  moment: Moment,
  silenced: RuleOutcome[],
): readonly Utterance[] | undefined {
  try {
    const decided = configured.rule.decide(moment)
    if (isThenable(decided)) throw new Error("decide() returned a promise: a rule has to decide at once")
    // Most rules are silent at most steps.
    if (Array.isArray(decided) && decided.length === 0) return []
    const utterances = plain({ utterances: decided })
    const wrong = VERDICT(utterances)
    if (wrong !== undefined) throw new Error(wrong)
    return utterances.utterances
  } catch (error) {
    silenced.push({
      kind: configured.rule.kind,
      outcome: "failed",
      error: reasonOf(error).replace(/^\./, ""),
    })
    return undefined
  }
}

function propose(
  configured: ConfiguredRule,
  utterance: Utterance,
  key: string,
  forms: readonly Form[],
  memory: RuleMemory,
): Proposal {
  const { rule, priority } = configured
  return {
    configured,
    utterance,
    key,
    priority,
    exempt: rule.exempt ?? false,
    deferredAt: memory.deferredAt(rule.kind, key),
    forms,
  }
}

function findRoom(proposals: readonly Proposal[], { room, count }: RuleInput) {
  const told: { readonly proposal: Proposal; readonly reminder: Reminder }[] = []
  const overBudget: RuleOutcome[] = []
  const spent = new Map<Kind, number>()
  let left = room
  for (const proposal of inOrder(proposals)) {
    const { key, configured } = proposal
    const { kind, trust = "harness" } = configured.rule
    const before = spent.get(kind) ?? 0
    const fitting = fit(proposal, Math.min(left, configured.budget - before), count)
    if ("overBudget" in fitting) {
      overBudget.push({ kind, key, outcome: "over-budget", tokens: fitting.overBudget })
      continue
    }
    const { form, tokens } = fitting
    if (!proposal.exempt) left -= tokens
    spent.set(kind, before + tokens)
    const carrier = configured.carrier
    told.push({ proposal, reminder: { kind, key, trust, ...form, tokens, ...(carrier && { carrier }) } })
  }
  return { told, overBudget }
}

/** A rule that fails for good must not make each step of the log longer than the one before. */
const MOST_MISSED = 100

/** Signals whose reminder was throttled or did not fit, or whose rule failed, go on waiting; the others are dealt with. */
function hold(
  waits: ReadonlyMap<ConfiguredRule, readonly NotedSignal[]>,
  outcomes: readonly RuleOutcome[],
): HeldSignals[] {
  const unsettled = new Set(
    outcomes.flatMap((row) => {
      const waitsOn =
        row.outcome === "over-budget" || (row.outcome === "throttled" && row.until !== NEVER_AGAIN)
      return waitsOn ? [ruleKey(row.kind, row.key)] : []
    }),
  )
  const failed = new Set(outcomes.flatMap(({ kind, outcome }) => (outcome === "failed" ? [kind] : [])))
  if (unsettled.size + failed.size === 0) return []
  return [...waits].flatMap(([{ rule }, waiting]): HeldSignals[] => {
    const held = failed.has(rule.kind)
      ? waiting.slice(-MOST_MISSED)
      : waiting.filter(({ signal }) => unsettled.has(ruleKey(rule.kind, keyOf(rule, signal))))
    return held.length === 0 ? [] : [[rule.kind, held.map(({ seq }) => seq)]]
  })
}

/** Asks a rule what a signal is about. One that cannot say is taken to have one key for all. */
function keyOf(rule: Rule, signal: Signal): string {
  try {
    return String(rule.keyOf?.(signal) ?? "")
  } catch {
    return ""
  }
}
