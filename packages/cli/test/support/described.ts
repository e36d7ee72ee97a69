import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { ANSWER_SCHEMAS } from "../../src/server/answer-schemas.js"
import { openApi } from "../../src/server/openapi.js"
import { apiRoutes } from "../../src/server/server.js"

/** The server's routes, for what they say of themselves: without what they work with. */
export const ROUTES = apiRoutes({} as Parameters<typeof apiRoutes>[0])

/** The description that a server of this source would give, with these schemas of answers. */
export function description(answers: Readonly<Record<string, object>> = ANSWER_SCHEMAS) {
  return openApi(ROUTES, "0.0.0", answers)
}

type Responses = Readonly<
  Record<
    string,
    { readonly content?: Readonly<Record<string, { readonly schema: object }>>; readonly $ref?: string }
  >
>

const operations = ROUTES.map(({ method, path }) => {
  const known = description().paths[path]?.[method] as { readonly responses: Responses }
  const pattern = new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`)
  return { method: method.toUpperCase(), path, pattern, responses: known.responses }
})

const ajv = new Ajv2020({ strict: false, allErrors: false })
ajv.addSchema(closed({ $id: "api", ...description() }) as object)
const compiled = new Map<string, ValidateFunction>()

/**
 * Throws unless an answer of the server is as its description says. A field that the description does not have is
 * wrong, too: in the description objects may grow, in a test they may not.
 */
export function checkAnswer(
  { method, path, status, type }: { method: string; path: string; status: number; type: string },
  given: unknown,
): void {
  const [place = ""] = path.split("?")
  const known = operations.find((one) => one.method === method && one.pattern.test(place))
  if (known === undefined) return
  const response = known.responses[status] ?? known.responses.default
  const content = response?.content ?? contentOf(response?.$ref ?? "")
  const [media = ""] = type.split(";")
  const schema = content[media]?.schema ?? content[type]?.schema
  const name = `${method} ${known.path} ${status} ${media}`
  if (schema === undefined) throw new Error(`${name} is not described.`)
  const isValid = compiled.get(name) ?? ajv.compile(closed(schema, "api") as object)
  compiled.set(name, isValid)
  if (isValid(given)) return
  const wrong = isValid.errors?.map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
  throw new Error(
    `${name} is not as described: ${wrong?.join("; ")}\n${JSON.stringify(given).slice(0, 2_000)}`,
  )
}

/** Checks what an operation takes. */
export function inputOf(operationId: string): ValidateFunction {
  return schemaNamed(`${operationId.slice(0, 1).toUpperCase()}${operationId.slice(1)}Input`)
}

/** Checks what has the form of a named schema. */
export function schemaNamed(name: string): ValidateFunction {
  return ajv.compile({ $ref: `api#/components/schemas/${name}` })
}

function contentOf(ref: string): NonNullable<Responses[string]["content"]> {
  const { responses } = description().components
  return (responses[ref.split("/").at(-1) ?? ""] as Responses[string] | undefined)?.content ?? {}
}

/** Allows no field that a schema does not have. Refers to the schemas of the description. */
function closed(schema: unknown, base = ""): unknown {
  if (Array.isArray(schema)) return schema.map((one) => closed(one, base))
  if (schema === null || typeof schema !== "object") return schema
  const copy = Object.fromEntries(
    Object.entries(schema).map(([name, value]) =>
      name === "$ref" ? [name, `${base}${String(value)}`] : [name, closed(value, base)],
    ),
  )
  const isOpen =
    copy.properties !== undefined && typeof copy.properties === "object" && copy.type === "object"
  return isOpen && copy.additionalProperties === undefined ? { ...copy, additionalProperties: false } : copy
}
