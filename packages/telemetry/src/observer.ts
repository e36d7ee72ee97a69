import { AsyncLocalStorage } from "node:async_hooks"
import { type Context, defaultTextMapGetter, ROOT_CONTEXT, type Tracer, trace } from "@opentelemetry/api"
import { W3CTraceContextPropagator } from "@opentelemetry/core"
import type { Session } from "@sotto/core"
import type {
  AskedTelemetry,
  Environment,
  SessionAbout,
  SessionTelemetry,
  Telemetry,
  TelemetryStart,
  TraceHeaders,
} from "@sotto/harness/telemetry"
import { type Instruments, instrumentsOf } from "./instruments.js"
import type { TelemetryParts } from "./parts.js"
import { type Sdk, startSdk } from "./sdk.js"
import { SessionTrace } from "./session-trace.js"

/** Milliseconds that the end of a command waits for what is left to be sent. */
const LONGEST_END = 1_500
/** Messages whose sender is remembered until they are delivered. */
const MOST_SENDERS = 1_000

/** Telemetry that is on. */
export class TelemetryObserver implements Telemetry, TelemetryParts {
  readonly tracer: Tracer
  readonly instruments: Instruments
  /** Of the call that runs: what it opens is below it. */
  readonly running = new AsyncLocalStorage<Context>()
  readonly #sdk: Sdk
  readonly #asked: AskedTelemetry
  readonly #env: Environment
  readonly #inherited: Context
  readonly #warn: (line: string) => void
  readonly #redactorFor: TelemetryStart["redactorFor"]
  readonly #senders = new Map<string, Context>()
  #warned = false

  static async start(start: TelemetryStart): Promise<TelemetryObserver> {
    const { asked, env, version } = start
    const failures: { tell?: (error: Error) => void } = {}
    const sdk = await startSdk(asked, env, version, (error) => failures.tell?.(error))
    const observer = new TelemetryObserver(sdk, start)
    failures.tell = (error) => observer.#failed(error.message)
    return observer
  }

  private constructor(sdk: Sdk, { asked, env, inherits, warn, redactorFor }: TelemetryStart) {
    this.#sdk = sdk
    this.#asked = asked
    this.#env = env
    this.#warn = warn
    this.#redactorFor = redactorFor
    this.tracer = sdk.tracer
    this.instruments = instrumentsOf(sdk.meter)
    this.#inherited = inherits
      ? contextOf({ traceparent: env.TRACEPARENT, tracestate: env.TRACESTATE })
      : ROOT_CONTEXT
  }

  session(session: Session, { env, isSubagent }: SessionAbout): SessionTelemetry {
    const parent = (isSubagent ? this.running.getStore() : undefined) ?? this.#inherited
    const redacting = this.#asked.content ? this.#redactorFor(env, secretsIn(env)) : undefined
    return new SessionTrace(session, this, { parent, redacting })
  }

  sentBy(messageId: string, headers: TraceHeaders): void {
    const sender = contextOf(headers)
    if (trace.getSpanContext(sender) === undefined) return
    if (this.#senders.size >= MOST_SENDERS) this.#senders.delete(this.#senders.keys().next().value ?? "")
    this.#senders.set(messageId, sender)
  }

  /**
   * Finds the sender of the first of these messages that has a known one, and forgets their senders: messages are
   * delivered once.
   */
  senderOf(messages: readonly string[]): Context | undefined {
    if (this.#senders.size === 0) return undefined
    const known = messages.map((id) => this.#senders.get(id))
    for (const id of messages) this.#senders.delete(id)
    return known.find((sender) => sender !== undefined)
  }

  async end(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), LONGEST_END)
    })
    const sent = await Promise.race([this.#sdk.close().then(() => true), late])
    clearTimeout(timer)
    if (!sent)
      this.#failed(
        `${this.#asked.collector} did not answer within ${LONGEST_END / 1000} s. Start a collector there, or unset OTEL_EXPORTER_OTLP_ENDPOINT.`,
      )
    return sent
  }

  #failed(why: string): void {
    if (this.#warned) return
    this.#warned = true
    this.#warn(`Telemetry could not be sent: ${this.#redactorFor(this.#env, secretsIn(this.#env))(why)}`)
  }
}

/** Lists what the collector is sent to know who writes. */
function secretsIn(env: Environment): readonly string[] {
  const headers = Object.entries(env).flatMap(([name, value = ""]) =>
    /^OTEL_EXPORTER_OTLP_(\w+_)?HEADERS$/.test(name) ? value.split(",") : [],
  )
  const values = headers.map((header) => decoded(header.slice(header.indexOf("=") + 1).trim()))
  return values
    .map((value) => value.replace(/^(?:bearer|basic)\s+/i, ""))
    .filter((value) => value.length >= 8)
}

/** Values of that variable are written as in an address. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const PROPAGATOR = new W3CTraceContextPropagator()

function contextOf(headers: TraceHeaders): Context {
  return PROPAGATOR.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
}
