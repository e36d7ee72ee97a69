import type { Endpoint } from "@sotto/lens/sources"
import { headerOf, type RawHeaders } from "../transport/headers.js"
import { type MendResult, TOO_LARGE } from "../transport/tap.js"
import { type DecodedBody, decoded } from "./decode.js"

/** The bytes of a body in blocks. Nothing is kept of one that is larger than `LARGEST_BODY`. */
type CapturedBody = readonly Uint8Array<ArrayBuffer>[] | "too large"

/** A call as it passed, in bytes: what the analysis is handed. */
export interface CapturedCall {
  /** Counted from 1 in this run, in the order in which calls end: the order of the lines of a recording. */
  readonly number: number
  readonly at: number
  readonly ms: number
  readonly method: string
  readonly path: string
  readonly endpoint: Endpoint
  readonly headers: RawHeaders
  readonly body: CapturedBody
  readonly response?: { readonly status: number; readonly headers: RawHeaders; readonly body: CapturedBody }
  readonly error?: string
  /** What became of the request, if a policy is on. */
  readonly mending?: MendResult
}

/** The texts of a call. */
export interface CallTexts {
  readonly request: DecodedBody
  readonly response?: DecodedBody
}

export function textsOf({ headers, body, response }: CapturedCall): CallTexts {
  return {
    request: textOf(body, headers),
    ...(response && { response: textOf(response.body, response.headers) }),
  }
}

function textOf(body: CapturedBody, headers: RawHeaders): DecodedBody {
  if (body === "too large") return { problem: TOO_LARGE }
  return decoded(Buffer.concat(body), headerOf(headers, "content-encoding"))
}

/**
 * Writes one call as a recording has it: the contents exactly, and nothing that could be used to sign in. Leaves out
 * the contents if they would make a longer line than a text can be: in JSON a character may take six.
 */
export function lineOf(call: CapturedCall, texts: CallTexts): string {
  try {
    return wholeLine(call, texts)
  } catch {
    const problem = { problem: "too long for a line of a recording" }
    const { mending: _, ...rest } = call
    return wholeLine(rest, { request: problem, response: problem })
  }
}

function wholeLine(call: CapturedCall, { request, response }: CallTexts): string {
  const { at, ms, method, path, headers, error, mending } = call
  return JSON.stringify({
    at,
    ms,
    request: { method, path: pathWithoutKeys(path), headers: recordable(headers), body: said(request) },
    ...(call.response &&
      response && {
        response: {
          status: call.response.status,
          headers: recordable(call.response.headers),
          body: said(response),
        },
      }),
    ...(mending?.body !== undefined && { sent: { body: mending.body } }),
    ...(error !== undefined && { error }),
  })
}

function said(body: DecodedBody): string {
  return "text" in body ? body.text : `(sotto proxy: this body cannot be shown. It is ${body.problem}.)`
}

/** Headers that say something about the call and cannot be used to sign in. Any other header may hold a credential. */
const RECORDED = new Set(
  [
    ..."accept content-type user-agent date server retry-after via x-app originator session_id".split(" "),
    ..."anthropic-version anthropic-beta anthropic-dangerous-direct-browser-access openai-beta".split(" "),
    ..."openai-version openai-model openai-processing-ms x-goog-api-client x-server-timing server-timing".split(
      " ",
    ),
    ..."request-id x-request-id x-should-retry x-envoy-upstream-service-time cf-cache-status".split(" "),
  ].map((name) => name.toLowerCase()),
)
const RECORDED_FAMILY = /^(x-stainless-|anthropic-ratelimit-|x-ratelimit-|x-codex-)[a-z0-9-]+$/

function recordable(headers: RawHeaders): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {}
  for (let i = 0; i < headers.length; i += 2) {
    const name = (headers[i] ?? "").toLowerCase()
    if (!RECORDED.has(name) && !RECORDED_FAMILY.test(name)) continue
    const value = headers[i + 1] ?? ""
    kept[name] = kept[name] === undefined ? value : `${kept[name]}, ${value}`
  }
  return kept
}

const SHOWN_PARAMETERS = new Set(["alt", "$alt", "beta", "api-version"])
const REMOVED = "[removed]"

/**
 * Removes from the path what may be a key: parameters are kept by name, and of a gateway's prefix only plain words. The
 * part that names the API, with the model, stays.
 */
function pathWithoutKeys(path: string): string {
  const [pathname = "", query] = path.split("?", 2)
  const segments = pathname.split("/")
  const isApi = segments.findLastIndex((segment) =>
    /^v\d\w*$|^models$|^messages$|^responses$|^chat$/.test(segment),
  )
  const shown = segments.map((segment, i) => (i >= isApi && isApi >= 0 ? segment : plainSegment(segment)))
  const parameters = (query ?? "")
    .split("&")
    .filter((one) => SHOWN_PARAMETERS.has(one.split("=", 1)[0] ?? ""))
  return `${shown.join("/")}${parameters.length > 0 ? `?${parameters.join("&")}` : ""}`
}

function plainSegment(segment: string): string {
  return /^$|^v\d\w{0,8}$|^[a-z]{1,20}([-_.][a-z]{1,20}){0,3}$/i.test(segment) ? segment : REMOVED
}
