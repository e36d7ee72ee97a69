import type { ServerResponse } from "node:http"
import { setTimeout as wait } from "node:timers/promises"
import type { AnsweredRequest } from "../rehearse.js"
import { type ServerSentEvent, writeFrame } from "../reply/frame.js"

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
}

/** Sends an answer at its pace, as far as it goes, and tells `sent` of each event. `asList`: Gemini's stream where no events are asked for. */
export async function sendAnswer(
  response: ServerResponse,
  answer: AnsweredRequest,
  asList: boolean,
  gone: AbortSignal,
  sent: (frame: Pick<ServerSentEvent, "token" | "counted">) => void,
) {
  const { content, headers, delay, tokenDelay, drop } = answer
  if (delay > 0) await wait(delay, undefined, { signal: gone })
  if (drop === "before") return void response.destroy()
  if ("body" in content || asList) {
    const text = JSON.stringify("body" in content ? content.body : content.frames.map(({ data }) => data))
    response.writeHead(200, {
      ...headers,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
    })
    if (drop === undefined) sent({ counted: answer.reply.usage })
    if (drop === undefined) return void response.end(text)
    return cut(response, text.slice(0, text.length / 2))
  }
  response.writeHead(200, {
    ...headers,
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  })
  const frames = drop ? content.frames.slice(0, Math.ceil(content.frames.length / 2)) : content.frames
  await sendFrames(response, frames, tokenDelay, gone, sent)
  if (drop) return cut(response, "")
  response.end()
}

async function sendFrames(
  response: ServerResponse,
  frames: readonly ServerSentEvent[],
  tokenDelay: number,
  gone: AbortSignal,
  sent: (frame: ServerSentEvent) => void,
) {
  for (const frame of frames) {
    if (frame.token && tokenDelay > 0) await wait(tokenDelay, undefined, { signal: gone })
    if (gone.aborted) return
    response.write(writeFrame(frame))
    sent(frame)
  }
}

/** Sends what was written before the connection goes, so that it breaks where it should. */
function cut(response: ServerResponse, text: string): Promise<void> {
  return new Promise((resolve) => {
    response.write(text === "" ? "\n" : text, () => {
      response.destroy()
      resolve()
    })
  })
}
