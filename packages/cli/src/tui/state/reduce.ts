import { type Json, SUMMARY, summaryText } from "@sotto/core"
import type { AccountFigures, AttachedEvent, HarnessEvent } from "@sotto/harness"
import { rebaseText } from "../../output/words.js"
import { finishedBlocks } from "../markdown/blocks.js"
import type { RunningCall, Screen, ScreenEvent, ScreenItem, Todo, Told, WaitingMessage } from "./screen.js"
import { NOTHING_USED, used } from "./tally.js"

const PROGRESS_LINES = 4

export function emptyScreen(session: string, agent: string, model: string): Screen {
  return {
    ...{ session, agent, model, think: undefined, items: [], text: "", goesOn: false, reasoning: undefined },
    ...{
      calls: [],
      incoming: [],
      typed: undefined,
      waiting: [],
      attached: [],
      todos: [],
      turn: undefined,
      tally: NOTHING_USED,
    },
    background: 0,
  }
}

/** Counts a request. Only a step of the session itself says how full its context is. */
function usageTold(screen: Screen, event: Extract<HarnessEvent, { type: "usage" }>): Screen {
  const { purpose, session, output, account } = event
  const told = withAccount(screen, account)
  if (purpose !== "step" || session !== undefined) return told
  return {
    ...told,
    tally: used(told.tally, event),
    turn: told.turn && { ...told.turn, output: told.turn.output + output },
  }
}

function withAccount(screen: Screen, account: AccountFigures | undefined): Screen {
  return account === undefined ? screen : { ...screen, tally: { ...screen.tally, account } }
}

/** Returns what the screen shows after an event. `now` is in milliseconds. */
export function reduce(screen: Screen, event: HarnessEvent | ScreenEvent, now: number): Screen {
  switch (event.type) {
    case "session":
      return { ...screen, session: event.id }
    case "untrusted":
      return noticed(screen, `this folder is not trusted; left out: ${event.items.length}`)
    case "step":
      return begun(settled(screen, now), event.n, now)
    case "text":
      return streamed(screen, event.text, now)
    case "reasoning":
      return thought(screen, event.text, now)
    case "tool-call": {
      const { id, name, input } = event
      const call: RunningCall = {
        ...{ id, name, input, startedAt: now, asked: undefined, waited: 0, progress: [] },
      }
      const before = settled(screen, now)
      return { ...before, incoming: [], calls: [...before.calls, call] }
    }
    case "tool-input": {
      const { type: _, ...call } = event
      const others = screen.incoming.filter(({ id }) => id !== call.id)
      return { ...withoutRetry(screen), incoming: [...others, call] }
    }
    case "asked":
      return changedCall(screen, event.call, (call) => ({ ...call, asked: call.asked ?? now }))
    case "answered":
      return changedCall(screen, event.call, (call) => ({
        ...call,
        asked: undefined,
        waited: waitOf(call, now),
      }))
    case "progress":
      return progressed(screen, event.id, event.line)
    case "tool-result":
      return finished(screen, event, now)
    case "attached":
      return screen.waiting.some(({ id }) => id === event.message)
        ? { ...screen, attached: [...screen.attached, event] }
        : push(screen, attachedItem(event))
    case "delivered":
      return delivered(screen, event.id, event.step)
    case "cancelled":
      return { ...screen, waiting: screen.waiting.filter(({ id }) => id !== event.id) }
    case "waiting":
      return { ...screen, waiting: event.waiting }
    case "reminder":
      return isShown(screen, event) ? screen : push(screen, { is: "aside", told: toldOf(event) })
    case "compacted": {
      const { type: _, ...done } = event
      return push(screen, { is: "compacted", done })
    }
    case "agent":
      return noticed({ ...screen, agent: event.name }, `agent: ${event.name}`)
    case "model-is": {
      const { model, window, think } = event
      return {
        ...screen,
        model,
        think,
        tally: { ...screen.tally, window: window ?? screen.tally.window },
      }
    }
    case "account-is":
      return withAccount(screen, event.account)
    case "search":
      return noticed(screen, `searched the web: ${event.query}`)
    case "rebase":
      return noticed(screen, rebaseText(event.reason))
    case "usage":
      return usageTold(screen, event)
    case "retry":
      return retried(screen, event, now)
    case "interrupted":
      return interrupted(settled(screen, now))
    case "turn-end":
      return withAccount(ended(settled(screen, now), event, now), event.account)
    case "error":
      return push(settled(screen, now), { is: "notice", tone: "error", text: event.message })
    case "notice":
      return noticed(settled(screen, now), event.message)
    case "line":
      return push(screen, { is: "notice", tone: event.tone, text: event.text })
    case "page":
      return push(screen, { is: "page", markdown: event.markdown })
    case "question":
      return push(screen, { is: "question", question: event.question })
    case "task-over": {
      const { type: _, ...over } = event
      return push(screen, { is: "task", ...over })
    }
    case "typed-begins":
      return { ...screen, typed: { command: event.command, startedAt: now, progress: [] } }
    case "typed-prints": {
      const { typed } = screen
      const progress = [...(typed?.progress ?? []), event.line].slice(-PROGRESS_LINES)
      return typed === undefined ? screen : { ...screen, typed: { ...typed, progress } }
    }
    case "typed-ends": {
      const { command, output, failed } = event
      return push({ ...screen, typed: undefined }, { is: "typed", ran: { command, output, failed } })
    }
    case "background":
      return { ...screen, background: event.running }
    // What was queued, asked and taken back is told with its content, by the events above, the open questions and the view.
    case "queued":
    case "ask":
    case "rewound":
    case "redone":
    case "restored":
      return screen
  }
}

function push(screen: Screen, ...items: readonly ScreenItem[]): Screen {
  return items.length === 0 ? screen : { ...screen, items: [...screen.items, ...items] }
}

function noticed(screen: Screen, text: string): Screen {
  return push(screen, { is: "notice", tone: "quiet", text })
}

function begun(screen: Screen, step: number, now: number): Screen {
  const { retry: _, ...turn } = screen.turn ?? { startedAt: now, output: 0 }
  return { ...screen, goesOn: false, incoming: [], turn: { ...turn, step } }
}

/** Blocks that are finished are printed; the last one may still grow. */
function streamed(screen: Screen, delta: string, now: number): Screen {
  const before = withoutRetry(withoutReasoning(screen, now))
  const text = before.text + delta.replaceAll("\r", "")
  if (!delta.includes("\n") || !isWorthLooking(text.length, delta.length)) return { ...before, text }
  const { done, rest: growing, joined } = finishedBlocks(text)
  if (done.trim() === "") return { ...before, text }
  return { ...push(before, textItem(done, before)), goesOn: joined ? "joined" : true, text: growing }
}

function textItem(text: string, { goesOn }: Pick<Screen, "goesOn">): ScreenItem {
  return { is: "text", text, first: goesOn === false, ...(goesOn === "joined" && { joined: true }) }
}

/** True if a long block has grown by a sixteenth: a list is one block to its end. */
function isWorthLooking(length: number, added: number): boolean {
  if (length < 1024) return true
  const step = 2 ** Math.floor(Math.log2(length)) / 16
  return Math.floor(length / step) !== Math.floor((length - added) / step)
}

function thought(screen: Screen, delta: string, now: number): Screen {
  const { text, since } = screen.reasoning ?? { text: "", since: now }
  return { ...withoutRetry(screen), reasoning: { text: text + delta, since } }
}

function withoutReasoning(screen: Screen, now: number): Screen {
  const { reasoning } = screen
  if (reasoning === undefined) return screen
  const rest = { ...screen, reasoning: undefined }
  if (reasoning.text.trim() === "") return rest
  const seconds = (now - reasoning.since) / 1000
  return push(rest, { is: "reasoning", text: reasoning.text.trim(), seconds })
}

/** Prints what streamed in: nothing more will be said in this breath. */
function settled(screen: Screen, now: number): Screen {
  const { text, ...rest } = withoutReasoning(screen, now)
  const still = { ...rest, text: "" }
  if (text.trim() === "") return still
  return { ...push(still, textItem(text, rest)), goesOn: true }
}

function progressed(screen: Screen, id: string, line: string): Screen {
  return changedCall(screen, id, (call) => ({
    ...call,
    progress: [...call.progress, line].slice(-PROGRESS_LINES),
  }))
}

function changedCall(screen: Screen, id: string, change: (call: RunningCall) => RunningCall): Screen {
  return { ...screen, calls: screen.calls.map((call) => (call.id === id ? change(call) : call)) }
}

/** Milliseconds that a call has waited for its permission. */
function waitOf({ asked, waited }: RunningCall, now: number): number {
  return waited + (asked === undefined ? 0 : now - asked)
}

/** Seconds that a call has run: what it waited for its permission does not count. */
export function ranFor(call: RunningCall, now: number): number {
  return (now - call.startedAt - waitOf(call, now)) / 1000
}

function finished(
  screen: Screen,
  { id, output, error = false }: { readonly id: string; readonly output: string; readonly error?: boolean },
  now: number,
): Screen {
  const running = screen.calls.find((call) => call.id === id)
  if (running === undefined) return screen
  const { name, input } = running
  const call = { id, name, input, output, error, seconds: ranFor(running, now) }
  return push(
    {
      ...screen,
      calls: screen.calls.filter((one) => one !== running),
      todos: (!error && todosOf(call)) || screen.todos,
    },
    { is: "call", call },
  )
}

/** Puts a message in its place among what was said, in the words it was written in. */
function delivered(screen: Screen, id: string, step: number): Screen {
  const message = screen.waiting.find((one) => one.id === id)
  if (message === undefined) return screen
  const rest = {
    ...screen,
    waiting: screen.waiting.filter((one) => one !== message),
    attached: screen.attached.filter((one) => one.message !== id),
  }
  const brought = screen.attached.filter((one) => one.message === id).map(attachedItem)
  return push(rest, { is: "user", id, text: message.text, ...(step > 1 && { step }) }, ...brought)
}

function attachedItem({ name, what }: AttachedEvent): ScreenItem {
  return { is: "attached", name, what }
}

/** True of a summary that was shown when the compaction was done. */
function isShown({ items }: Screen, { kind, text }: Told): boolean {
  if (kind !== SUMMARY) return false
  const last = items.findLast((item) => item.is === "compacted")
  return last?.is === "compacted" && text === summaryText(last.done.summary)
}

function toldOf({ kind, step, carrier, tokens, text }: Told): Told {
  return { kind, step, carrier, tokens, text }
}

/** Drops what streamed in: the answer comes again from its beginning. */
function retried(
  screen: Screen,
  { reason, seconds, attempt }: Extract<HarnessEvent, { type: "retry" }>,
  now: number,
): Screen {
  const retry = { at: now + seconds * 1000, attempt, reason }
  const turn = screen.turn && { ...screen.turn, retry }
  const fresh = { ...screen, text: "", reasoning: undefined, incoming: [], turn }
  return screen.goesOn ? { ...noticed(fresh, "the answer broke off and begins again"), goesOn: false } : fresh
}

function interrupted(screen: Screen): Screen {
  const waiting = screen.waiting.map((message): WaitingMessage => ({ ...message, held: true }))
  return { ...screen, waiting }
}

function ended(
  screen: Screen,
  { reason, steps }: Extract<HarnessEvent, { type: "turn-end" }>,
  now: number,
): Screen {
  const { turn } = screen
  const seconds = turn === undefined ? 0 : (now - turn.startedAt) / 1000
  const over = { ...screen, turn: undefined, calls: [], incoming: [] }
  return push(over, ...screen.calls.map((call) => cutShort(call, now)), {
    is: "turn",
    reason,
    steps,
    seconds,
    output: turn?.output ?? 0,
  })
}

function cutShort(running: RunningCall, now: number): ScreenItem {
  const { id, name, input } = running
  const seconds = ranFor(running, now)
  return { is: "call", call: { id, name, input, seconds, output: "interrupted", error: true } }
}

/** Removes the note of a retry: something came, so the request does not wait any more. */
function withoutRetry(screen: Screen): Screen {
  if (screen.turn?.retry === undefined) return screen
  const { retry: _, ...turn } = screen.turn
  return { ...screen, turn }
}

/** Finds the list that a call has set; undefined if the call is about something else. */
function todosOf({
  name,
  input,
}: {
  readonly name: string
  readonly input: Json
}): readonly Todo[] | undefined {
  if (name !== "todo_write" || typeof input !== "object" || input === null || Array.isArray(input))
    return undefined
  const { todos } = input as { readonly todos?: Json }
  if (!Array.isArray(todos)) return undefined
  return todos.flatMap((todo) => {
    const { content, status } = (todo ?? {}) as { readonly content?: unknown; readonly status?: unknown }
    return typeof content === "string" && typeof status === "string" ? [{ content, status }] : []
  })
}
