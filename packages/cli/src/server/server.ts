import type { AddressInfo } from "node:net"
import { hostname } from "node:os"
import { createAdaptorServer } from "@hono/node-server"

import {
  type Environment,
  loadConfig,
  tenantSettings,
  WorkspaceNames,
  watchSessions,
  webhookSettings,
} from "@sotto/harness"
import { register } from "../peers/registration.js"
import { newSecret } from "../peers/secrets.js"
import { err } from "../screen/printer.js"

import { version } from "../version.js"
import { AccessControl, hostsOf } from "./access.js"
import { appFor } from "./app.js"
import { type CatalogueServices, catalogueRoutes } from "./catalogue-routes.js"
import { ApiError } from "./errors.js"
import { Figures } from "./figures/figures.js"
import { type OperatorServices, operatorRoutes } from "./operator-routes.js"
import { keepRetention } from "./retention.js"
import { type ApiRoute, route } from "./route.js"
import * as schema from "./schemas.js"
import { userToken } from "./secrets.js"
import { type SessionServices, sessionRoutes } from "./session-routes.js"
import { Hub } from "./sessions/hub.js"
import { SessionReader } from "./sessions/session-reader.js"
import { Streams } from "./sse.js"
import { Tenants } from "./tenants.js"
import { traceRoutes } from "./trace-routes.js"
import { Traces } from "./traces/traces.js"
import { Webhooks } from "./webhooks.js"

export interface ApiServerOptions {
  readonly env: Environment
  readonly port: number
  readonly host: string
  /** Names beside its address under which it is reached. */
  readonly names?: readonly string[]
  /** Folders of workspaces by name, beside those of the user's configuration. */
  readonly workspaces?: Readonly<Record<string, string>>
  /** The maximum number of sessions at work here at once. */
  readonly sessions?: number
  /** Whether it goes on with sessions that wait for a worker. One that only shows something does not. */
  readonly takes?: boolean
  /** True if `/metrics` needs no token. */
  readonly isMetricsOpen?: boolean
  /** Archives sessions once an hour, if the user's sotto.json says which. */
  readonly archives?: boolean
  /** Posts events to the webhooks of the user's sotto.json. */
  readonly posts?: boolean
}

export interface RunningServer {
  readonly port: number
  /** A path of the page with a code in it that lets one browser in, once. */
  link(to?: string): string
  /** Shows it a recording: the trace's id. */
  show(path: string): string
  /** Brings every session to rest, tells every reader, and ends. */
  close(): Promise<void>
}

/** Sessions at work at once, unless said otherwise: each may run programs of its own. */
const USUAL_SESSIONS = 32

/** How long open connections may take to end. */
const LINGER_MS = 2_000

/** Starts the server. On return it accepts connections. */
export async function startServer(options: ApiServerOptions): Promise<RunningServer> {
  const { env, port, host, names = [], archives = false } = options
  const access = new AccessControl(userToken(env), env, hostsOf(host, names))
  const { workspaces } = await loadConfig({ cwd: process.cwd(), env })
  const webhooks = new Webhooks({
    settings: options.posts ? webhookSettings(env) : {},
    env,
    report: err.line,
  })
  const hub = await Hub.open({
    env,
    follow: (id, feed) => webhooks.follow(id, feed),
    workspaces: new WorkspaceNames(env, { ...workspaces, ...options.workspaces }),
    sessions: options.sessions ?? USUAL_SESSIONS,
    takes: options.takes ?? false,
    worker: env.SOTTO_WORKER || hostname(),
  })
  const reading = new SessionReader(hub)
  await reading.loadPrices()
  const streams = new Streams()
  const traces = new Traces(env, reading.prices, (line) => err.line(`sotto: ${line}`))
  const tenants = new Tenants(env, tenantSettings(env))
  const figures = watchSessions((inner) => new Figures(reading.prices, tenants, inner))
  const routes = apiRoutes({
    ...{ env, hub, reading, streams, traces, access, tenants, figures },
    version: await version(),
    isMetricsOpen: options.isMetricsOpen ?? false,
  })
  const secret = newSecret()
  const server = createAdaptorServer({
    fetch: appFor(routes, { access, secret, figures, store: hub.store }).fetch,
  })
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject)
      server.listen(port, host, () => resolve())
    })
  } catch (error) {
    await hub.close()
    throw error
  }
  const { port: taken, address } = server.address() as AddressInfo
  access.listening(taken)
  // Another one may run already: `sotto inspect` uses the newest.
  const forget = register(env, "server.json", { host: address, port: taken, secret })
  hub.start()
  const stopArchiving = archives ? keepRetention(hub.store, env, err.line) : async () => {}
  return {
    port: taken,
    link: (to = "") => linkTo(access, to),
    show: (path) => traces.add(path),
    close: async () => {
      forget()
      // Answer until the sessions are at rest: /ready then says why no more should come.
      hub.drain()
      await stopArchiving()
      await hub.close()
      await webhooks.close()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      traces.close()
      streams.close()
      tenants.close()
      if ("closeIdleConnections" in server) server.closeIdleConnections()
      const late = setTimeout(
        () => "closeAllConnections" in server && server.closeAllConnections(),
        LINGER_MS,
      )
      await closed
      clearTimeout(late)
    },
  }
}

interface ApiServices extends SessionServices, CatalogueServices, OperatorServices {
  readonly traces: Traces
  readonly access: AccessControl
}

/** Lists every path that the server has. */
export function apiRoutes(services: ApiServices): readonly ApiRoute[] {
  const { streams, traces, reading, access, version: known } = services
  const routes: ApiRoute[] = [
    ...sessionRoutes(services),
    ...catalogueRoutes(services),
    ...traceRoutes(traces, streams, reading),
    ...operatorRoutes(services),
    ...ownRoutes(access, known, () => routes),
  ]
  return routes
}

/** Routes about the server itself. */
function ownRoutes(
  access: AccessControl,
  known: string,
  routes: () => readonly ApiRoute[],
): readonly ApiRoute[] {
  return [
    route({
      method: "get",
      path: "/health",
      operationId: "health",
      summary: "Whether the server is there",
      scope: "credential",
      answer: schema.answer("HealthAnswer"),
      handle: () => ({ json: { status: "ok", version: known } }),
    }),
    route({
      method: "get",
      path: "/openapi.json",
      operationId: "describe",
      summary: "This description",
      scope: "read",
      isLimitable: true,
      answer: schema.answer("FreeObject"),
      handle: async () => {
        // Loaded here: the schemas of all answers are large, and few ask for them.
        const { openApi } = await import("./openapi.js")
        return { json: openApi(routes(), known) }
      },
    }),
    route({
      method: "post",
      path: "/browser",
      operationId: "letIn",
      summary: "The page's way in: a one-time code in exchange for a cookie",
      scope: "page",
      body: schema.onceBody,
      answer: schema.answer("LetIn"),
      handle: ({ body: { once } }) => {
        const cookie = access.redeem(once)
        if (cookie === undefined)
          throw new ApiError(
            401,
            "bad-link",
            "This link was used, or is too old.",
            "Open the page anew with `sotto inspect`.",
          )
        return { json: {}, cookie }
      },
    }),
    route({
      method: "post",
      path: "/links",
      operationId: "createLink",
      summary: "A one-time link to the page",
      // Who follows it is the user.
      scope: "user",
      answer: schema.answer("LinkAnswer"),
      status: 201,
      handle: () => {
        const once = access.newLink()
        return { status: 201, json: { once, path: `/#once=${once}` } }
      },
    }),
  ]
}

/** Puts the code behind the hash, which browsers do not send. The page removes it from the address at once. */
function linkTo(access: AccessControl, to: string): string {
  return `/#once=${access.newLink()}${to === "" ? "" : `&to=${encodeURIComponent(to)}`}`
}
