import type { SourceItem } from "../call.js"
import { betasIn } from "./calls.js"
import { elementsAt } from "./elements.js"
import { endpointOf, isRequestBody } from "./endpoint.js"
import { fieldOf, isObject, numberOf, parsed, textOf, timeOf } from "./json.js"

/** The calls to models in an HTTP archive, as browsers and proxies write it. */
export async function* harItems(source: string, chunks: AsyncIterable<string>): AsyncGenerator<SourceItem> {
  for await (const { number, text } of elementsAt(chunks, ["log", "entries"])) {
    const entry = parsed(text)
    const found = isObject(entry) ? callOf(source, number, entry) : "is damaged"
    if (typeof found === "string")
      yield { type: "damage", damage: { source, number, message: `It ${found}.` } }
    else if (found !== undefined) yield found
  }
}

/** Undefined: a call to something that is no model. A text: what is wrong with it. */
function callOf(source: string, number: number, entry: object): SourceItem | string | undefined {
  const request = fieldOf(entry, "request")
  const url = textOf(request, "url") ?? ""
  const endpoint = endpointOf(url)
  if (endpoint === undefined || textOf(request, "method")?.toUpperCase() !== "POST") return undefined
  const text = contentOf(fieldOf(request, "postData"))
  if (text === undefined) return "has no request body"
  const body = parsed(text)
  if (!isRequestBody(body)) return "has a request body that is not JSON"
  const response = fieldOf(entry, "response")
  const status = numberOf(response, "status")
  const reply = contentOf(fieldOf(response, "content"))
  const at = timeOf(fieldOf(entry, "startedDateTime"))
  const ms = numberOf(entry, "time")
  const betas = betasIn(fieldOf(request, "headers"))
  const call = {
    source,
    number,
    ...endpoint,
    path: url.replace(/^[a-z]+:\/\/[^/]+/i, "").replace(/([?&]key=)[^&]*/, "$1…"),
    body,
    text,
    ...(at !== undefined && { at }),
    ...(ms !== undefined && { ms }),
    ...(betas && { betas }),
    ...(status !== undefined &&
      status > 0 && { response: { status, ...(reply !== undefined && { text: reply }) } }),
  }
  return { type: "call", call }
}

/** The text of a body. Some programs write it in base64, whatever it is. */
function contentOf(content: unknown): string | undefined {
  const text = textOf(content, "text")
  if (text === undefined || textOf(content, "encoding") !== "base64") return text
  try {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
    return new TextDecoder().decode(bytes)
  } catch {
    return undefined
  }
}
