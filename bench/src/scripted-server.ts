import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** A request and its reply, with when the one arrived and the other was sent, by `performance.now()`. */
export interface Exchange {
  readonly arrived: number
  readonly answered: number
  readonly body: string
}

export type Answer =
  | { readonly text: string }
  | { readonly call: { readonly name: string; readonly input: Readonly<Record<string, string>> } }

/** Speaks just enough of Anthropic's API to be quick about it: it checks nothing. `answer` is given the request's number. */
export async function scriptedServer(answer: (n: number) => Answer, onRequest: () => void) {
  const exchanges: Exchange[] = []
  let count = 0
  const server = createServer(async (request, response) => {
    const arrived = performance.now()
    onRequest()
    const n = ++count
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.end(streamOf(answer(n), n))
    exchanges.push({ arrived, answered: performance.now(), body: Buffer.concat(chunks).toString("utf8") })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function streamOf(answer: Answer, n: number): string {
  const isCall = "call" in answer
  const [block, delta] = isCall
    ? [
        { type: "tool_use", id: `toolu_${n}`, name: answer.call.name, input: {} },
        { type: "input_json_delta", partial_json: JSON.stringify(answer.call.input) },
      ]
    : [
        { type: "text", text: "" },
        { type: "text_delta", text: answer.text },
      ]
  const events = [
    { type: "message_start", message: { usage: { input_tokens: 1, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: isCall ? "tool_use" : "end_turn" },
      usage: { output_tokens: 9 },
    },
    { type: "message_stop" },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")
}
