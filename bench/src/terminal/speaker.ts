import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as wait } from "node:timers/promises"

/** A model that speaks at a given pace, in Anthropic's protocol: "stream 500 4" is 500 tokens a second for 4 seconds. */
export async function speaker(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text
    })
    request.on("end", () => void speak(response, paceIn(body)).catch(() => response.destroy()))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface Pace {
  readonly rate: number
  readonly seconds: number
}

function paceIn(body: string): Pace {
  const [, rate = "1000", seconds = "0"] = [...body.matchAll(/stream (\d+) (\d+)/g)].at(-1) ?? []
  return { rate: Number(rate), seconds: Number(seconds) }
}

/** By the clock, and not by the number of pauses: timers come late where a machine is busy. */
async function speak(response: ServerResponse, { rate, seconds }: Pace): Promise<void> {
  const send = (data: object & { readonly type: string }) =>
    response.write(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`)
  response.writeHead(200, { "content-type": "text/event-stream" })
  const usage = { input_tokens: 1, output_tokens: 1 }
  send({
    type: "message_start",
    ...{ message: { id: "m", type: "message", role: "assistant", model: "m", content: [], usage } },
  } as { readonly type: string })
  send({ type: "content_block_start", ...{ index: 0, content_block: { type: "text", text: "" } } })
  const began = performance.now()
  for (let said = 0; said < rate * seconds; ) {
    const due = Math.min(rate * seconds, Math.floor(((performance.now() - began) / 1000) * rate))
    for (; said < due; said++) {
      const text = said % 60 === 59 ? "end.\n\n" : "word "
      send({ type: "content_block_delta", ...{ index: 0, delta: { type: "text_delta", text } } })
    }
    await wait(1)
  }
  send({ type: "content_block_stop", ...{ index: 0 } })
  send({ type: "message_delta", ...{ delta: { stop_reason: "end_turn" }, usage } })
  send({ type: "message_stop" })
  response.end()
}
