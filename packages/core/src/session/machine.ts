/**
 * The state machine of a session. `fold` takes in one entry of the log, and nothing else changes the state.
 *
 * 1. A session is in one of four phases, and `phaseOf` reads the phase from the state: no field holds it.
 *      idle               waits for a prompt
 *      ready              waits for the harness to call `next()`
 *      awaiting-reply     a request is out, and waits for `reply()`
 *      awaiting-results   the reply made calls, and waits for a `result()` for each
 * 2. `TRANSITIONS` lists every entry that can lead from one phase to another, and the command that writes it. All other
 *    entries leave the phase as it is.
 * 3. The work of a turn goes round one circle: ready -> awaiting-reply -> awaiting-results -> ready. It leaves the circle
 *    for idle when nothing is in flight, owed or steering. `settleTurn` finds that out after every entry.
 * 4. A request goes out from `ready` only, and only a `step` makes one. That is the boundary.
 *
 * What could be better: whether a turn goes on is spread over `goesOn`, `calls` and the inbox, so that `phaseOf` has to ask
 * all three.
 */

import { Epoch } from "../epoch/epoch.js"
import { MARKERS, OUTCOMES } from "../epoch/markers.js"
import { cutLine } from "../epoch/place.js"
import { carryOver, compactionSignal, firstDropped, firstKeptStep } from "../epoch/rebase.js"
import type { Queued } from "../inbox/inbox.js"
import type { Entry, Interruption } from "../log/entry.js"
import { layerThree, SYSTEM_FACT } from "../prompt/layers.js"
import { tick } from "../rules/memory.js"
import { estimateTokens } from "../text/tokens.js"
import type { EconomyAccount } from "../vocabulary/economy.js"
import type { Delivered, Group } from "../vocabulary/exchange.js"
import { sameJson } from "../vocabulary/json.js"
import { rosterNow } from "../vocabulary/ledger-page.js"
import type { AssistantPart } from "../vocabulary/message.js"
import type { ModelChoice } from "../vocabulary/model.js"
import type { CacheDiagnostics } from "../vocabulary/reply.js"
import type { Request } from "../vocabulary/request.js"
import { adopt } from "./adopt.js"
import { answerAll, claimCalls, findCall, resultOf } from "./calls.js"
import { replaceCarrier, replaceFormat } from "./carrier.js"
import { isSameHead } from "./economy.js"
import {
  type EngineState,
  exchangesOf,
  hasResults,
  isOwed,
  nextNumber,
  type OpenCall,
  unanswered,
} from "./state.js"

/** What a session waits for: a prompt, a call of `next`, a reply, or results. */
export type Phase = "idle" | "ready" | "awaiting-reply" | "awaiting-results"

export function phaseOf(state: EngineState): Phase {
  if (state.flight) return "awaiting-reply"
  if (unanswered(state).length > 0) return "awaiting-results"
  const ready = state.turn ? isOwed(state) || state.inbox.steers : state.inbox.forTurn().length > 0
  return ready ? "ready" : "idle"
}

/** A change of phase: the entry that makes it, the commands that write that entry, and the phases before and after. */
export interface Transition {
  readonly entry: Entry["type"]
  readonly by: string
  readonly from: Phase
  readonly to: readonly Phase[]
}

/** Every change of phase. A test plays random histories and finds no other change, and each of these. */
export const TRANSITIONS: readonly Transition[] = [
  { entry: "said", by: "say", from: "idle", to: ["ready"] },
  { entry: "imported", by: "importMessages", from: "idle", to: ["ready"] },
  { entry: "edited", by: "edit", from: "idle", to: ["ready"] },
  { entry: "step", by: "next", from: "ready", to: ["awaiting-reply"] },
  { entry: "cancelled", by: "cancel", from: "ready", to: ["idle"] },
  { entry: "edited", by: "edit", from: "ready", to: ["idle"] },
  { entry: "aborted", by: "abort", from: "ready", to: ["idle"] },
  { entry: "ended", by: "endTurn", from: "ready", to: ["idle"] },
  { entry: "replied", by: "reply", from: "awaiting-reply", to: ["awaiting-results", "ready", "idle"] },
  // A message whose delivery is "now" cuts the request short.
  { entry: "said", by: "say", from: "awaiting-reply", to: ["ready"] },
  { entry: "edited", by: "edit", from: "awaiting-reply", to: ["ready"] },
  { entry: "aborted", by: "abort", from: "awaiting-reply", to: ["idle"] },
  { entry: "ended", by: "endTurn", from: "awaiting-reply", to: ["ready", "idle"] },
  { entry: "result", by: "result", from: "awaiting-results", to: ["ready"] },
  { entry: "recovered", by: "recover", from: "awaiting-results", to: ["ready"] },
  { entry: "aborted", by: "abort", from: "awaiting-results", to: ["idle"] },
  { entry: "ended", by: "endTurn", from: "awaiting-results", to: ["ready", "idle"] },
]

type Of<T extends Entry["type"]> = Extract<Entry, { type: T }>

/** Takes one entry in. The only place where state changes, and it goes by the log alone. */
export function fold(state: EngineState, entry: Entry): void {
  const number = nextNumber(state)
  state.seq = entry.seq + 1
  apply(state, entry, number)
  if (usesCache(entry)) state.cacheUsedAt = entry.at
  settleTurn(state)
}

/** True if the provider has read or written the session's cache. */
function usesCache(entry: Entry): boolean {
  return (
    entry.type === "step" || entry.type === "replied" || (entry.type === "billed" && entry.way === "side")
  )
}

/** Changes the state. `number` makes ids that the model may see: unique in the session, whatever was billed beside it. */
function apply(state: EngineState, entry: Entry, number: number): void {
  switch (entry.type) {
    case "opened":
      state.id = entry.id
      state.agent = entry.agent
      state.chosen = entry.model
      state.model = entry.own ?? entry.model
      state.nonce = entry.nonce
      break
    case "said":
      if (entry.interrupts) interrupt(state, entry.interrupts, number)
      state.inbox.admit(queuedFrom(entry))
      break
    case "edited":
      if (entry.interrupts) interrupt(state, entry.interrupts, number)
      state.inbox.edit(entry.id, entry.content, entry.delivery)
      break
    case "cancelled":
      state.inbox.cancel(entry.id)
      break
    case "noted":
      state.memory.note(entry, state.clock)
      break
    case "observed":
      state.facts.set(entry.key, entry.fact, state.clock.steps)
      break
    case "agent":
      state.agent = entry.name
      useModel(state, entry.own ?? state.chosen)
      break
    case "model":
      state.chosen = entry.model
      useModel(state, entry.model)
      break
    case "step":
      takeStep(state, entry)
      break
    case "replied":
      takeReply(state, entry.reply.parts, { ...entry, number }, MARKERS.emptyReply)
      goOnAfter(state, entry)
      if (entry.reply.diagnostics) diagnose(state, entry.reply.diagnostics)
      break
    case "result":
      takeResult(state, entry, number)
      break
    case "aborted":
      abort(state, entry, number)
      break
    case "ended":
      if (entry.interrupts)
        takeReply(state, entry.interrupts.kept.parts, { ...entry.interrupts, number }, MARKERS.endedTurn)
      answer(state, number, OUTCOMES.ended)
      endTurn(state, MARKERS.endedTurn)
      break
    case "recovered":
      state.memory.note({ seq: entry.seq, signal: { type: "session.recovered" } }, state.clock)
      answer(state, number, OUTCOMES.unknown, ({ call }) => entry.calls.includes(call.id))
      break
    case "compacted":
      compact(state, entry)
      break
    case "billed":
      state.billed++
      break
    case "snipped":
      for (const id of entry.ids) state.snipped.add(id)
      break
    case "carrier":
      replaceCarrier(state, entry.refused, entry.seq, entry.dropped)
      break
    case "format":
      replaceFormat(state, entry.format, entry.seq)
      break
    case "imported":
      takeImport(state, entry, number)
      break
    case "tools":
      state.tools = entry.tools
      state.toolsDue = true
      break
    case "kind":
      state.switched.set(entry.kind, entry.on)
      break
    case "rewound":
    case "redone":
      // Another state takes over: `take` sees to it, because it needs the log.
      break
  }
}

function useModel(state: EngineState, model: ModelChoice): void {
  state.modelSwitched ||= !sameJson(model, state.model)
  state.model = model
}

/** Ends the turn when nothing is in flight, owed or steering: found out after every entry, never by asking. */
function settleTurn(state: EngineState): void {
  if (state.turn === undefined || state.flight || unanswered(state).length > 0) return
  if (!state.turn.last && (isOwed(state) || state.inbox.steers)) return
  endTurn(state, state.turn.last ? MARKERS.lastStep : MARKERS.closedTurn)
}

function endTurn(state: EngineState, marker: string): void {
  closeCalls(state, marker)
  state.goesOn = undefined
  state.turn = undefined
}

/** Results that no step will carry any more go up with a marker for a reply, so that what follows starts clean. */
function closeCalls(state: EngineState, marker: string): void {
  if (state.calls.length === 0) return
  state.epoch?.open({ results: results(state), messages: [], reminders: [], ordinal: state.clock.steps })
  state.epoch?.close([], undefined, marker)
  state.calls = []
}

function compact(state: EngineState, { seq, summary, from, closes }: Of<"compacted">): void {
  // A request in flight and its reply come after what the summary could have seen.
  const all = exchangesOf(state).length - (state.flight ? 1 : 0)
  if (closes) {
    closeCalls(state, MARKERS.compactedTurn)
    state.goesOn = true
  }
  state.compaction = { seq, summary, from: Math.min(from ?? all, all) }
}

function takeStep(state: EngineState, step: Of<"step">): void {
  const opensTurn = state.turn === undefined
  const queued = step.delivered.flatMap(({ id }) => state.inbox.deliver(id, step.step) ?? [])
  const layer = layerThree(queued, opensTurn, state.facts.get(SYSTEM_FACT))
  if (layer) state.facts.set(SYSTEM_FACT, layer, state.clock.steps)
  state.clock = tick(state.clock, opensTurn && queued.some(isHuman))

  if (step.epoch?.reasoning === "close") {
    closeCalls(state, MARKERS.thriftyTurn)
    state.goesOn = "dropped"
  }
  const { compaction } = state
  const summary = step.epoch ? startEpoch(state, step.epoch) : undefined
  if (step.economy) state.account = step.economy
  const { epoch } = state
  if (epoch === undefined) return
  const group: Group = {
    ...(summary !== undefined && { summary }),
    results: results(state),
    messages: queued.map(({ id, origin, content }, i): Delivered => {
      const { frame, content: cut } = step.delivered[i] ?? {}
      return { id, origin, content: cut ?? content, ...(frame && { frame }) }
    }),
    reminders: step.reminders,
    ...(step.tools && { tools: step.tools }),
    ...goingOn(state, queued),
    ...counted(step.tokens, summary),
    ordinal: state.clock.steps,
  }
  const from = state.turn?.from ?? epoch.exchanges.length
  const placed = epoch.open(group)
  state.calls = []
  state.goesOn = undefined
  state.toolsDue = false
  state.turns = step.turn
  const wentOnAfter = opensTurn ? [] : (state.turn?.wentOnAfter ?? [])
  state.turn = { number: step.turn, step: step.step, last: step.last, from, wentOnAfter }
  state.flight = {
    id: step.request,
    session: state.id,
    agent: step.agent,
    turn: step.turn,
    step: step.step,
    pins: epoch.pins,
    ...epoch.request(),
    toolChoice: step.last ? "none" : "auto",
    ...(step.sampling && { sampling: step.sampling }),
    ...asksForLifetime(step.economy),
    // Another API knows no reply of this one.
    ...(state.diagnosed &&
      state.diagnosed.dialect === epoch.pins.dialect && { previousMessage: state.diagnosed.message }),
  }
  state.memory.settle(step, state.clock)
  if (step.silences) state.silences = { ...state.silences, ...step.silences }
  state.pages.push({
    turn: step.turn,
    step: step.step,
    roster: rosterNow(epoch.pins.roster, state.switched),
    outcomes: step.outcomes,
    silences: state.silences,
    group,
    ...(step.epoch && compaction && { summary: compaction.summary }),
    carriers: [...placed.frames, ...placed.reminders],
    neutralised: placed.neutralised + (step.epoch ? epoch.pins.neutralised : 0),
    ...(step.economy && { economy: step.economy }),
  })
  for (const { id, content } of queued.filter((message) => isHuman(message) && !message.hidden))
    state.transcript.push({ id, role: "user", parts: content, agent: step.agent })
}

/** Gives what the caller's counter said of a group; estimates a summary that it also has to carry. */
function counted(tokens: number | undefined, summary = ""): Pick<Group, "tokens"> {
  return tokens === undefined ? {} : { tokens: tokens + estimateTokens(summary) }
}

/** Opens the epoch a step begins; returns the summary if it is for the step's own group to carry. */
function startEpoch(state: EngineState, begun: NonNullable<Of<"step">["epoch"]>): string | undefined {
  const { pins, forget } = begun
  const { compaction, snipped } = state
  const before = exchangesOf(state)
  const dropped = new Map(begun.dropped?.map(({ id, text }) => [id, text]))
  const unchanged = unchangedIn(state, begun, dropped)
  const { kept, summary } = carryOver(before, {
    compaction,
    snipped,
    owed: hasResults(state),
    dropped,
    unchanged,
    reasoningFrom: begun.reasoning === "drop" ? (state.turn?.from ?? before.length) : before.length,
  })
  if (compaction) {
    state.memory.forget(forget, firstKeptStep(compaction, before, state.clock.steps))
    state.memory.note(compactionSignal(compaction), state.clock)
  }
  state.epoch = new Epoch(pins, kept, state.clock.steps, begun.tokens, unchanged)
  // Reasoning that the API is asked to drop is still there.
  if (state.turn && begun.reasoning !== "drop") state.turn = { ...state.turn, from: kept.length }
  state.adopted = []
  state.compaction = undefined
  state.snipped.clear()
  state.modelSwitched = false
  state.rewound = false
  return summary
}

/**
 * Counts the exchanges that stand in the new epoch as they did in the one before: only what an economy drops changes.
 */
function unchangedIn(
  { epoch }: EngineState,
  { reasons, pins }: NonNullable<Of<"step">["epoch"]>,
  dropped: ReadonlyMap<string, string>,
): number {
  if (epoch === undefined || reasons.some((reason) => reason !== "economy")) return 0
  return isSameHead(epoch.pins, pins) ? firstDropped(epoch.exchanges, dropped) : 0
}

/** Asks the provider to keep its cache, where it would keep it for less time by itself. */
function asksForLifetime(account: EconomyAccount | undefined): Pick<Request, "cacheLifetime"> {
  return account?.extended ? { cacheLifetime: account.lifetime } : {}
}

function takeReply(
  state: EngineState,
  parts: readonly AssistantPart[],
  { number, tokens }: { readonly number: number; readonly tokens?: number },
  whenEmpty: string,
): void {
  const { flight, epoch } = state
  if (flight === undefined || epoch === undefined) return
  const claimed = claimCalls(state, parts, number)
  epoch.close(claimed.parts, tokens, whenEmpty)
  state.flight = undefined
  state.newest = flight
  if (parts.length > 0) state.answeredBy = flight.agent
  state.calls = claimed.calls
  state.transcript.push({ id: flight.id, role: "assistant", parts: claimed.parts, agent: flight.agent })
  // The model was told that it may not, and no tool runs.
  if (state.turn?.last) answer(state, number, OUTCOMES.refused)
}

/** Puts what the provider says of the cache on the page of the step that it answered. */
function diagnose(state: EngineState, diagnostics: CacheDiagnostics): void {
  state.diagnosed = { message: diagnostics.message, dialect: state.newest?.pins.dialect }
  const page = state.pages.at(-1)
  if (page) state.pages[state.pages.length - 1] = { ...page, diagnostics }
}

/** A provider that pauses more often than this in one turn would be asked, and paid, for ever. */
const mostPauses = 20

/**
 * Continues a paused turn. Continues also, once in a turn each, one whose reply was cut inside a call (the model is
 * told), and one for which the context was full (a harness compacts before the next step).
 */
function goOnAfter(state: EngineState, { reply: { stop, cut = [] }, seq }: Of<"replied">): void {
  const { turn } = state
  if (turn === undefined || turn.last || stop === undefined) return
  const isCut = stop === "length" && cut.length > 0
  if (!isCut && stop !== "overflow" && stop !== "paused") return
  const times = turn.wentOnAfter.filter((one) => one === stop).length
  if (times >= (stop === "paused" ? mostPauses : 1)) return
  state.turn = { ...turn, wentOnAfter: [...turn.wentOnAfter, stop] }
  if (state.calls.length === 0) state.goesOn = isCut ? { cut } : "paused"
  // The other calls of that reply go on by themselves.
  else if (isCut) state.memory.note({ seq, signal: { type: "critical", text: cutLine(cut) } }, state.clock)
}

/**
 * Says why the turn goes on. A message asks the model to go on as well as the harness could, but does not say that a
 * call was cut.
 */
function goingOn({ goesOn }: EngineState, queued: readonly Queued[]): Pick<Group, "goesOn"> {
  return goesOn === undefined || (queued.length > 0 && typeof goesOn !== "object") ? {} : { goesOn }
}

function takeResult(state: EngineState, entry: Of<"result">, number: number): void {
  const open = findCall(state.calls, entry.callId)
  if (open === undefined) return
  const { tokens } = entry
  const result = resultOf(open, `r${number}`, entry.output, entry.error)
  open.result = tokens === undefined ? result : { ...result, tokens }
  show(state, open)
}

function interrupt(state: EngineState, interruption: Interruption, number: number): void {
  takeReply(state, interruption.kept.parts, { ...interruption, number }, MARKERS.interruptedReply)
  answer(state, number, OUTCOMES.notRun)
}

function abort(state: EngineState, { interrupts, reason, seq }: Of<"aborted">, number: number): void {
  if (state.turn)
    state.memory.note({ seq, signal: { type: "turn.aborted", ...(reason && { reason }) } }, state.clock)
  if (interrupts) interrupt(state, interrupts, number)
  answer(state, number, OUTCOMES.aborted)
  endTurn(state, MARKERS.closedTurn)
  state.inbox.hold()
}

function takeImport(state: EngineState, entry: Of<"imported">, number: number): void {
  const { exchanges, unanswered: prompts } = adopt(state, entry.messages, number)
  if (state.epoch === undefined) state.adopted.push(...exchanges)
  else
    for (const { group, reply } of exchanges) {
      state.epoch.open(group)
      state.epoch.close(reply ?? [])
    }
  const waiting = new Set(prompts.map(({ id }) => id))
  for (const message of entry.messages) {
    if (!waiting.has(message.id)) state.transcript.push(message)
    if (message.role === "assistant") state.answeredBy = message.agent ?? state.answeredBy
  }
  prompts.forEach(({ id: given, origin, content }, i) => {
    // Another transcript's ids may be taken here, and the same id would be the same message.
    let id = state.inbox.receipt(given) ? `m${number}.${i}` : given
    while (state.inbox.receipt(id)) id += "-"
    state.inbox.admit({
      id,
      seq: entry.seq,
      content,
      origin,
      delivery: "next-step",
      hidden: false,
      held: false,
    })
  })
}

function queuedFrom({ id, seq, content, origin, delivery, hidden, system }: Of<"said">): Queued {
  return { id, seq, content, origin, delivery, hidden, ...(system !== undefined && { system }), held: false }
}

/** Gives calls that have no result the same one. */
function answer(
  state: EngineState,
  number: number,
  text: string,
  which: (open: OpenCall) => boolean = () => true,
): void {
  const open = unanswered(state).filter(which)
  answerAll(open, number, text)
  for (const call of open) show(state, call)
}

function show(state: EngineState, { result }: OpenCall): void {
  if (result === undefined) return
  const { id, callId, output, error } = result
  const part = { type: "tool-result", callId, output, ...(error && { error }) } as const
  state.transcript.push({ id, role: "tool", parts: [part], agent: state.answeredBy ?? state.agent })
}

function results(state: EngineState) {
  return state.calls.flatMap(({ result }) => result ?? [])
}

function isHuman({ origin }: Queued): boolean {
  return origin.kind === "human"
}
