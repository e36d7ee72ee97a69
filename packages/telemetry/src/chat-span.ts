import { type Attributes, type Context, type Span, SpanKind } from "@opentelemetry/api"
import type { Reply, Request } from "@sotto/core"
import type { AddressedLink, ModelLink } from "@sotto/harness/telemetry"
import { callAttributes, finishOf, inputOf, requestAttributes, usageAttributes } from "./chat-attributes.js"
import { inputContent, outputContent } from "./content.js"
import { ATTRIBUTE, EVENT, SPAN } from "./names.js"
import { fail, type Redactor, since, type TelemetryParts } from "./parts.js"
import { breakIn, type StepNews } from "./step-news.js"

type Listen = Parameters<ModelLink["call"]>[1]

export interface ChatOptions {
  /** Whose call it is, which may be another session's than the request names: hidden agents have none. */
  readonly session: string
  readonly parent: Context
  readonly redacting: Redactor | undefined
  /** What the step did, where the call is one of the conversation. */
  readonly news?: StepNews
}

/** Calls a model, as a span. Neither the request nor the reply is touched, and no header is added. */
export async function chat(
  models: AddressedLink,
  request: Request,
  listen: Listen,
  reporting: TelemetryParts,
  options: ChatOptions,
): Promise<Reply> {
  const url = await models
    .target(request.pins.model)
    .url()
    .catch(() => undefined)
  const span = new ChatSpan(request, url, reporting, options)
  let said: (() => Reply) | undefined
  try {
    const reply = await models.call(request, {
      ...listen,
      onDelta: (event) => {
        span.heard()
        listen.onDelta(event)
      },
      onRetry: (event, kind) => {
        if (event.type === "retry") span.retried(event.attempt, event.seconds, kind)
        listen.onRetry(event, kind)
      },
      onPartial: (soFar) => {
        said = soFar
        listen.onPartial(soFar)
      },
      onCharged: (usage) => {
        if (usage) span.countTokens(usage)
        listen.onCharged?.(usage)
      },
      onAnswerer: (answerer) => span.answeredBy(answerer),
    })
    span.replied(reply)
    return reply
  } catch (error) {
    const used = listen.signal.aborted ? said?.().usage : undefined
    if (used) span.countTokens(used)
    span.failed(error, listen.signal.aborted)
    throw error
  } finally {
    span.end()
  }
}

class ChatSpan {
  readonly #span: Span
  readonly #reporting: TelemetryParts
  readonly #redacting: Redactor | undefined
  readonly #began = performance.now()
  /** What figures are counted by. */
  #counted: Attributes
  #firstChunk: number | undefined

  constructor(request: Request, url: string | undefined, reporting: TelemetryParts, options: ChatOptions) {
    const { session, parent, redacting, news } = options
    this.#reporting = reporting
    this.#redacting = redacting
    this.#counted = callAttributes(request, url)
    const attributes = {
      ...this.#counted,
      ...requestAttributes(request, session),
      ...(redacting && inputContent(request, redacting)),
    }
    const name = `${SPAN.chat} ${this.#counted[ATTRIBUTE.model]}`
    this.#span = reporting.tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent)
    if (news) this.#tell(news)
  }

  #tell({ rebases, reminders, breaks }: StepNews): void {
    for (const reason of rebases) this.#span.addEvent(EVENT.rebase.name, { [EVENT.rebase.reason]: reason })
    for (const reason of breaks) this.#span.addEvent(EVENT.break.name, { [EVENT.break.reason]: reason })
    for (const { kind, carrier, tokens } of reminders)
      this.#span.addEvent(EVENT.reminder.name, {
        [EVENT.reminder.kind]: kind,
        [EVENT.reminder.carrier]: carrier,
        [EVENT.reminder.tokens]: tokens,
      })
  }

  heard(): void {
    this.#firstChunk ??= since(this.#began)
  }

  retried(attempt: number, delay: number, kind: string | undefined): void {
    // What comes of the next attempt is what counts.
    this.#firstChunk = undefined
    this.#span.addEvent(EVENT.retry.name, {
      [EVENT.retry.attempt]: attempt,
      [EVENT.retry.delay]: delay,
      ...(kind !== undefined && { [ATTRIBUTE.error]: kind }),
    })
  }

  answeredBy({ model, id }: { readonly model?: string; readonly id?: string }): void {
    if (model !== undefined) this.#counted = { ...this.#counted, [ATTRIBUTE.answeredBy]: model }
    this.#span.setAttributes({
      ...(model !== undefined && { [ATTRIBUTE.answeredBy]: model }),
      ...(id !== undefined && { [ATTRIBUTE.responseId]: id }),
    })
  }

  replied(reply: Reply): void {
    const { usage } = reply
    this.#span.setAttributes({
      [ATTRIBUTE.finish]: [finishOf(reply)],
      ...(usage && usageAttributes(usage)),
      ...(this.#firstChunk !== undefined && { [ATTRIBUTE.firstChunk]: this.#firstChunk }),
      ...(this.#redacting && outputContent(reply, this.#redacting)),
    })
    const lost = breakIn(reply)
    if (lost)
      this.#span.addEvent(EVENT.break.name, {
        [EVENT.break.reason]: lost.reason,
        ...(lost.tokens !== undefined && { [EVENT.break.tokens]: lost.tokens }),
      })
    if (this.#firstChunk !== undefined)
      this.#reporting.instruments.firstChunk.record(this.#firstChunk, this.#counted)
    if (usage) this.countTokens(usage)
  }

  /** Counts tokens that were paid for, also if no reply came of them. */
  countTokens(usage: NonNullable<Reply["usage"]>): void {
    const { tokenUsage, tokens } = this.#reporting.instruments
    tokenUsage.record(inputOf(usage), { ...this.#counted, [ATTRIBUTE.tokenType]: "input" })
    tokenUsage.record(usage.output, { ...this.#counted, [ATTRIBUTE.tokenType]: "output" })
    const kinds = {
      input: usage.input,
      cache_read: usage.cacheRead,
      cache_write: usage.cacheWrite,
      output: usage.output,
    }
    for (const [kind, count] of Object.entries(kinds))
      tokens.add(count, { ...this.#counted, [ATTRIBUTE.kind]: kind })
  }

  /** Marks the call as failed. A call that was cut short because the user spoke or left has not failed. */
  failed(error: unknown, isInterrupted: boolean): void {
    if (isInterrupted) {
      this.#span.setAttribute(ATTRIBUTE.interrupted, true)
      return
    }
    const type = kindOf(error) ?? "_OTHER"
    this.#counted = { ...this.#counted, [ATTRIBUTE.error]: type }
    fail(this.#span, type)
  }

  end(): void {
    this.#reporting.instruments.callTime.record(since(this.#began), this.#counted)
    this.#span.end()
  }
}

/**
 * Gives the word for what failed that the harness gives its failures of models. Goes by the name: the class is the
 * harness's own.
 */
function kindOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== "ModelFailure" || !("kind" in error)) return undefined
  return typeof error.kind === "string" ? error.kind : undefined
}
