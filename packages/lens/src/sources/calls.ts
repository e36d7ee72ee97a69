import { field, jsonIn, stringField } from "@sotto/core/dialect"
import type { Call, CallResponse, SourceFormat, SourceItem } from "../call.js"
import { endpointOf, isRequestBody } from "./endpoint.js"
import { isObject, numberOf, type SourceFields, timeOf } from "./json.js"
import type { SourceLine } from "./lines.js"

/** Reads one line of a JSONL of bodies or of calls. Undefined if the call goes to something other than a model. */
export function callIn(source: string, { number, text }: SourceLine): SourceItem | undefined {
  const found = jsonIn(text)
  if (!isObject(found))
    return damaged(source, number, found === undefined ? "is not JSON" : "is not an object")
  const { request } = found
  const address =
    stringField(request, "path") ??
    stringField(request, "url") ??
    stringField(found, "path") ??
    stringField(found, "url")
  const endpoint = address === undefined ? undefined : endpointOf(address)
  if (address !== undefined && endpoint === undefined) return undefined
  const body = bodyIn(found)
  if (body === undefined) return damaged(source, number, "holds no request body")
  const sent = bodyOf(field(found.sent, "body"))
  const response = responseOf(found.response)
  const betas = betasIn(field(request, "headers") ?? found.headers)
  const at = timeOf(found.at ?? found.timestamp)
  const ms = numberOf(found, "ms")
  const error = stringField(found, "error") ?? stringField(found.error, "message")
  const call: Call = {
    source,
    number,
    ...body,
    ...endpoint,
    ...(address !== undefined && { path: address }),
    ...(at !== undefined && { at }),
    ...(ms !== undefined && { ms }),
    ...(betas && { betas }),
    ...(response && { response }),
    ...(error !== undefined && { error }),
    ...(sent && { sent }),
  }
  return { type: "call", call }
}

/** Tells which of the two formats a line is of; undefined if it is of neither. */
export function formatOfLine(found: unknown): SourceFormat | undefined {
  if (!isObject(found) || bodyIn(found) === undefined) return undefined
  const { request, response } = found
  const isCall = isObject(request) && field(request, "body") !== undefined && !isRequestBody(request)
  return isCall && (response !== undefined || "path" in request || "url" in request || "method" in request)
    ? "calls"
    : "bodies"
}

/** Finds the body: the line itself, or under `body`, `request` or `request.body`, as an object or as the raw text. */
function bodyIn(found: SourceFields): Pick<Call, "body" | "text"> | undefined {
  if (isRequestBody(found)) return { body: found }
  const { body, request } = found
  return bodyOf(field(request, "body")) ?? bodyOf(body) ?? bodyOf(request)
}

function bodyOf(value: unknown): Pick<Call, "body" | "text"> | undefined {
  if (isRequestBody(value)) return { body: value }
  if (typeof value !== "string") return undefined
  const body = jsonIn(value)
  return isRequestBody(body) ? { body, text: value } : undefined
}

function responseOf(value: unknown): CallResponse | undefined {
  if (!isObject(value)) return undefined
  const { status, body } = value
  // Some recordings have the response's body in its place.
  const content = body === undefined && status === undefined ? value : body
  return {
    ...(typeof status === "number" && { status }),
    ...(typeof content === "string" ? { text: content } : content !== undefined && { body: content }),
  }
}

/** Lists what `anthropic-beta` names, in headers as an object or as a list of names and values. */
export function betasIn(headers: unknown): readonly string[] | undefined {
  const pairs = Array.isArray(headers)
    ? headers.map((one) => [stringField(one, "name") ?? "", field(one, "value")] as const)
    : Object.entries(isObject(headers) ? headers : {})
  const found = pairs
    .filter(([name]) => name.toLowerCase() === "anthropic-beta")
    .flatMap(([, value]) => value)
  const betas = found.flatMap((value) => String(value).split(",")).map((beta) => beta.trim())
  return betas.length === 0 ? undefined : betas
}

export function damaged(source: string, number: number, what: string): SourceItem {
  return { type: "damage", damage: { source, number, message: `It ${what}.` } }
}
