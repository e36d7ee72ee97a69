import { z } from "zod"
import type { ApiRoute } from "./route.js"
import { errorAnswer } from "./schemas.js"

const METHODS_WITH_BODY = ["post", "patch"]

export function openApi(routes: readonly ApiRoute[], version: string) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const one of routes) {
    const path = paths[one.path] ?? {}
    paths[one.path] = path
    path[one.method] = operation(one)
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "sotto serve",
      version,
      description: "Sessions of Sotto, recordings and running proxies, over HTTP and server-sent events.",
    },
    security: [{ token: [] }, { page: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "The user's token, or that of a channel." },
        page: {
          type: "apiKey",
          in: "cookie",
          name: "sotto-PORT",
          description: "The page's, from POST /browser.",
        },
      },
      schemas: { Error: jsonSchema(errorAnswer, "output") },
    },
  }
}

function operation(one: ApiRoute) {
  const { summary, open, method, path, params, query, body, answer, status = 200 } = one
  const schema = jsonSchema(answer, "output")
  const type = one.isStream ? "text/event-stream" : (one.type ?? "application/json")
  const content = { [type]: { schema } }
  const parameters = [...fieldsOf(params, "path"), ...fieldsOf(query, "query")]
  return {
    operationId: one.operationId ?? idOf(method, path),
    summary,
    ...((open === "page" || open === "everybody") && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body &&
      METHODS_WITH_BODY.includes(method) && {
        requestBody: {
          required: !body.safeParse(undefined).success,
          content: { "application/json": { schema: jsonSchema(body, "input") } },
        },
      }),
    responses: {
      [status]: { description: "All is well.", content },
      429: { description: "Too much at once. The message names the limit.", ...later },
      503: {
        description:
          "Not now: the store is away or busy, or the server makes room for another. Send it again.",
        ...later,
      },
      default: { description: "What is wrong, and what to do.", ...wrong },
    },
  }
}

const wrong = { content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } } }
const later = {
  headers: {
    "Retry-After": { description: "Seconds to wait before it is sent again.", schema: { type: "integer" } },
  },
  ...wrong,
}

/** Makes `getSessionsIdEvents` from `GET /sessions/{id}/events`. */
function idOf(method: string, path: string): string {
  return (
    method + (path.match(/\w+/g) ?? []).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")
  )
}

function fieldsOf(schema: z.ZodType | undefined, where: "path" | "query") {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = jsonSchema(schema, "input")
  return Object.entries(properties).map(([name, field]) => ({
    name,
    in: where,
    required: where === "path" || required.includes(name),
    schema: field,
  }))
}

function jsonSchema(schema: z.ZodType, io: "input" | "output") {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" })
  return rest
}
