import type { Session } from "../../session/session.js"
import { SottoError } from "../../vocabulary/errors.js"
import { field, stringField } from "../../vocabulary/fields.js"
import { callsOf, keepFinished, type Reply } from "../../vocabulary/reply.js"
import type { Request } from "../../vocabulary/request.js"
import type { MessageParam, Settings, SystemMessage } from "./body.js"
import { decode } from "./decode.js"
import { type EncodeOptions, encode, markerOf } from "./encode.js"
import { outcomesOf, type ToolOutcome } from "./outcomes.js"

interface Growing {
  readonly type: "text" | "reasoning"
  readonly id: string | undefined
  text: string
  providerMetadata?: unknown
}

/** A reply as the chunks of a stream bring it, with what its tools have returned so far. */
class ReplySoFar {
  readonly outcomes = new Map<string, ToolOutcome>()
  readonly #content: unknown[] = []

  get hasCalls(): boolean {
    return this.#content.some((part) => field(part, "type") === "tool-call")
  }

  reply(): Reply {
    return decode({ content: this.#content })
  }

  add(chunk: unknown): void {
    const type = stringField(chunk, "type") ?? ""
    const [, kind, event] = /^(text|reasoning)-(delta|end)$/.exec(type) ?? []
    if (kind !== undefined) this.#grow(kind as Growing["type"], event === "delta", chunk)
    else if (type === "tool-call") this.#content.push(chunk)
    else if (type === "tool-result" || type === "tool-error")
      this.outcomes.set(stringField(chunk, "toolCallId") ?? "", rawOutcome(chunk))
  }

  /** Takes a piece of a growing part. Only version 7 tells of ends; what proves reasoning comes with them. */
  #grow(type: Growing["type"], isDelta: boolean, chunk: unknown): void {
    const id = stringField(chunk, "id")
    const providerMetadata = field(chunk, "providerMetadata")
    const begun = this.#content.findLast(
      (one): one is Growing => field(one, "type") === type && field(one, "id") === id,
    )
    const part: Growing = begun ?? { type, id, text: "" }
    if (begun === undefined) this.#content.push(part)
    if (isDelta) part.text += stringField(chunk, "text") ?? ""
    if (providerMetadata !== undefined) part.providerMetadata = providerMetadata
  }
}

/** Gives what a tool returned as text: its own `toModelOutput` is asked only once the step is done. */
function rawOutcome(chunk: unknown): ToolOutcome {
  const failure = field(chunk, "error")
  const value = failure === undefined ? field(chunk, "output") : (field(failure, "message") ?? failure)
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "")
  return { output: [{ type: "text", text }], error: failure !== undefined }
}

/** What `prepareStep` can be told. */
export interface StepOptions<Model = never> extends EncodeOptions {
  /** The SDK's model for an id, where the session's model may change on the way. */
  readonly model?: (id: string) => Model
}

/** What the SDK sends at this step instead of what it has gathered itself. */
export interface PreparedStep<Model = never> extends Settings {
  /** The system prompt. */
  readonly system?: SystemMessage
  /** The conversation, in place of the SDK's own. */
  readonly messages: MessageParam[]
  /** "none" on the last step. */
  readonly toolChoice: "auto" | "none"
  /** The model, where the session has switched to another. */
  readonly model?: Model
}

/**
 * Connects a session to the AI SDK's loop: pass it as `prepareStep` and its members under their own names to
 * `generateText` or `streamText`, of version 6 or 7. Version 7 takes system messages only with
 * `allowSystemInMessages: true`.
 *
 * @example
 * ```ts
 * const step = prepareStep(session)
 * streamText({
 *   model,
 *   tools,
 *   prompt: "(the session's messages take this place)",
 *   allowSystemInMessages: true, // version 7 refuses reminders that are system messages without it
 *   prepareStep: step,
 *   onStepFinish: step.onStepFinish,
 *   onChunk: step.onChunk,
 *   onAbort: step.onAbort,
 *   onLanguageModelCallEnd: step.onLanguageModelCallEnd, // version 7 only
 *   abortSignal,
 * })
 * ```
 */
export interface StepAdapter<Model = never> {
  /** For `prepareStep`: what the SDK sends at a step. */
  (step: { readonly steps: readonly unknown[]; readonly stepNumber: number }): PreparedStep<Model>
  /** Records the reply of the last step, after which nothing is prepared any more. Pass it as `onStepFinish`. */
  onStepFinish(step: unknown): void
  /**
   * Records a reply before its tools run, so that no abort can lose it. Pass it as `onLanguageModelCallEnd` of version
   * 7.
   */
  onLanguageModelCallEnd(event: unknown): void
  /** For `onChunk` of `streamText`: keeps what the model has said so far, for the case that the run is aborted. */
  onChunk(event: { readonly chunk: unknown }): void
  /**
   * For `onAbort` of `streamText`, which hears of no step that was aborted: ends the session's turn. The reply as far as
   * it came stays in the session, and calls without a result are answered as interrupted. If the session was aborted
   * before, or a message with the delivery "now" cut the request short, it changes nothing.
   */
  onAbort(event?: unknown): void
}

type Driven = Pick<Session, "phase" | "next" | "pending" | "reply" | "result" | "partial" | "abort">

/**
 * Lets the SDK run the loop and its tools, and the session decide what the model is told: pass it as `prepareStep`,
 * and its members beside it. A run goes on until the SDK stops; while the session is "ready" then, run again.
 * The messages that the SDK gathers are never read, so nothing prepared earlier can come back a second time.
 */
export function prepareStep<Model = never>(
  session: Driven,
  options: StepOptions<Model> = {},
): StepAdapter<Model> {
  /** The requests of this run, by step. */
  const sent: string[] = []
  let calls: readonly { readonly ours: string; readonly theirs: string }[] = []
  let soFar = new ReplySoFar()

  /** Records the reply to a request if the session still waits for it. */
  function take(reply: Reply, request: string | undefined): void {
    if (request === undefined || request !== inFlight(session)) return
    session.reply(request, reply)
    const open = openCalls(session)
    calls = callsOf(reply.parts).flatMap(({ id }, i) => (open[i] ? [{ ours: open[i], theirs: id }] : []))
  }

  function record(step: unknown, request: string | undefined): void {
    take(decode(step), request)
    settle(outcomesOf(step))
  }

  /** Answers open calls, by the provider's ids. */
  function settle(outcomes: ReadonlyMap<string, ToolOutcome>): void {
    const open = openCalls(session)
    for (const { ours, theirs } of calls) {
      const outcome = outcomes.get(theirs)
      if (outcome && open.includes(ours)) session.result(ours, outcome.output, { error: outcome.error })
    }
  }

  function prepare({ steps, stepNumber }: Parameters<StepAdapter>[0]): PreparedStep<Model> {
    if (steps.length > 0) record(steps.at(-1), sent[steps.length - 1])
    const request = current(session)
    sent.length = stepNumber
    sent.push(request.id)
    const said = new ReplySoFar()
    soFar = said
    // If the session's turn ends before the SDK's run does, what was said stays said.
    session.partial(request.id, () => said.reply())
    const { system, messages, toolChoice, ...settings } = encode(request, options)
    const marker = options.markers === false ? {} : { providerOptions: markerOf(request) }
    return {
      // An empty one would be sent as an empty block, which is refused.
      ...(system !== "" && { system: { role: "system", content: system, ...marker } }),
      messages,
      toolChoice,
      ...settings,
      ...(options.model && { model: options.model(request.pins.model) }),
    }
  }

  return Object.assign(prepare, {
    onStepFinish: (step: unknown) => {
      const number = field(step, "stepNumber")
      record(step, typeof number === "number" ? sent[number] : sent.at(-1))
    },
    onLanguageModelCallEnd: (event: unknown) => take(decode(event), sent.at(-1)),
    onChunk: ({ chunk }: { readonly chunk: unknown }) => {
      soFar.add(chunk)
    },
    onAbort: () => {
      // A tool begins as soon as its call has come: the model has to be told that it was stopped, not that it never ran.
      if (soFar.hasCalls) take(keepFinished(soFar.reply()), sent.at(-1))
      settle(soFar.outcomes)
      // Another run may have begun meanwhile, and what that run waits for is not ours.
      const open = openCalls(session)
      const isOurs = inFlight(session) === sent.at(-1) || calls.some(({ ours }) => open.includes(ours))
      if (session.pending.is !== "idle" && isOurs) session.abort()
    },
  })
}

function inFlight({ pending }: Driven): string | undefined {
  return pending.is === "request" ? pending.request.id : undefined
}

function openCalls({ pending }: Driven): readonly string[] {
  return pending.is === "waiting" ? pending.calls.map(({ id }) => id) : []
}

function current(session: Driven): Request {
  const next = session.next()
  if (next.is === "request") return next.request
  if (next.is === "waiting")
    throw new SottoError(
      "not-idle",
      `The calls ${next.calls.map(({ id }) => id).join(", ")} have no result yet.`,
      "Give each of them one with result(), or end the turn with abort().",
    )
  throw new SottoError(
    "no-reply-awaited",
    "There is nothing to send: the turn is over.",
    "Start a run when the session is ready, and stop the SDK's run when you abort the session.",
  )
}
