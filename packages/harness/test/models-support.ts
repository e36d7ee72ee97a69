import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { createSession, type Request, type Session } from "@sotto/core"
import { type RehearsalOptions, startRehearsal } from "@sotto/rehearsal"
import { onTestFinished } from "vitest"
import type { Environment } from "../src/platform/workspace/folders.js"

/** A model for each of the dialects, by its full name. */
export const MODELS = [
  "anthropic/claude-opus-5-5",
  "openai/gpt-5.6",
  "openai-chat/gpt-5.6",
  "google/gemini-3-pro",
] as const

export function environment(url: string): Environment {
  return {
    ANTHROPIC_BASE_URL: url,
    OPENAI_BASE_URL: `${url}/v1`,
    GOOGLE_GEMINI_BASE_URL: url,
    ANTHROPIC_API_KEY: "key-a",
    OPENAI_API_KEY: "key-o",
    GEMINI_API_KEY: "key-g",
  }
}

export async function rehearsalFor(options: RehearsalOptions) {
  const rehearsal = await startRehearsal(options)
  onTestFinished(() => rehearsal.close())
  return rehearsal
}

export function sessionOf(model: string): Session {
  return createSession({
    agents: [{ name: "build", mode: "primary" }],
    model: { id: model },
    tools: [{ name: "read", description: "Reads.", inputSchema: { type: "object" } }],
    now: () => 0,
    newId: () => "session",
  })
}

export function requestOf(session: Session): Request {
  const next = session.next()
  if (next.is !== "request") throw new Error(`expected a request, got ${next.is}`)
  return next.request
}

/** The first request of a session that was asked something. */
export function asking(model: string, words = "Hello"): Request {
  const session = sessionOf(model)
  session.say(words)
  return requestOf(session)
}

interface Received {
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

/** A provider that does what the handler says. */
export async function providerThat(
  handle: (response: ServerResponse, attempt: number) => void | Promise<void>,
) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const { url: path = "", headers } = request
    received.push({ path, headers, body: Buffer.concat(chunks).toString("utf8") })
    await handle(response, received.length)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

export function json(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
}

/** What Anthropic streams for a text, as the text of the whole stream. */
export function anthropicStream(...texts: readonly string[]): string {
  const events = [
    { type: "message_start", message: { usage: { input_tokens: 3, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...texts.map((text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 7 } },
    { type: "message_stop" },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")
}

export const EVENTS = { "content-type": "text/event-stream" }
