import { type Context, type Span, SpanKind, trace } from "@opentelemetry/api"
import type { Request, Usage } from "@sotto/core"
import type { StoreClock, TurnEnd } from "@sotto/harness/telemetry"
import { modelOf, providerOf, usageAttributes } from "./chat-attributes.js"
import { ATTRIBUTE, SPAN } from "./names.js"
import { fail, since, type TelemetryParts } from "./parts.js"

interface RunningStep {
  readonly began: number
  /** What the store had cost until then. */
  readonly waited: number
  readonly attributes: Readonly<Record<string, string>>
}

/** What is known of a turn at its end: its steps, and what the session and its subagents have cost so far. */
export interface TurnFigures {
  readonly steps?: number
  readonly account?: { readonly requests: number; readonly cost?: number }
}

/** One turn of a session. It ends as it is told. */
export class TurnSpan {
  readonly number: number
  readonly context: Context
  readonly span: Span
  readonly #reporting: TelemetryParts
  readonly #clock: StoreClock
  #spent: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
  #step: RunningStep | undefined

  constructor(request: Request, reporting: TelemetryParts, parent: Context, clock: StoreClock) {
    const { agent, turn, session, pins } = request
    this.number = turn
    this.#reporting = reporting
    this.#clock = clock
    const attributes = {
      [ATTRIBUTE.operation]: SPAN.turn,
      [ATTRIBUTE.provider]: providerOf(pins.model),
      [ATTRIBUTE.agent]: agent,
      [ATTRIBUTE.model]: modelOf(pins.model),
      [ATTRIBUTE.conversation]: session,
      [ATTRIBUTE.turn]: turn,
    }
    const options = { kind: SpanKind.INTERNAL, attributes }
    this.span = reporting.tracer.startSpan(`${SPAN.turn} ${agent}`, options, parent)
    this.context = trace.setSpan(parent, this.span)
  }

  /** Begins a step, and ends the one before: a step ends where the next one begins. */
  beginStep({ agent, pins }: Request): void {
    this.endStep()
    this.#step = {
      began: performance.now(),
      waited: this.#clock.total,
      attributes: { [ATTRIBUTE.agent]: agent, [ATTRIBUTE.model]: modelOf(pins.model) },
    }
  }

  endStep(): void {
    if (this.#step === undefined) return
    const { began, waited, attributes } = this.#step
    this.#step = undefined
    const { stepTime, storeTime } = this.#reporting.instruments
    stepTime.record(since(began), attributes)
    storeTime.record((this.#clock.total - waited) / 1000, attributes)
  }

  spend({ input, output, cacheRead, cacheWrite }: Usage): void {
    this.#spent = {
      input: this.#spent.input + input,
      output: this.#spent.output + output,
      cacheRead: this.#spent.cacheRead + cacheRead,
      cacheWrite: this.#spent.cacheWrite + cacheWrite,
    }
  }

  /** Ends the turn. A turn that the user interrupted, or that came to a limit, has not failed. */
  end(reason: TurnEnd, { steps, account }: TurnFigures = {}): void {
    this.endStep()
    this.span.setAttributes({
      ...usageAttributes(this.#spent),
      [ATTRIBUTE.end]: reason,
      ...(steps !== undefined && { [ATTRIBUTE.steps]: steps }),
      ...(account && { [ATTRIBUTE.requests]: account.requests }),
      ...(account?.cost !== undefined && { [ATTRIBUTE.cost]: account.cost }),
    })
    if (reason === "error" || reason === "overflow") fail(this.span, reason)
    this.span.end()
  }
}
