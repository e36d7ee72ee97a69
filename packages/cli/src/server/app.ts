import type { HttpBindings } from "@hono/node-server"
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import { redact } from "@sotto/core/secrets"
import { knownSecrets, reasonOf } from "@sotto/harness"
import { type Context, Hono } from "hono"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import type { z } from "zod"
import { answerTo, PROOF_PATH } from "../peers/proof.js"
import { err } from "../screen/printer.js"
import type { AccessControl, Caller } from "./access.js"
import { ApiError, apiError } from "./errors.js"
import type { Figures } from "./figures/figures.js"
import { HEADERS } from "./headers.js"
import { LIMITS, Rate, tooLarge, tooMany } from "./limits.js"
import { servePage } from "./page.js"
import type { ApiRoute } from "./route.js"
import { speaksAsUser } from "./speaker.js"
import { isLimited } from "./tokens.js"
import { VisibleSessions } from "./visible-sessions.js"

type Env = { readonly Bindings: HttpBindings }
type Ctx = Context<Env>

/** What every request passes, and what counts it. */
interface Gates {
  readonly access: AccessControl
  readonly figures: Figures
  readonly store: ConstructorParameters<typeof VisibleSessions>[0]
}

/** How often to look whether the credential of a reader of events still lets it in. */
const RECHECK_MS = 2_000
const OF_ONE_SESSION = "/sessions/{id}"

/**
 * Makes the application: every request passes the same gates, and then the route it is for. The secret is that of the
 * server's registration, by which it proves itself to the user's other programs.
 */
export function appFor(
  routes: readonly ApiRoute[],
  { secret, ...gates }: Gates & { readonly secret: string },
): Hono<Env> {
  const { access, figures } = gates
  const app = new Hono<Env>()
  const requests = new Rate(LIMITS.burst, LIMITS.perSecond)
  const failures = new Rate(LIMITS.failures, LIMITS.failuresPerSecond)
  app.onError((error, c) => failed(c, error))
  app.use(async (c, next) => {
    await next()
    figures.requested(c.res.status)
  })
  app.use(async (c, next) => {
    for (const [name, value] of Object.entries(HEADERS)) c.header(name, value)
    access.checkPlace({ get: (name) => c.req.header(name) })
    await next()
  })
  for (const one of routes)
    app.on(one.method.toUpperCase(), one.path.replaceAll(/\{(\w+)\}/g, ":$1"), async (c) => {
      const caller = callerOf(c, one, gates, requests, failures)
      return answer(c, one, caller, gates)
    })
  app.get(PROOF_PATH, (c) => {
    const proof = answerTo("server", secret, c.env.incoming)
    if (proof === undefined)
      throw new ApiError(
        400,
        "bad-request",
        "The challenge has no proper nonce.",
        "Send 43 letters or digits.",
      )
    c.header("cache-control", "no-store")
    return c.json({ proof })
  })
  app.get("*", servePage())
  app.notFound((c) => failed(c, unknownPath(c, routes)))
  return app
}

/** Finds whose request it is. Refuses a caller that has no credential, has sent too much, or may not do this. */
function callerOf(c: Ctx, one: ApiRoute, { access, figures }: Gates, requests: Rate, failures: Rate): Caller {
  const address = c.env.incoming.socket.remoteAddress ?? ""
  const { scope, method } = one
  if (scope === "page") {
    if (!failures.take(address)) throw tooMany("attempts to come in")
    return { is: "user" }
  }
  if (scope === "everybody") {
    if (!requests.take(`address ${address}`)) throw tooMany("requests")
    return { is: "user" }
  }
  const caller = access.caller({ get: (name) => c.req.header(name) }, method !== "get")
  if (caller === undefined) {
    if (!failures.take(address)) throw tooMany("attempts to come in")
    c.header("www-authenticate", "Bearer")
    throw new ApiError(
      401,
      "unauthorized",
      "The request has no valid token.",
      "Send the token of the file server.token as `Authorization: Bearer TOKEN`, or open the page with `sotto inspect`.",
    )
  }
  if (!requests.take(caller.is === "user" ? "user" : `${caller.is} ${caller.name}`)) throw tooMany("requests")
  figures.tenants.takeRequest(caller)
  checkScope(caller, one)
  return caller
}

/** Refuses a caller whose credential is not for this route. */
function checkScope(caller: Caller, { scope, path, isForChannels, isLimitable }: ApiRoute): void {
  if (caller.is === "user" || scope === "credential") return
  const refusal = (message: string, remedy: string) => new ApiError(403, "forbidden", message, remedy)
  if (caller.is === "channel") {
    if (isForChannels) return
    throw refusal(
      `The channel "${caller.name}" may only say something and ask what became of it.`,
      "Use the user's token for this.",
    )
  }
  const { name, grant } = caller
  const wanted = [scope].flat() as readonly string[]
  if (!grant.scopes.some((one) => wanted.includes(one)))
    throw refusal(
      `The token "${name}" may only ${grant.scopes.join(", ")}.`,
      scope === "user" ? "Use the user's token for this." : `This needs the scope ${wanted.join(" or ")}.`,
    )
  if (isLimited(grant) && !isLimitable && !path.startsWith(OF_ONE_SESSION))
    throw refusal(
      `The token "${name}" is for some sessions only, and this is about more than them.`,
      "Use a token without a session, label or folder for this.",
    )
}

async function answer(c: Ctx, one: ApiRoute, caller: Caller, { access, store }: Gates): Promise<Response> {
  const sessions = new VisibleSessions(store, caller)
  if (one.path.startsWith(OF_ONE_SESSION)) await sessions.check(c.req.param("id") ?? "")
  const given = await one.handle({
    sessions,
    params: checked(one.params, c.req.param(), "the path"),
    query: checked(one.query, queryOf(c), "the query"),
    body: checked(one.body, await bodyOf(c, one, caller), "the body"),
    caller,
    outgoing: c.env.outgoing,
    lastEvent: c.req.header("last-event-id"),
  })
  if (given === undefined) {
    if (caller.is === "token") endWithCredential(c, access, () => sessions.check(c.req.param("id") ?? ""))
    return RESPONSE_ALREADY_SENT
  }
  c.header("cache-control", "no-store")
  if ("text" in given) return c.body(given.text, 200, { "content-type": given.type ?? "application/json" })
  if (given.cookie !== undefined) c.header("set-cookie", given.cookie)
  return c.json(given.json as object, (given.status ?? 200) as ContentfulStatusCode)
}

/** Ends a stream when its token has expired or was removed, or when it may not see the session any more. */
function endWithCredential(c: Ctx, access: AccessControl, check: () => Promise<void>): void {
  const { outgoing } = c.env
  const authorization = c.req.header("authorization")
  const headers = { get: (name: string) => (name === "authorization" ? authorization : undefined) }
  const timer = setInterval(() => {
    if (access.caller(headers, false) === undefined) outgoing.destroy()
    else
      check().catch((error: unknown) => {
        if (apiError(error).status === 404) outgoing.destroy()
      })
  }, RECHECK_MS).unref()
  outgoing.on("close", () => clearInterval(timer))
}

/** Reads the query. A name that is given several times has all its values. */
function queryOf(c: Ctx): Readonly<Record<string, string | readonly string[] | undefined>> {
  const all = Object.entries(c.req.queries())
  return Object.fromEntries(all.map(([name, values]) => [name, values.length > 1 ? values : values[0]]))
}

async function bodyOf(c: Ctx, { body, method, most }: ApiRoute, caller: Caller): Promise<unknown> {
  if (body === undefined || method === "get") return undefined
  const text = await textOf(c.env.incoming, speaksAsUser(caller) ? (most ?? LIMITS.body) : LIMITS.body)
  if (text === "") return undefined
  const type = c.req.header("content-type") ?? ""
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw new ApiError(
      415,
      "not-json",
      `The body is "${type}".`,
      "Send JSON, with Content-Type: application/json.",
    )
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ApiError(400, "bad-json", `The body is not JSON: ${reasonOf(error)}.`, "Send one JSON object.")
  }
}

async function textOf(incoming: HttpBindings["incoming"], most: number): Promise<string> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of incoming as AsyncIterable<Buffer>) {
    size += piece.length
    if (size <= most) pieces.push(piece)
    else if (size > LIMITS.dropped) break
  }
  if (size > most) throw tooLarge(most)
  return Buffer.concat(pieces).toString("utf8")
}

function checked(schema: z.ZodType | undefined, given: unknown, where: string): unknown {
  if (schema === undefined) return undefined
  const found = schema.safeParse(given)
  if (found.success) return found.data
  const what = found.error.issues.map(({ path, message }) =>
    [path.join("."), message].filter(Boolean).join(": "),
  )
  throw new ApiError(
    400,
    "bad-request",
    `${where} is wrong: ${what.join("; ")}.`,
    "/openapi.json describes every request.",
  )
}

function failed(c: Ctx, error: unknown): Response {
  const known = apiError(error)
  if (known.status === 500) {
    const text = process.env.SOTTO_DEBUG && error instanceof Error ? error.stack : reasonOf(error)
    err.line(`sotto: ${redact(text ?? "", knownSecrets(process.env))}`)
  }
  for (const [name, value] of Object.entries(HEADERS)) c.header(name, value)
  c.header("cache-control", "no-store")
  if (known.retryAfter !== undefined) c.header("retry-after", String(known.retryAfter))
  return c.json(known.body, known.status as ContentfulStatusCode)
}

/** Tells a wrong method from a wrong path. */
function unknownPath(c: Ctx, routes: readonly ApiRoute[]): ApiError {
  const known = routes
    .filter(({ path }) => patternOf(path).test(c.req.path))
    .map(({ method }) => method.toUpperCase())
  const remedy = "/openapi.json lists what there is."
  if (known.length === 0) return new ApiError(404, "not-found", `There is nothing at ${c.req.path}.`, remedy)
  return new ApiError(405, "bad-method", `${c.req.path} takes ${known.join(" and ")}.`, remedy)
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`)
}
