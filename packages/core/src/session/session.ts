import { contentTokens, replyTokens } from "../epoch/epoch.js"
import type { Queued } from "../inbox/inbox.js"
import { type Aside, readAsides, readSummaries } from "../ledger/asides.js"
import { type LedgerRow, readLedger } from "../ledger/ledger.js"
import { readView } from "../ledger/view.js"
import { checkLog } from "../log/check.js"
import {
  type CompactionCause,
  type Entry,
  type Event,
  type Interruption,
  LOG_VERSION,
  type StepEvent,
} from "../log/entry.js"
import { checkTools } from "../prompt/tools.js"
import type { DynamicKey, DynamicSignal } from "../rules/custom.js"
import type { Rule } from "../rules/rule.js"
import type { FactKey, FactValue, KnownSignal } from "../rules/signals.js"
import { type Agent, findAgent, ownModel } from "../vocabulary/agent.js"
import {
  CARRIERS,
  type Capabilities,
  type Carrier,
  capabilitiesOf,
  withoutCarrier,
} from "../vocabulary/capabilities.js"
import type { Dropped, EconomyAccount } from "../vocabulary/economy.js"
import { blankText } from "../vocabulary/errors.js"
import type { Exchange, RebaseReason } from "../vocabulary/exchange.js"
import { type Absent, type Fact, isAbsent, lastValue, observed, sameFact } from "../vocabulary/fact.js"
import { wireId } from "../vocabulary/fields.js"
import { type Json, sameJson } from "../vocabulary/json.js"
import {
  type ContentPart,
  type Delivery,
  isBlank,
  type Message,
  type Origin,
  type Receipt,
  type ToolCallPart,
  toParts,
} from "../vocabulary/message.js"
import type { ModelChoice } from "../vocabulary/model.js"
import { checkTuning, type ModelSettings, tuningOf } from "../vocabulary/model-settings.js"
import type { Kind } from "../vocabulary/reminder.js"
import { EMPTY_REPLY, keepFinished, type Reply, withoutCutCalls } from "../vocabulary/reply.js"
import { FORMAT, type Request } from "../vocabulary/request.js"
import type { Bill, SidePrices, SideQuestion } from "../vocabulary/side.js"
import type { Signal } from "../vocabulary/signal.js"
import type { ToolDefinition } from "../vocabulary/tool.js"
import { decideStep } from "./boundary.js"
import { admitted, findCall } from "./calls.js"
import { judge } from "./economy.js"
import { checked, checkShape } from "./input.js"
import { Journal } from "./journal.js"
import { type Phase, phaseOf } from "./machine.js"
import { isRepeatable } from "./offer.js"
import { configure, type SessionConfig, type SessionOptions } from "./options.js"
import { isOutdated, mustWait } from "./rebase.js"
import { refusals } from "./refusals.js"
import { origin, redoable, stepOfPrompt } from "./rewind.js"
import { sideRequest } from "./side.js"
import { snippable } from "./snip.js"
import { dueIn, type EngineState, exchangesOf, nextNumber, unanswered } from "./state.js"
import { compactionSize, tailFrom } from "./tail.js"

/** What to do now: send a request, wait for tools, or nothing. */
export type Next =
  | { readonly is: "request"; readonly request: Request }
  | { readonly is: "waiting"; readonly calls: readonly ToolCallPart[] }
  | { readonly is: "idle" }

/**
 * What became of a reply or a result. `late`: the session no longer waits for it, because the request was answered,
 * aborted or replaced, or the call has a result already. A late one is dropped: nothing is logged, and the model never
 * sees it.
 */
export type Taken = { readonly taken: true } | { readonly taken: false; readonly why: "late" }

const TAKEN: Taken = { taken: true }
const LATE: Taken = { taken: false, why: "late" }

/** What can be said of a message beside its words. */
export interface SayOptions {
  /** The same id with the same words and origin is the same message. With others it is refused: "id-taken". */
  readonly id?: string
  /** A human unless given: a program that takes messages from a network sets it from the credential used. */
  readonly origin?: Origin
  /** When it reaches the model; "next-step" unless given. */
  readonly delivery?: Delivery
  /** Not shown in the view. */
  readonly hidden?: boolean
  /** Layer 3 of the system prompt, for the turn that this message opens. */
  readonly system?: string
}

/** Facts that are the conversation's own and not the world's: they always go back with it. */
const CONVERSATION_FACTS = ["todos", "invoked"]

/** Ids that the engine gives to messages, results and requests. A caller's own cannot look like them. */
const ENGINE_IDS = /^(said-|req-|r)\d+[.\d-]*$/
const MAKES_REQUESTS = ["step", "carrier", "format"]

/** One conversation. Commands append to the log, and everything else follows from the log. */
export class Session<A extends string = string, K extends Kind = Kind> {
  readonly #options: SessionOptions
  readonly #config: SessionConfig
  readonly #journal: Journal
  /** What the model in flight is known to have said: of no consequence until the call is cut short. */
  #partial: { readonly request: string; readonly kept: Reply | (() => Reply) } | undefined
  /** What will be said of each side request in its bill, by its id. */
  readonly #sides = new Map<string, Bill>()
  /** Use `createSession` or `restoreSession`. `usualRules` gives the rules if the options name none. */
  constructor(options: SessionOptions, log: readonly Entry[], usualRules: () => readonly Rule[]) {
    checkLog(log)
    this.#options = options
    this.#config = configure(options, usualRules)
    this.#journal = new Journal(options, this.#config, log)
    if (log.length === 0) this.#open()
    else findAgent(this.#config.agents, this.#state.agent)
  }

  /** What the session is known by. */
  get id(): string {
    return this.#state.id
  }

  /** What the session waits for. */
  get phase(): Phase {
    return phaseOf(this.#state)
  }

  /** Everything that happened, in order. All else is derived from it. */
  get log(): readonly Entry[] {
    return this.#journal.log
  }

  /** Whether a turn is under way: the model has yet to give its final answer. */
  get isInTurn(): boolean {
    return this.#state.turn !== undefined
  }

  /** The name of the agent that answers next. */
  get agent(): string {
    return this.#state.agent
  }

  /** The id of the model that the next epoch is for. */
  get model(): string {
    return this.#state.model.id
  }

  /** How the model will be asked next: its own tuning, the agent's, and what the user has chosen by hand. */
  get tuning(): ModelSettings {
    return tuningOf(findAgent(this.#config.agents, this.#state.agent), this.#state.model)
  }

  /** Says something to the agent: a prompt when idle, a message for the inbox when a turn is running. */
  say(content: string | readonly ContentPart[], options: SayOptions = {}): Receipt {
    return this.#command(() => {
      const given = checked("say", { content, options })
      const { origin = { kind: "human" }, delivery = "next-step", hidden = false, system } = given.options
      const parts = toParts(given.content)
      const known =
        given.options.id === undefined ? undefined : this.#saidBefore(given.options.id, parts, origin)
      if (known) return known
      const id = given.options.id ?? this.#freeMessageId()
      this.#append({
        type: "said",
        id,
        content: parts,
        origin,
        delivery,
        hidden,
        ...(system !== undefined && { system }),
        ...this.#interrupting(delivery),
      })
      return this.receipt(id) ?? { id, seq: this.#state.seq - 1, state: "queued" }
    })
  }

  /**
   * Runs several commands as one: `onAppend` gets all their entries at once, after the last of them. If it or a command
   * throws, none of them happened. `commands` is done when it returns: it cannot be asynchronous.
   */
  together<T>(commands: () => T): T {
    return this.#journal.together(commands)
  }

  /** Tells what has become of a message. */
  receipt(id: string): Receipt | undefined {
    return this.#state.inbox.receipt(id)
  }

  /**
   * Notes that something happened. The rules that listen to it may speak of it at the next boundary. Signals of your
   * own are declared in `CustomSignals`; one that only the running program knows goes through `dynamic`.
   */
  note(signal: KnownSignal | DynamicSignal): void {
    this.#command(() => {
      const given = checked("note", { signal: signal as Signal })
      const { type, text } = given.signal
      if (type === "critical" && (typeof text !== "string" || isBlank(text)))
        throw blankText("note: signal.text")
      this.#append({ type: "noted", ...given })
    })
  }

  /** Something holds: a value, `unavailable()` or `removed()`. What is known already is not logged again. */
  observe<Key extends FactKey | DynamicKey>(
    key: Key,
    value: Absent | (Key extends DynamicKey ? unknown : FactValue<Key>),
  ): void {
    this.#command(() => {
      const given = checked("observe", { key: key as string, value: isAbsent(value) ? null : value })
      const before = this.#state.facts.get(given.key)
      const fact = observed(isAbsent(value) ? value : (given.value as Json), before)
      if (!sameFact(before, fact)) this.#append({ type: "observed", key: given.key, fact })
    })
  }

  /** Switches the agent from the next step on. The model is told once; the history stays. */
  switchAgent(name: A): void {
    this.#command(() => {
      const agent = findAgent(this.#config.agents, checked("switchAgent", { name }).name)
      if (agent.name !== this.#state.agent)
        this.#append({ type: "agent", name: agent.name, ...this.#broughtBy(agent, this.#state.chosen) })
    })
  }

  /**
   * Switches the model from the next request that can start an epoch, until an agent with a model of its own is
   * switched to. Reasoning of the old model is dropped, because it is bound to the bytes that were sent.
   */
  switchModel(model: ModelChoice): void {
    this.#command(() => {
      const given = checked("switchModel", { model })
      checkTuning(given.model, "The model")
      const { model: used, chosen } = this.#state
      if (!sameJson(given.model, used) || !sameJson(given.model, chosen))
        this.#append({ type: "model", ...given })
    })
  }

  /**
   * Gives up a carrier that the provider does not take from this model: what it carried is said another way from now
   * on.
   */
  refuseCarrier(carrier: Carrier): void {
    this.#command(() => {
      const refused = checked("refuseCarrier", { carrier }).carrier
      if (refused === "user-text") throw refusals.lastCarrier()
      if (!CARRIERS.includes(refused) && !this.capabilities.carriers?.includes(refused))
        throw refusals.unknownCarrier(refused)
      const capabilities = this.#state.epoch?.pins.capabilities
      if (capabilities && sameJson(withoutCarrier(capabilities, refused), capabilities)) return
      const dropped = this.#droppedWith("carrier")
      this.#append({ type: "carrier", refused, ...(dropped.length > 0 && { dropped }) })
    })
  }

  /**
   * Says what to do now. Call it at a boundary. The request stays the same until it is answered or aborted: a retry
   * sends the same bytes.
   */
  next(): Next {
    return this.#command(() => {
      if (this.pending.is === "idle") {
        const step = this.#decideStep()
        if (step) this.#append(step)
      } else if (this.#state.flight !== undefined && isOutdated(this.#state)) this.#reformat()
      return this.pending
    })
  }

  /**
   * What `next()` would return if nothing new were decided: the request that waits for its reply, or the calls that wait
   * for their results. It logs nothing, so it may be read at any time, also inside `onAppend`. After restoring it says
   * where the session stands.
   */
  get pending(): Next {
    const { flight } = this.#state
    if (flight !== undefined) return { is: "request", request: flight }
    const open = unanswered(this.#state)
    return open.length > 0 ? { is: "waiting", calls: open.map(({ call }) => call) } : { is: "idle" }
  }

  /**
   * What the model has said so far, kept if the call is cut short. Not logged: it may be called for every delta. A function
   * is handed in once for each request, and asked when the call is cut short.
   *
   * @example
   * ```ts
   * session.partial(request.id, () => decoder.soFar())
   * ```
   */
  partial(requestId: string, reply: Reply | (() => Reply)): Taken {
    return this.#command(() => {
      checkShape("partial", { requestId, reply })
      if (!this.#awaits(requestId)) return LATE
      const kept = typeof reply === "function" ? reply : { ...reply, parts: [...reply.parts] }
      this.#partial = { request: requestId, kept }
      return TAKEN
    })
  }

  /**
   * Takes what the model answered to a request. A reply that comes after an abort, or after the request was answered or
   * replaced, is not taken. A request that this session never made is an error.
   */
  reply(requestId: string, reply: Reply): Taken {
    return this.#command(() => {
      const given = checked("reply", { requestId, reply })
      if (!this.#awaits(given.requestId)) return LATE
      const kept = admitted(this.#state, withoutCutCalls(given.reply))
      this.#append({ type: "replied", request: given.requestId, reply: kept, ...this.#replyTokens(kept) })
      return TAKEN
    })
  }

  /**
   * Takes what a call returned. When the last result of a step is in, `next` gives the next request. A result that
   * comes after an abort, or for a call that has one, is not taken. A call that the model never made is an error.
   */
  result(
    callId: string,
    output: string | readonly ContentPart[],
    options: { readonly error?: boolean } = {},
  ): Taken {
    return this.#command(() => {
      const given = checked("result", { callId, output, options })
      if (findCall(this.#state.calls, given.callId) === undefined) {
        if (this.#state.callIds.has(given.callId)) return LATE
        const open = unanswered(this.#state).map(({ call }) => call.id)
        throw refusals.unknownCall(given.callId, open)
      }
      const { error = false } = given.options
      const parts = toParts(given.output)
      const { logsTokens, count } = this.#config
      const tokens = logsTokens && { tokens: contentTokens(parts, count) }
      this.#append({ type: "result", callId: given.callId, output: parts, error, ...tokens })
      return TAKEN
    })
  }

  /**
   * Makes a request that asks the model about the conversation: a summary, a title. It begins with the bytes of the newest
   * request that was answered, and adds only a tail, so that the provider reads the rest from its cache. It is no step:
   * nothing is logged, and `next()` goes on as if it had not been asked. Tools stay offered, because withdrawing them would
   * change the first bytes: `refuseCalls` answers a call that comes all the same.
   *
   * Throws "nothing-sent" before the first reply. Ask with a transcript then (`pastOf`), as when it would not fit.
   *
   * @example
   * ```ts
   * const request = session.side({ purpose: "title", ask: "Name this conversation in five words." })
   * session.sideReply(request.id, anthropic.decode(await send(anthropic.encode(request))))
   * ```
   */
  side(question: SideQuestion): Request {
    return this.#command(() => {
      const given = checked("side", { question }).question
      if (isBlank(given.ask)) throw blankText("side: question.ask")
      const request = sideRequest(this.#state, given, `side-${this.#sides.size + 1}`)
      if (request === undefined) throw refusals.nothingSent()
      const { pins, cacheLifetime } = request
      this.#sides.set(request.id, {
        purpose: given.purpose,
        model: pins.model,
        way: "side",
        ...(cacheLifetime !== undefined && { cacheLifetime }),
      })
      return request
    })
  }

  /**
   * Logs what a side request has cost, for the account. Call it for every reply that was paid for: also for one that was
   * cut short or is of no use, and a second time for the reply that `refuseCalls` asked for. `prices` is what the two ways
   * of asking were expected to cost: see `sidePrices` of `@sotto/core/economy`.
   */
  sideReply(requestId: string, reply: Reply, options: { readonly prices?: SidePrices } = {}): void {
    this.#command(() => {
      const given = checked("sideReply", { requestId, reply, options })
      const asked = this.#sides.get(given.requestId)
      if (asked === undefined) throw refusals.noReplyAwaited(given.requestId, undefined)
      const { usage } = given.reply
      this.#append({ type: "billed", ...asked, ...(usage && { usage }), ...given.options })
    })
  }

  /** Logs what another request beside the steps has cost: a transcript's, an attempt's that was charged and failed. */
  bill(bill: Bill): void {
    this.#command(() => this.#append({ type: "billed", ...checked("bill", { bill }).bill }))
  }

  /** Ends the turn where it is. Returns what is still queued, held until the next prompt. */
  abort(reason?: string): readonly Queued[] {
    return this.#command(() => {
      const given = checked("abort", { reason })
      const interrupts = this.#interruption()
      if (this.#state.turn || this.queue().some(({ held }) => !held))
        this.#append({
          type: "aborted",
          ...(given as { reason?: string }),
          ...(interrupts && { interrupts }),
        })
      return this.queue()
    })
  }

  /**
   * Ends the turn because a tool has said so ("task complete", "ask the user"). Open calls are answered with "no result",
   * and the model hears of no interruption. Unlike after `abort`, what is queued is not held: a message that waits for the
   * next step opens the next turn. A request in flight is cut short, and what it had said is kept. Without a turn under way
   * it does nothing. `reason` is kept in the log, for people.
   */
  endTurn(reason?: string): void {
    this.#command(() => {
      const given = checked("endTurn", { reason })
      const interrupts = this.#interruption()
      if (this.#state.turn)
        this.#append({ type: "ended", ...(given as { reason?: string }), ...(interrupts && { interrupts }) })
    })
  }

  /**
   * Calls `listener` after each command that changed the log, once the command is done: it may ask, and give commands
   * of its own. Returns a function that ends that. A loop notices with it that the request that it waits for is no
   * longer awaited.
   */
  watch(listener: () => void): () => void {
    return this.#journal.watch(listener)
  }

  /**
   * Recovers after a crash: calls that may have run are answered "interrupted, outcome unknown"; safe ones can be
   * repeated.
   */
  recover(): void {
    this.#command(() => {
      const lost = unanswered(this.#state).filter(
        ({ call }) => !isRepeatable(this.#state, this.#config, call.name),
      )
      if (lost.length > 0) this.#append({ type: "recovered", calls: lost.map(({ call }) => call.id) })
    })
  }

  /** Lists what was accepted and has not reached the model, in the order of admission. */
  queue(): readonly Queued[] {
    return this.#state.inbox.list()
  }

  /** Lists what of the queue the boundary to come delivers, if nothing else arrives before it. */
  due(): readonly Queued[] {
    return dueIn(this.#state)
  }

  /** Changes a message that was not delivered yet. Returns false if it was delivered or cancelled. */
  edit(
    id: string,
    patch: { readonly content?: string | readonly ContentPart[]; readonly delivery?: Delivery },
  ): boolean {
    return this.#command(() => {
      const given = checked("edit", { id, patch })
      if (this.#state.inbox.get(given.id) === undefined) return false
      const { content, delivery } = given.patch
      this.#append({
        type: "edited",
        id: given.id,
        ...(content !== undefined && { content: toParts(content) }),
        ...(delivery !== undefined && { delivery, ...this.#interrupting(delivery) }),
      })
      return true
    })
  }

  /** Takes a message back. False if it was delivered, or never was. */
  cancel(id: string): boolean {
    return this.#command(() => {
      const given = checked("cancel", { id })
      if (this.#state.inbox.get(given.id) === undefined) return false
      this.#append({ type: "cancelled", ...given })
      return true
    })
  }

  /**
   * Replaces the conversation so far with a summary, but for the newest `tail` tokens of it, from the next request that
   * can start an epoch. An open tool turn whose reasoning has to come back unchanged puts that off until its end,
   * unless `closeTurn` says to close it here, and to go on after. `why` is kept in the log, for people.
   */
  compact(
    summary: string,
    options: { readonly tail?: number; readonly closeTurn?: boolean; readonly why?: CompactionCause } = {},
  ): void {
    this.#command(() => {
      const given = checked("compact", { summary, options })
      if (isBlank(given.summary)) throw refusals.emptySummary()
      const { tail, closeTurn, why } = given.options
      const from = tail === undefined ? undefined : tailFrom(this.#state, tail)
      const tokens = compactionSize(this.#state, given.summary, from)
      this.#append({
        type: "compacted",
        summary: given.summary,
        ...(from !== undefined && { from }),
        ...(closeTurn && mustWait(this.#state) && { closes: true }),
        ...(why !== undefined && { why }),
        ...(tokens && { tokens }),
      })
    })
  }

  /**
   * Lists the exchanges that a compaction that keeps the newest `tail` tokens would replace. `pastOf` says what was
   * said in them.
   */
  exchanges(tail = 0): readonly Exchange[] {
    return exchangesOf(this.#state).slice(0, tailFrom(this.#state, tail))
  }

  /** What is sent, as far as is known, in tokens; how much of it is system prompt and tools; how much the model takes. */
  get context(): { readonly tokens: number; readonly head: number; readonly window: number } {
    const { all, head } = this.#state.epoch?.tokens ?? { all: 0, head: 0 }
    return { tokens: all, head, window: this.capabilities.contextWindow }
  }

  /**
   * What the economy's account said at the last step, and whether a summary pays by it: then compact. Undefined without an
   * economy, and before the first step.
   */
  get economy(): (EconomyAccount & { readonly summaryPays: boolean }) | undefined {
    const { account } = this.#state
    const { economy } = this.#config
    return account && economy && { ...account, summaryPays: economy.summaryPays(account) }
  }

  /** When the provider's cache was last used: by a step, a reply or a side request. Undefined before the first. */
  get cacheUsedAt(): number | undefined {
    return this.#state.cacheUsedAt
  }

  /** What the model accepts, as far as is known: of the present epoch, else of the model that comes next. */
  get capabilities(): Capabilities {
    const { epoch, model } = this.#state
    return epoch?.pins.capabilities ?? { ...capabilitiesOf(model), ...model.capabilities }
  }

  /** Reads a fact as it was last observed; undefined if nothing is known or it is gone. */
  fact(key: string): Json | undefined {
    const fact = this.#state.facts.get(key)
    return fact && lastValue(fact)
  }

  /** Lists every fact of a family that was ever observed, by key: of "tools", "tools:github" and so on. */
  facts(family: string): readonly (readonly [key: string, fact: Fact])[] {
    return this.#state.facts.family(family)
  }

  /**
   * Goes back to before the turn that this prompt opened: what came after is neither sent nor shown any more. What is
   * queued stays queued, and what holds goes on holding, but for facts of the conversation itself: its todos, the
   * skills it invoked, and the further families given.
   */
  rewind(to: string, options: { readonly facts?: readonly string[] } = {}): void {
    this.#command(() => {
      const given = checked("rewind", { to, options })
      if (this.#state.turn || this.#state.flight) throw refusals.rewindWhile(this.phase)
      const step = stepOfPrompt(this.#journal.log, given.to)
      if (step === undefined || !this.#state.transcript.some(({ id }) => id === given.to))
        throw refusals.noPrompt(given.to)
      const facts = [...new Set([...CONVERSATION_FACTS, ...(given.options.facts ?? [])])]
      this.#append({ type: "rewound", to: given.to, step, facts })
    })
  }

  /**
   * Takes the newest rewind back that was not taken back yet: the conversation is as it was before it. Throws once
   * something new was sent. What holds goes on holding, as with `rewind`.
   */
  redo(options: { readonly facts?: readonly string[] } = {}): void {
    this.#command(() => {
      const given = checked("redo", { options })
      if (this.#state.turn || this.#state.flight) throw refusals.rewindWhile(this.phase)
      const rewound = redoable(this.#journal.log)
      if (rewound === undefined) throw refusals.nothingToRedo()
      const before = origin(this.#journal.log, rewound)
      const facts = [...new Set([...CONVERSATION_FACTS, ...(given.options.facts ?? [])])]
      this.#append({ type: "redone", before, facts })
    })
  }

  /** Offers these tools from now on: in the list of the next epoch, or sooner where the provider can be told. */
  offerTools(tools: readonly ToolDefinition[]): void {
    this.#command(() => {
      const given = checked("offerTools", { tools })
      checkTools(given.tools)
      const before = this.#state.tools ?? this.#config.given
      if (!sameJson(given.tools, before)) this.#append({ type: "tools", ...given })
    })
  }

  /** Switches a kind off, or on again, from the next step. */
  setReminder(kind: K, on: boolean): void {
    this.#command(() => {
      const given = checked("setReminder", { kind, on })
      const rule = this.#config.rules.find((one) => one.rule.kind === given.kind)
      if (rule === undefined) throw refusals.unknownKind(given.kind)
      const isOn = this.#state.switched.get(given.kind) ?? rule.enabled
      if (isOn !== given.on) this.#append({ type: "kind", ...given })
    })
  }

  /** Drops what the ids and the ranges "first..last" name, from the next request that can start an epoch. */
  snip(ids: readonly string[]): { readonly removed: readonly string[]; readonly refused: readonly string[] } {
    return this.#command(() => {
      const given = checked("snip", { ids })
      const found = given.ids.map((id) => [id, snippable(this.#state, id)] as const)
      const removed = [...new Set(found.flatMap(([, named]) => named))]
      if (removed.length > 0) this.#append({ type: "snipped", ids: removed })
      return { removed, refused: found.flatMap(([id, named]) => (named.length === 0 ? [id] : [])) }
    })
  }

  /** Adopts a transcript. Messages at its end without a reply wait as prompts. */
  importMessages(messages: readonly Message[]): void {
    this.#command(() => {
      const given = checked("importMessages", { messages })
      if (this.phase !== "idle") throw refusals.importWhile(this.phase)
      this.#append({ type: "imported", ...given })
    })
  }

  /**
   * Takes in entries that another program has appended to the same log, so that a session that is only read keeps up
   * with it. `onAppend` does not hear of them. Entries that the session has already are passed over.
   */
  follow(entries: readonly Entry[]): void {
    this.#command(() => {
      const fresh = entries.filter(({ seq }) => seq >= this.#state.seq)
      if (!this.#journal.follow(fresh)) throw refusals.gap(this.#state.seq)
    })
  }

  /** Shows what a person sees: their own raw words, the replies, and nothing synthetic. */
  view(): readonly Message[] {
    return readView(this.#state.transcript)
  }

  /** Lists every reminder that was told, or those of the `newest` steps. */
  asides(newest?: number): readonly Aside[] {
    return readAsides(newest === undefined ? this.#state.pages : this.#state.pages.slice(-newest))
  }

  /** Lists every summary that a compaction has put in the place of what was said, or those of the `newest` steps. */
  summaries(newest?: number): readonly Aside[] {
    return readSummaries(newest === undefined ? this.#state.pages : this.#state.pages.slice(-newest))
  }

  /** Lists every row, or those of step n of the newest turn that had one. */
  ledger(step?: number): readonly LedgerRow[] {
    return readLedger(this.#state.pages, step)
  }

  #open(): void {
    const { agent, model, newId } = this.#config
    checkTuning(model, "The model")
    const id = newId()
    const nonce = this.#options.nonce ? newId() : undefined
    // It stands in a tag's attribute, and is worth nothing if it can be guessed from the session's id.
    if (nonce !== undefined && (nonce === id || wireId(nonce) !== nonce))
      throw refusals.badNonce(nonce === id)
    this.#append({
      type: "opened",
      version: LOG_VERSION,
      id,
      agent: agent.name,
      model,
      ...this.#broughtBy(agent, model),
      ...(nonce !== undefined && { nonce }),
    })
  }

  get #state(): EngineState {
    return this.#journal.state
  }

  #command<T>(run: () => T): T {
    return this.#journal.command(run)
  }

  /**
   * Decides a step in the present format: if it neither waits nor begins an epoch, everything before it is placed anew
   * first.
   */
  #decideStep(): StepEvent | undefined {
    const step = decideStep(this.#state, this.#config)
    if (step === undefined || step.epoch || !isOutdated(this.#state)) return step
    this.#reformat()
    return decideStep(this.#state, this.#config)
  }

  /** Lists what the economy drops with a rebase that takes no step. */
  #droppedWith(reason: RebaseReason): readonly Dropped[] {
    const state = this.#state
    if (state.epoch === undefined) return []
    const agent = findAgent(this.#config.agents, state.agent)
    return judge(state, this.#config, agent, state.facts, [reason])?.dropped ?? []
  }

  #reformat(): void {
    this.#append({ type: "format", format: FORMAT })
  }

  #broughtBy(agent: Agent, chosen: ModelChoice): { readonly own?: ModelChoice } {
    const own = ownModel(agent, chosen)
    return own ? { own } : {}
  }

  #append(event: Event): void {
    this.#journal.append(event)
  }

  /**
   * Finds the receipt of a message that is said again with its own id; undefined for an id that is free. Words and
   * origin have to be the same: anything else said under that id would be lost without a word.
   */
  #saidBefore(id: string, content: readonly ContentPart[], origin: Origin): Receipt | undefined {
    const known = this.receipt(id)
    // The id that this very message would get is fine: a log may be played again, command by command.
    if (known === undefined && (!ENGINE_IDS.test(id) || id === this.#freeMessageId())) return undefined
    const entry = known && this.#journal.log[known.seq]
    if (entry?.type === "said" && sameJson([entry.content, entry.origin], [content, origin])) return known
    throw refusals.idTaken(id)
  }

  /** Makes an id from the sequence number, so that a restored session makes no id twice. */
  #freeMessageId(): string {
    let id = `said-${nextNumber(this.#state)}`
    while (this.receipt(id)) id += "-"
    return id
  }

  /** Only a model call is cut short: while tools run, "now" waits for their results. */
  #interrupting(delivery: Delivery): { readonly interrupts?: Interruption } {
    const interrupts = delivery === "now" ? this.#interruption() : undefined
    return interrupts ? { interrupts } : {}
  }

  #interruption(): Interruption | undefined {
    const request = this.#state.flight?.id
    if (request === undefined) return undefined
    const said = this.#partial?.request === request ? this.#partial.kept : EMPTY_REPLY
    const { reply } = checked("partial", {
      requestId: request,
      reply: typeof said === "function" ? said() : said,
    })
    const kept = admitted(this.#state, keepFinished(reply))
    return { request, kept, ...this.#replyTokens(kept) }
  }

  #replyTokens({ parts }: Reply): { readonly tokens?: number } {
    const { logsTokens, count } = this.#config
    return logsTokens ? { tokens: replyTokens(parts, count) } : {}
  }

  /** True for the request in flight, false for one of the past. Throws for one that this session never made. */
  #awaits(requestId: string): boolean {
    const awaited = this.#state.flight?.id
    if (awaited === requestId) return true
    // A request is named after the entry that made it: a step, or what replaced its carrier or format.
    const made = this.#journal.log[Number(requestId.replace(/^req-/, ""))]
    if (made && requestId === `req-${made.seq}` && MAKES_REQUESTS.includes(made.type)) return false
    throw refusals.noReplyAwaited(requestId, awaited)
  }
}
