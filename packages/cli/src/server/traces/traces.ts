import { createHash } from "node:crypto"
import { realpathSync, statSync } from "node:fs"
import { isAbsolute } from "node:path"
import type { Environment } from "@sotto/harness"
import type { TraceDetail, TraceSummary } from "@sotto/inspector"
import type { Prices } from "@sotto/lens"
import { ApiError, notFound } from "../errors.js"
import { runningProxies } from "./proxy.js"
import { Trace } from "./trace.js"

/** The recordings that the server was shown, and the proxies that run. */
export class Traces {
  readonly #env: Environment
  readonly #prices: Prices
  readonly #open = new Map<string, Trace>()
  readonly #tell: (line: string) => void
  readonly #told = new Set<string>()

  constructor(env: Environment, prices: Prices, tell: (line: string) => void) {
    this.#env = env
    this.#prices = prices
    this.#tell = tell
  }

  /** Shows the server a recording: its id. The same file has the same id. */
  add(path: string): string {
    if (!isAbsolute(path) || !statSync(path, { throwIfNoEntry: false })?.isFile())
      throw new ApiError(
        400,
        "bad-request",
        `There is no file "${path}".`,
        "Give the absolute path of a recording.",
      )
    const real = realpathSync(path)
    const id = `rec-${createHash("sha256").update(real).digest("hex").slice(0, 12)}`
    const known = this.#open.get(id)
    if (known === undefined || known.failure !== undefined)
      this.#open.set(id, Trace.recording(id, real, this.#prices))
    return id
  }

  list(): readonly TraceSummary[] {
    this.#look()
    return [...this.#open.values()].map(summaryOf).sort((a, b) => b.updatedAt - a.updatedAt)
  }

  /** Gives a trace, as far as it could be read when it was asked for. */
  async get(id: string): Promise<Trace> {
    this.#look()
    const trace = this.#open.get(id)
    if (trace === undefined) throw unknownTrace(id)
    await trace.ready
    if (trace.failure !== undefined && trace.pages.length === 0)
      throw new ApiError(
        422,
        "unreadable",
        trace.failure,
        "Give a recording, a HAR file, or a session file of an agent.",
      )
    return trace
  }

  async detail(id: string): Promise<TraceDetail> {
    const trace = await this.get(id)
    const { pages, events } = trace
    return { ...summaryOf(trace), report: pages.report(), totals: pages.totals(), seq: events.length }
  }

  close(): void {
    for (const trace of this.#open.values()) trace.close()
  }

  /** Finds proxies that have started. One that has ended stays to be looked at while the server runs. */
  #look(): void {
    const refused = (reason: string) => {
      if (!this.#told.has(reason)) this.#tell(reason)
      this.#told.add(reason)
    }
    for (const proxy of runningProxies(this.#env, refused)) {
      const id = `proxy-${proxy.pid}-${proxy.startedAt}`
      if (!this.#open.has(id)) this.#open.set(id, Trace.proxy(id, proxy, this.#prices))
    }
  }
}

export function unknownTrace(id: string): ApiError {
  return notFound(
    `There is no trace ${id}.`,
    "GET /traces lists them; `sotto inspect FILE` shows a recording.",
  )
}

function summaryOf({ id, name, kind, pages, updatedAt }: Trace): TraceSummary {
  return { id, name, kind, calls: pages.length, updatedAt }
}
