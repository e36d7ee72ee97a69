import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

/** Decides about each event of a response: false holds it and all that follow, until the client has gone. */
type Passes = (event: string, place: { readonly response: number; readonly event: number }) => boolean

export interface Gate {
  readonly url: string
  /** Resolves when an event is held for the first time. */
  readonly held: Promise<void>
  close(): Promise<void>
}

/** Stands between a client and a server, and holds a stream at a chosen event. So no test has to guess how long one takes. */
export async function openGate(to: string, passes: Passes): Promise<Gate> {
  let hold = () => {}
  const held = new Promise<void>((resolve) => {
    hold = resolve
  })
  let responses = 0
  const server = createServer(async (incoming, outgoing) => {
    const body = await text(incoming)
    const { method, url, headers } = incoming
    const onward = request(new URL(url ?? "/", to), { method, headers }, (answer) => {
      const response = responses++
      const isStream = answer.headers["content-type"]?.includes("event-stream") ?? false
      let events = 0
      let rest = ""
      let isHeld = false
      const head = () => {
        if (!outgoing.headersSent) outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      }
      const pass = (event: string) => {
        isHeld ||= !passes(event, { response, event: events++ })
        if (isHeld) return hold()
        head()
        outgoing.write(event)
      }
      answer.setEncoding("utf8").on("data", (data: string) => {
        rest += data
        if (!isStream) return
        const parts = rest.split(/(?<=\r?\n\r?\n)/)
        rest = parts.pop() ?? ""
        for (const part of parts) pass(part)
      })
      answer.on("end", () => {
        if (rest !== "") pass(rest)
        if (isHeld) return
        head()
        outgoing.end()
      })
    })
    outgoing.on("close", () => onward.destroy())
    onward.on("error", () => outgoing.destroy())
    onward.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    held,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
