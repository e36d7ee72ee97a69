import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/*
 * A provider in a process of its own. The header `x-bench: EVENTS,MILLISECONDS` asks for so many events, so far apart;
 * the first comes at once.
 */
const EVENT = `event: content_block_delta\ndata: ${JSON.stringify({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "some words " } })}\n\n`

const server = createServer((incoming, response) => {
  incoming.resume().once("end", () => {
    const [events = 1, every = 0] = String(incoming.headers["x-bench"] ?? "1,0")
      .split(",")
      .map(Number)
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.write(EVENT)
    if (events === 1) {
      response.end()
      return
    }
    let sent = 1
    const timer = setInterval(() => {
      response.write(EVENT)
      if (++sent < events) return
      clearInterval(timer)
      response.end()
    }, every)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => {
  process.stderr.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.once("SIGINT", () => process.exit(0))
