import { AsyncLocalStorage } from "node:async_hooks"
import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks"
import type { Session } from "@sotto/core"
import { type AccountLine, allClasses, type PriceLookup, SessionAccount } from "@sotto/core/economy"
import { StoreError } from "@sotto/harness"
import type {
  AddressedLink,
  CarriedOut,
  HarnessEvent,
  ModelLink,
  SessionAbout,
  SessionTelemetry,
  StoreClock,
  Telemetry,
} from "@sotto/harness/telemetry"
import type { Hub } from "../sessions/hub.js"
import type { Streams } from "../sse.js"
import type { Tenants } from "../tenants.js"
import { Counter, exposition, type FigureFamily, Histogram } from "./exposition.js"

/** Seconds, from a local disk to a database that is nearly away. */
const STORE_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Seconds, from a short answer to one that thinks for minutes. */
const CALL_BOUNDS = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
/** Milliseconds between two looks at how late the event loop is. */
const BEAT_MS = 20
/** Milliseconds that a scrape waits for the store. */
const PATIENCE_MS = 2_000

/**
 * Counts what the sessions of this server do, for `/metrics` and for the limits of tenants. It watches sessions as
 * telemetry does, and passes everything on to the telemetry that is on.
 */
export class Figures implements Telemetry {
  readonly inner: Telemetry | undefined
  readonly tenants: Tenants
  /** The tenant for whom a call runs: a subagent that it opens works for the same one. */
  readonly tenantOfCall = new AsyncLocalStorage<string | undefined>()
  readonly storeWaits = new Histogram(STORE_BOUNDS)
  readonly calls = new Counter("answered", "failed", "aborted")
  readonly callTimes = new Histogram(CALL_BOUNDS)
  readonly turns = new Counter("done")
  readonly #tokens = new Counter("input", "output", "cache_read", "cache_write")
  readonly #requests = new Counter("2xx", "4xx", "5xx")
  readonly prices: PriceLookup
  readonly #delay: IntervalHistogram
  entries = 0
  retries = 0
  lost = 0
  #cost = 0

  constructor(prices: PriceLookup, tenants: Tenants, inner: Telemetry | undefined) {
    this.prices = prices
    this.tenants = tenants
    this.inner = inner
    this.#delay = monitorEventLoopDelay({ resolution: BEAT_MS })
    this.#delay.enable()
  }

  session(session: Session, about: SessionAbout): SessionTelemetry {
    return new SessionFigures(this, session, this.inner?.session(session, about))
  }

  sentBy(...sent: Parameters<Telemetry["sentBy"]>): void {
    this.inner?.sentBy(...sent)
  }

  async end(): Promise<boolean> {
    this.#delay.disable()
    return (await this.inner?.end()) ?? true
  }

  /** Counts an answer to a request over HTTP. */
  requested(status: number): void {
    this.#requests.add(`${Math.floor(status / 100)}xx`)
  }

  /** Counts a request that was paid for, and for whom it was. */
  used({ usage, dollars }: AccountLine, tenant: string | undefined): void {
    if (usage === undefined) return
    const { input, output, cacheRead, cacheWrite } = usage
    const kinds = { input, output, cache_read: cacheRead, cache_write: cacheWrite }
    for (const [kind, count] of Object.entries(kinds)) this.#tokens.add(kind, count)
    const cost = dollars === undefined ? 0 : allClasses(dollars)
    this.#cost += cost
    if (tenant !== undefined) this.tenants.spent(tenant, cost)
  }

  /** Writes all figures of this moment, for Prometheus. Without those of the store if it does not answer. */
  async exposition({ hub, streams, version }: FigureSources): Promise<string> {
    const waiting = await waitingIn(hub)
    const one = (value: number) => [{ value }]
    const { rss } = process.memoryUsage()
    const { user, system } = process.cpuUsage()
    const families: readonly FigureFamily[] = [
      {
        ...gauge("sotto_build_info", "Always 1. The labels say what runs."),
        samples: [{ labels: { version, node: process.versions.node }, value: 1 }],
      },
      {
        ...gauge("sotto_sessions", "Sessions that this server has open, by what they do."),
        samples: Object.entries(hub.states).map(([state, value]) => ({ labels: { state }, value })),
      },
      {
        ...gauge(
          "sotto_sessions_waiting",
          "Sessions of the store that wait for a server. All servers say the same.",
        ),
        samples: waiting === undefined ? [] : one(waiting),
      },
      {
        ...gauge("sotto_store_up", "1 if the store answered while these figures were made."),
        samples: one(waiting === undefined ? 0 : 1),
      },
      {
        ...gauge("sotto_draining", "1 if the server takes no more sessions."),
        samples: one(hub.isDraining ? 1 : 0),
      },
      {
        ...counter(
          "sotto_appended_entries_total",
          "Entries that sessions of this server have added to their logs.",
        ),
        samples: one(this.entries),
      },
      {
        name: "sotto_store_wait_seconds",
        help: "How long sessions waited until the store had what they appended.",
        type: "histogram",
        samples: this.storeWaits.samples(),
      },
      {
        ...counter("sotto_lost_sessions_total", "Sessions that this server lost to another one."),
        samples: one(this.lost),
      },
      {
        ...counter("sotto_turns_total", "Turns that ended, by the reason."),
        samples: this.turns.samples("reason"),
      },
      {
        ...counter(
          "sotto_model_calls_total",
          "Requests to models by outcome, with those of subagents and titles.",
        ),
        samples: this.calls.samples("outcome"),
      },
      {
        ...counter("sotto_model_retries_total", "Requests to models that were sent again after a failure."),
        samples: one(this.retries),
      },
      {
        name: "sotto_model_call_seconds",
        help: "How long requests to models took, with their retries.",
        type: "histogram",
        samples: this.callTimes.samples(),
      },
      {
        ...counter(
          "sotto_tokens_total",
          "Tokens that were paid for, by their price class, with those of subagents.",
        ),
        samples: this.#tokens.samples("kind"),
      },
      {
        ...counter(
          "sotto_cost_dollars_total",
          "What these tokens cost, where the price of the model is known.",
        ),
        samples: one(this.#cost),
      },
      {
        ...gauge(
          "sotto_tenant_cost_today_dollars",
          "What a tenant has cost on this server since midnight, UTC.",
        ),
        samples: this.tenants.today().map(([tenant, value]) => ({ labels: { tenant }, value })),
      },
      {
        ...counter("sotto_refused_total", "Requests that were over a limit of their tenant, by the limit."),
        samples: this.tenants.refused.samples("limit"),
      },
      {
        ...gauge("sotto_event_streams", "Readers of events that are connected."),
        samples: one(streams.size),
      },
      {
        ...counter("sotto_http_requests_total", "Answers over HTTP by the class of their status."),
        samples: this.#requests.samples("class"),
      },
      {
        ...gauge("sotto_event_loop_delay_seconds", "How late the event loop has been since the start."),
        samples: [
          { labels: { at: "p50" }, value: lateness(this.#delay.percentile(50)) },
          { labels: { at: "p99" }, value: lateness(this.#delay.percentile(99)) },
          { labels: { at: "max" }, value: lateness(this.#delay.max) },
        ],
      },
      { ...gauge("process_resident_memory_bytes", "Resident memory."), samples: one(rss) },
      {
        ...counter("process_cpu_seconds_total", "Time on a processor, of the user and the system."),
        samples: one((user + system) / 1e6),
      },
      {
        ...gauge("process_start_time_seconds", "When the process began, in seconds since 1970."),
        samples: one(Math.round(performance.timeOrigin) / 1000),
      },
    ]
    return exposition(families)
  }
}

export interface FigureSources {
  readonly hub: Hub
  readonly streams: Streams
  readonly version: string
}

/** Seconds by which a beat came late. Node measures nanoseconds from one beat to the next. */
function lateness(measured: number): number {
  return Math.max(0, measured / 1e9 - BEAT_MS / 1_000)
}

function gauge(name: string, help: string) {
  return { name, help, type: "gauge" } as const
}

function counter(name: string, help: string) {
  return { name, help, type: "counter" } as const
}

/** Counts the sessions that wait for a server; undefined if the store does not say in time. */
async function waitingIn({ store: { upkeep } }: Hub): Promise<number | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), PATIENCE_MS)
  })
  const looked = async () => {
    const [busy, holders] = await Promise.all([upkeep.busy(), upkeep.holders()])
    const held = new Set(holders.map(({ session }) => session))
    return [...busy].filter((id) => !held.has(id)).length
  }
  const counted = looked().catch((error: unknown) => {
    if (!(error instanceof StoreError)) throw error
    return undefined
  })
  try {
    return await Promise.race([counted, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Counts what one session does. */
class SessionFigures implements SessionTelemetry {
  readonly storeClock: StoreClock
  readonly #figures: Figures
  readonly #session: Session
  readonly #inner: SessionTelemetry | undefined
  /** For whom it works: who said what the open turn began with. */
  #tenant: string | undefined
  readonly #account: SessionAccount
  #entries: number

  constructor(figures: Figures, session: Session, inner: SessionTelemetry | undefined) {
    this.#figures = figures
    this.#session = session
    this.#inner = inner
    this.#entries = session.log.length
    this.#account = new SessionAccount(figures.prices)
    this.#account.takeLog(session.log)
    this.#tenant = figures.tenantOfCall.getStore()
    this.storeClock = new WaitTimes(figures.storeWaits, inner?.storeClock)
  }

  link(models: AddressedLink): ModelLink {
    return this.#counted(this.#inner?.link(models) ?? models)
  }

  writers(models: AddressedLink): ModelLink {
    return this.#counted(this.#inner?.writers(models) ?? models)
  }

  #counted(link: ModelLink): ModelLink {
    const figures = this.#figures
    return {
      call: async (request, listen) => {
        const began = performance.now()
        const heard: typeof listen = {
          ...listen,
          onRetry: (event, kind) => {
            figures.retries++
            listen.onRetry(event, kind)
          },
        }
        try {
          const reply = await link.call(request, heard)
          figures.calls.add("answered")
          return reply
        } catch (error) {
          figures.calls.add(listen.signal.aborted ? "aborted" : "failed")
          throw error
        } finally {
          figures.callTimes.observe((performance.now() - began) / 1000)
        }
      },
    }
  }

  call<T extends CarriedOut>(
    call: Parameters<SessionTelemetry["call"]>[0],
    tool: Parameters<SessionTelemetry["call"]>[1],
    work: () => Promise<T>,
  ): Promise<T> {
    const run = () => this.#inner?.call(call, tool, work) ?? work()
    return this.#figures.tenantOfCall.run(this.#tenant, run)
  }

  event(event: HarnessEvent): void {
    this.#inner?.event(event)
    this.#figures.entries += this.#session.log.length - this.#entries
    this.#entries = this.#session.log.length
    switch (event.type) {
      case "delivered":
        this.#deliver(event.id)
        return
      case "usage":
        this.#count()
        return
      case "turn-end":
        this.#count()
        this.#figures.turns.add(event.reason)
        this.#figures.tenants.ended(this.#session.id)
    }
  }

  /** Counts what was paid for since it last did. Subagents count their own. */
  #count(): void {
    for (const line of this.#account.takeLog(this.#session.log)) this.#figures.used(line, this.#tenant)
  }

  /** Remembers who said a message that the model is given now. Messages of the harness change nothing. */
  #deliver(id: string): void {
    const said = this.#session.log.findLast((entry) => entry.type === "said" && entry.id === id)
    if (said?.type !== "said") return
    if (said.origin.kind === "human") this.#tenant = "user"
    else if (said.origin.kind === "channel") this.#tenant = said.origin.server
    else return
    this.#figures.tenants.began(this.#tenant, this.#session.id)
  }

  leaseLost(): void {
    this.#inner?.leaseLost()
    this.#figures.lost++
  }

  close(): void {
    this.#inner?.close()
    this.#count()
    this.#figures.tenants.ended(this.#session.id)
  }
}

/** Measures each wait for the store, beside a clock that adds them up. */
class WaitTimes implements StoreClock {
  readonly #times: Histogram
  readonly #inner: StoreClock | undefined
  readonly #began: number[] = []
  #total = 0

  constructor(times: Histogram, inner: StoreClock | undefined) {
    this.#times = times
    this.#inner = inner
  }

  get total(): number {
    return this.#inner?.total ?? this.#total
  }

  begin(): void {
    this.#inner?.begin()
    this.#began.push(performance.now())
  }

  end(): void {
    this.#inner?.end()
    const began = this.#began.pop()
    if (began !== undefined) this.#observe(performance.now() - began)
  }

  async until(durable: Promise<void>): Promise<void> {
    const began = performance.now()
    try {
      await (this.#inner?.until(durable) ?? durable)
    } finally {
      this.#observe(performance.now() - began)
    }
  }

  #observe(time: number): void {
    this.#total += time
    this.#times.observe(time / 1000)
  }
}
