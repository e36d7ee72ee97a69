import type { ServerResponse } from "node:http"
import type { z } from "zod"
import type { Caller } from "./access.js"
import type { Scope } from "./tokens.js"
import type { VisibleSessions } from "./visible-sessions.js"

/**
 * Who may use a route: everybody; who has the page's address; every credential; the user alone; or the user, and tokens with
 * one of these scopes.
 */
export type RouteScope = "everybody" | "page" | "credential" | "user" | Scope | readonly Scope[]

/** What a route works with: what the request says, checked by the route's own schemas. */
interface Asked<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly caller: Caller
  /** The sessions that the caller may know of. */
  readonly sessions: VisibleSessions
  /** For event streams, which write to it themselves. */
  readonly outgoing: ServerResponse
  /** `Last-Event-ID`, which a browser sends when it connects again. */
  readonly lastEvent: string | undefined
}

/** What a route answers with. Undefined: it has written to the response itself. */
type Answer =
  | { readonly status?: number; readonly json: unknown; readonly cookie?: string }
  /** JSON that is text already, or text of another type. */
  | { readonly text: string; readonly type?: string }
  | undefined

/**
 * One path of the API, as data. Requests are checked by its schemas, and the OpenAPI description is made from the same
 * ones.
 */
export interface ApiRoute<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
> {
  readonly method: "get" | "post" | "patch" | "delete"
  /** With `{name}` for parameters. */
  readonly path: string
  readonly summary: string
  /** Its name in the description, and the client's method. It never changes. */
  readonly operationId: string
  readonly scope: RouteScope
  /** True if a channel may use it too: for its own messages, and for nothing else. */
  readonly isForChannels?: boolean
  /**
   * True if it keeps to the sessions that its caller may see, by `sessions`. A route below `/sessions/{id}` does so without
   * it. A token that is limited to some sessions may use no other route.
   */
  readonly isLimitable?: boolean
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  /** Bytes that the user may send; `LIMITS.body` unless given, and for a channel. */
  readonly most?: number
  /** What it answers with, if all is well. */
  readonly answer: z.ZodType
  readonly status?: number
  /** True if it answers 202, with the same kind of answer, while the process that holds the session has yet to do it. */
  readonly mayWait?: boolean
  /** True for server-sent events: `answer` describes the data of one. */
  readonly isStream?: boolean
  /** The media type of an answer that is text and not JSON. */
  readonly type?: string
  handle(asked: Asked<z.infer<Params>, z.infer<Query>, z.infer<Body>>): Answer | Promise<Answer>
}

/** Keeps the types of a route's schemas for its handler, and forgets them for the list. */
export function route<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType>(
  one: ApiRoute<Params, Query, Body>,
): ApiRoute {
  return one as unknown as ApiRoute
}
