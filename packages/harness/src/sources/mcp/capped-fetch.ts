import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js"
import { fieldsOf } from "./fields.js"
import { LineSplitter } from "./line-splitter.js"
import { answeredBy, LONGEST_MESSAGE, tooLongAnswer } from "./too-long.js"

/** Of the body of a refusal, which only people read. */
const LONGEST_REFUSAL = 10_000

/** A fetch that takes no message longer than may be held, and says when a stream has come to its end. */
export function cappedFetch(onStreamEnd: () => void): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init)
    const { body, status, statusText, headers } = response
    if (body === null) return response
    const as = (content: ReadableStream<Uint8Array> | string) =>
      new Response(content, { status, statusText, headers: plain(headers) })
    if (!response.ok) return as(body.pipeThrough(cutAfter(LONGEST_REFUSAL)))
    const type = headers.get("content-type") ?? ""
    const asked = requestIn(init?.body)
    if (type.startsWith("text/event-stream")) return as(body.pipeThrough(eventsWithin(asked, onStreamEnd)))
    if (type.startsWith("application/json")) return as(await jsonWithin(body, asked))
    return response
  }
}

/** The body is no longer compressed, nor as long as it was. */
function plain(headers: Headers): Headers {
  const kept = new Headers(headers)
  for (const name of ["content-encoding", "content-length"]) kept.delete(name)
  return kept
}

/** The id of the request that the answer is for. */
function requestIn(body: unknown): unknown {
  if (typeof body !== "string") return undefined
  try {
    return fieldsOf(JSON.parse(body)).id
  } catch {
    return undefined
  }
}

async function jsonWithin(body: ReadableStream<Uint8Array>, id: unknown): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    // Leaving the loop cancels the rest of it.
    if (bytes > LONGEST_MESSAGE) return JSON.stringify(tooLongAnswer(id, bytes))
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

/** An event has its data in one line: JSON that is sent has no line breaks. */
function eventsWithin(asked: unknown, onEnd: () => void): TransformStream<Uint8Array, Uint8Array> {
  const encoder = new TextEncoder()
  let lines: LineSplitter
  return new TransformStream({
    start(controller) {
      const send = (line: string) => controller.enqueue(encoder.encode(`${line}\n`))
      lines = new LineSplitter(LONGEST_MESSAGE, send, (long) => {
        const id = answeredBy(long) ?? asked
        if (id !== undefined) send(`data: ${JSON.stringify(tooLongAnswer(id, long.bytes))}`)
      })
    },
    transform: (chunk) => lines.push(Buffer.from(chunk)),
    flush: onEnd,
  })
}

function cutAfter(most: number): TransformStream<Uint8Array, Uint8Array> {
  let left = most
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left))
      left -= Math.min(left, chunk.length)
      if (left === 0) controller.terminate()
    },
  })
}
