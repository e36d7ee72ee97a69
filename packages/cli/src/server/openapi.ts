import { z } from "zod"
import { ANSWER_SCHEMAS } from "./answer-schemas.js"
import type { ApiRoute, RouteScope } from "./route.js"

const METHODS_WITH_BODY = ["post", "patch"]
const SCHEMAS = "#/components/schemas/"

/** What an operation may answer instead, by status. */
const REFUSALS = {
  400: { name: "BadRequest", description: "The request is wrong. The message says where." },
  401: { name: "Unauthorized", description: "The request has no valid credential." },
  403: { name: "Forbidden", description: "This credential, host or origin may not do this." },
  404: { name: "NotFound", description: "There is no such thing, or this credential may not see it." },
  409: { name: "Conflict", description: "The state of the session, or an id that is taken, is in the way." },
  429: { name: "TooMany", description: "Too much at once. The message names the limit." },
  503: {
    name: "NotNow",
    description: "The store is away or busy, or the server makes room for another. Send it again.",
  },
} as const
type Refusal = keyof typeof REFUSALS
const LATER: readonly number[] = [429, 503]

/** Makes the OpenAPI description. `answers` are the schemas of the types that answers.ts exports. */
export function openApi(
  routes: readonly ApiRoute[],
  version: string,
  answers: Readonly<Record<string, object>> = ANSWER_SCHEMAS,
) {
  const schemas: Record<string, object> = { ...answers }
  const paths: Record<string, Record<string, unknown>> = {}
  for (const one of routes) {
    const path = paths[one.path] ?? {}
    paths[one.path] = path
    path[one.method] = operation(one, schemas)
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "sotto serve",
      version,
      description: "Sessions of Sotto, recordings and running proxies, over HTTP and server-sent events.",
    },
    paths,
    webhooks: {
      event: {
        post: {
          operationId: "receiveEvent",
          summary: "Posted to the webhooks of the user's own sotto.json, signed as Standard Webhooks are",
          requestBody: { required: true, content: json({ $ref: `${SCHEMAS}WebhookMessage` }) },
          responses: { "2XX": { description: "It was taken. Any other answer has it sent again." } },
        },
      },
    },
    components: {
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "The user's own token, a token with scopes, or that of a channel.",
        },
        page: {
          type: "apiKey",
          in: "cookie",
          name: "sotto-PORT",
          description: "The page's, from POST /browser.",
        },
      },
      responses: Object.fromEntries(Object.entries(REFUSALS).map(([status, one]) => refusal(status, one))),
      schemas,
    },
  }
}

function refusal(status: string, { name, description }: (typeof REFUSALS)[Refusal]) {
  const seconds = { description: "Seconds to wait before it is sent again.", schema: { type: "integer" } }
  const headers = LATER.includes(Number(status)) ? { headers: { "Retry-After": seconds } } : {}
  return [name, { description, ...headers, content: json({ $ref: `${SCHEMAS}ErrorAnswer` }) }] as const
}

function operation(one: ApiRoute, schemas: Record<string, object>) {
  const { summary, scope, method, params, query, body, status = 200, mayWait = false } = one
  const schema = jsonSchema(one.answer, "output", schemas)
  const type = one.isStream ? "text/event-stream" : (one.type ?? "application/json")
  const content = { [type]: { schema } }
  const parameters = [...fieldsOf(params, "path", schemas), ...fieldsOf(query, "query", schemas)]
  const input = METHODS_WITH_BODY.includes(method) ? body : undefined
  return {
    operationId: one.operationId,
    summary,
    security: securityOf(scope),
    ...(parameters.length > 0 && { parameters }),
    ...(input && { requestBody: requestBody(one.operationId, input, schemas) }),
    responses: {
      [status]: { description: one.isStream ? "The data of each event." : "It is done.", content },
      ...(mayWait && {
        202: { description: "It waits for the process that holds the session.", content },
      }),
      ...Object.fromEntries(refusalsOf(one).map((code) => [code, referTo(REFUSALS[code].name)])),
      default: {
        description: "What is wrong, and what to do.",
        content: json({ $ref: `${SCHEMAS}ErrorAnswer` }),
      },
    },
  }
}

/** Says which credentials an operation takes. The names are scopes of a token, or `user` for the user's own. */
function securityOf(scope: RouteScope) {
  if (scope === "page" || scope === "everybody") return []
  return [{ token: scope === "credential" ? [] : [scope].flat() }, { page: [] }]
}

/** Lists by which statuses an operation may refuse. */
function refusalsOf({ scope, params, query, body, mayWait }: ApiRoute): readonly Refusal[] {
  const takesInput = params !== undefined || query !== undefined || body !== undefined
  return [
    ...(takesInput ? ([400] as const) : []),
    ...(scope === "everybody" ? [] : ([401] as const)),
    403,
    ...(takesInput ? ([404] as const) : []),
    ...(mayWait ? ([409] as const) : []),
    429,
    503,
  ]
}

function referTo(name: string) {
  return { $ref: `#/components/responses/${name}` }
}

function json(schema: object) {
  return { "application/json": { schema } }
}

/** Names what an operation takes after it: `SayInput`. */
function requestBody(operationId: string, body: z.ZodType, schemas: Record<string, object>) {
  const name = `${operationId.slice(0, 1).toUpperCase()}${operationId.slice(1)}Input`
  schemas[name] = jsonSchema(body, "input", schemas)
  return { required: !body.safeParse(undefined).success, content: json({ $ref: `${SCHEMAS}${name}` }) }
}

function fieldsOf(schema: z.ZodType | undefined, where: "path" | "query", schemas: Record<string, object>) {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = jsonSchema(schema, "input", schemas)
  return Object.entries(properties).map(([name, field]) => ({
    name,
    in: where,
    required: where === "path" || required.includes(name),
    schema: field,
  }))
}

/** Makes a schema, and adds those of its parts that have a name to the components. */
function jsonSchema(schema: z.ZodType, io: "input" | "output", schemas: Record<string, object>) {
  const made = z.toJSONSchema(schema, { io, unrepresentable: "any" })
  const {
    $schema: _,
    $defs,
    ...rest
  } = JSON.parse(JSON.stringify(made).replaceAll('"#/$defs/', `"${SCHEMAS}`)) as z.core.JSONSchema.BaseSchema
  for (const [name, { id: __, ...part }] of Object.entries($defs ?? {})) schemas[name] ??= part
  return rest
}
