import { ApiError } from "./errors.js"
import { EXPOSITION_TYPE } from "./figures/exposition.js"
import type { FigureSources, Figures } from "./figures/figures.js"
import { type ApiRoute, route } from "./route.js"
import * as schema from "./schemas.js"
import type { Hub } from "./sessions/hub.js"

/** How long the store may take to answer before the server says that it is not ready. Probes wait little longer. */
const PATIENCE_MS = 2_000

export interface OperatorServices extends FigureSources {
  readonly figures: Figures
  /** True if figures are for everybody who can reach the server. */
  readonly isMetricsOpen: boolean
}

/** Routes for those who keep the server running: load balancers, supervisors and people. */
export function operatorRoutes({
  figures,
  isMetricsOpen,
  ...sources
}: OperatorServices): readonly ApiRoute[] {
  const { hub } = sources
  return [
    route({
      method: "get",
      path: "/live",
      summary: "Whether the process answers. Asks nothing of the store",
      operationId: "live",
      scope: "everybody",
      answer: schema.answer("LiveAnswer"),
      handle: () => ({ json: { status: "live" } }),
    }),
    route({
      method: "get",
      path: "/ready",
      summary: "Whether the server takes sessions: its store answers, and it is not being drained or stopped",
      operationId: "ready",
      scope: "everybody",
      answer: schema.answer("ReadyAnswer"),
      handle: async () => {
        if (hub.isDraining) throw draining(hub)
        await storeAnswers(hub)
        return { json: { status: "ready", sessions: hub.counts } }
      },
    }),
    route({
      method: "get",
      path: "/metrics",
      summary: "Figures for Prometheus, in its text format 0.0.4",
      operationId: "metrics",
      scope: isMetricsOpen ? "everybody" : "administer",
      answer: schema.metricsAnswer,
      type: EXPOSITION_TYPE,
      handle: async () => ({ text: await figures.exposition(sources), type: EXPOSITION_TYPE }),
    }),
    route({
      method: "post",
      path: "/drain",
      summary:
        "Takes no more sessions. Those at work here go on to the end of their turns. /ready says 503 from now on",
      operationId: "drain",
      scope: "administer",
      answer: schema.answer("DrainAnswer"),
      handle: () => {
        hub.drain()
        return { json: { status: "draining", sessions: hub.counts } }
      },
    }),
  ]
}

/** Asks the store something small. Rejects if it is away or does not answer in time. */
async function storeAnswers({ store }: Hub): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const error = new ApiError(
      503,
      "unavailable",
      `The store did not answer within ${PATIENCE_MS / 1000} s.`,
      "Check that it can be reached from this machine.",
    )
    timer = setTimeout(() => reject(error), PATIENCE_MS)
  })
  try {
    await Promise.race([store.check(), late])
  } finally {
    clearTimeout(timer)
  }
}

function draining({ counts: { atWork } }: Hub): ApiError {
  return new ApiError(
    503,
    "draining",
    `The server takes no more sessions; ${atWork} are at work here.`,
    "Use another server. End this one with SIGTERM when none is at work.",
  )
}
