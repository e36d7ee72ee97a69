import { SottoError } from "../../errors.js"
import { callsOf } from "../../message/reply.js"
import type { Session } from "../../session/session.js"
import { field } from "../dialect.js"
import type { Request } from "../request.js"
import type { MessageParam, Settings, SystemMessage } from "./body.js"
import { decode } from "./decode.js"
import { type EncodeOptions, encode, markerOf } from "./encode.js"
import { outcomesOf } from "./outcomes.js"

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

/** Connects a session to the AI SDK's loop: pass its members to `generateText` or `streamText`. */
export interface StepAdapter<Model = never> {
  /** For `prepareStep`: what the SDK sends at a step. */
  (step: { readonly steps: readonly unknown[]; readonly stepNumber: number }): PreparedStep<Model>
  /** For `onStepFinish`: after the last step nothing is prepared any more, and its reply would go unrecorded. */
  onStepFinish(step: unknown): void
}

type Driven = Pick<Session, "phase" | "next" | "reply" | "result">

/**
 * Lets the SDK run the loop and its tools, and the session decide what the model is told: pass it as `prepareStep`,
 * and its `onStepFinish` beside it. A run goes on until the SDK stops; while the session is "ready" then, run again.
 * The messages that the SDK gathers are never read, so nothing prepared earlier can come back a second time.
 */
export function prepareStep<Model = never>(
  session: Driven,
  options: StepOptions<Model> = {},
): StepAdapter<Model> {
  /** The requests of this run, by step. */
  const sent: string[] = []
  let calls: readonly { readonly ours: string; readonly theirs: string }[] = []

  function record(step: unknown, request: string | undefined): void {
    if (session.phase === "awaiting-reply" && request !== undefined && request === current(session).id) {
      const reply = decode(step)
      session.reply(request, reply)
      const open = openCalls(session)
      calls = callsOf(reply.parts).flatMap(({ id }, i) => (open[i] ? [{ ours: open[i], theirs: id }] : []))
    }
    const open = openCalls(session)
    const outcomes = outcomesOf(step)
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
  })
}

function openCalls(session: Driven): readonly string[] {
  const next = session.phase === "awaiting-results" ? session.next() : undefined
  return next?.is === "waiting" ? next.calls.map(({ id }) => id) : []
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
