import type { Context } from "@opentelemetry/api"
import type { Request, Session, ToolCallPart } from "@sotto/core"
import type {
  AddressedLink,
  CarriedOut,
  HarnessEvent,
  ModelLink,
  SessionTelemetry,
  Tool,
} from "@sotto/harness/telemetry"
import { chat } from "./chat-span.js"
import { ATTRIBUTE, EVENT } from "./names.js"
import type { Redactor, TelemetryParts } from "./parts.js"
import { newsOf, type StepEntry, stepOf, waitsOf } from "./step-news.js"
import { WaitClock } from "./store-clock.js"
import { toolCall } from "./tool-span.js"
import { type TurnFigures, TurnSpan } from "./turn-span.js"

export interface TraceOptions {
  /** Of turns whose prompt has no known sender. */
  readonly parent: Context
  readonly redacting: Redactor | undefined
}

type TurnOutcome = Pick<HarnessEvent & { type: "turn-end" }, "reason"> & TurnFigures

/** The spans and figures of one session. */
export class SessionTrace implements SessionTelemetry {
  readonly storeClock = new WaitClock()
  readonly #session: Session
  readonly #reporting: TelemetryParts
  readonly #options: TraceOptions
  /** Oldest first. The end of a turn is told once it is on disk, and the next turn may have begun by then. */
  readonly #turns: TurnSpan[] = []
  /** Of the newest turn, also after its end: titles are written then. */
  #context: Context

  constructor(session: Session, reporting: TelemetryParts, options: TraceOptions) {
    this.#session = session
    this.#reporting = reporting
    this.#options = options
    this.#context = options.parent
    reporting.instruments.openSessions.add(1)
  }

  link(models: AddressedLink): ModelLink {
    return {
      call: async (request, listen) => {
        const step = stepOf(this.#session, request)
        const turn = this.#turnOf(request, step)
        turn.beginStep(request)
        if (step) this.#countWaits(step)
        const news = step && newsOf(this.#session, request, step)
        const options = { ...this.#place, ...(news && { news }) }
        return chat(models, request, listen, this.#reporting, options)
      },
    }
  }

  writers(models: AddressedLink): ModelLink {
    return { call: (request, listen) => chat(models, request, listen, this.#reporting, this.#place) }
  }

  call<T extends CarriedOut>(call: ToolCallPart, tool: Tool | undefined, work: () => Promise<T>): Promise<T> {
    return toolCall(call, tool, work, this.#reporting, this.#place)
  }

  event(event: HarnessEvent): void {
    // A subagent has turns of its own. The end of a turn is told after what it used.
    if (event.type === "usage" && event.session === undefined) this.#turns[0]?.spend(event)
    if (event.type === "turn-end") this.#endTurn(event)
  }

  leaseLost(): void {
    this.#reporting.instruments.leasesLost.add(1)
    this.#turns.at(-1)?.span.addEvent(EVENT.leaseLost.name)
  }

  close(): void {
    while (this.#turns.length > 0) this.#endTurn({ reason: "interrupted" })
    this.#reporting.instruments.openSessions.add(-1)
  }

  /** Where a span of this session belongs now. */
  get #place() {
    return { session: this.#session.id, parent: this.#context, redacting: this.#options.redacting }
  }

  #turnOf(request: Request, step: StepEntry | undefined): TurnSpan {
    const newest = this.#turns.at(-1)
    if (newest?.number === request.turn) return newest
    newest?.endStep()
    const sender = this.#reporting.senderOf(step?.delivered.map(({ id }) => id) ?? [])
    const parent = sender ?? this.#options.parent
    const turn = new TurnSpan(request, this.#reporting, parent, this.storeClock)
    if (this.#turns.push(turn) === 1) this.#reporting.instruments.activeSessions.add(1)
    this.#context = turn.context
    return turn
  }

  #endTurn({ reason, ...more }: TurnOutcome): void {
    const turn = this.#turns.shift()
    if (turn === undefined) return
    turn.end(reason, more)
    if (this.#turns.length === 0) this.#reporting.instruments.activeSessions.add(-1)
  }

  /**
   * Records how long messages waited. A request that is sent again after a crash has delivered nothing new, and is
   * counted all the same: once a process.
   */
  #countWaits(step: StepEntry): void {
    for (const { seconds, origin, delivery } of waitsOf(this.#session, step))
      this.#reporting.instruments.queueTime.record(seconds, {
        [ATTRIBUTE.origin]: origin,
        [ATTRIBUTE.delivery]: delivery,
      })
  }
}
