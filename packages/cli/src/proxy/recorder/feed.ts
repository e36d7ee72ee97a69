import type { IncomingMessage, ServerResponse } from "node:http"
import { answerTo, PROOF_PATH } from "../../peers/proof.js"
import { isSame } from "../../peers/secrets.js"
import { refuse } from "../transport/answers.js"

/** Milliseconds between two signs of life on a feed that has nothing to say. */
const SIGN_MS = 15_000

/**
 * Answers `GET /.sotto/proof?nonce=…` with the proof that this proxy wrote its registration, to anybody. Answers
 * `GET /.sotto/calls?from=N`, to who has the token, with the calls from number N on, and with each later one as it comes, as
 * server-sent events: the id is the number of the call, the data is its line in a recording.
 */
export function feedOf(
  calls: NewestCalls,
  token: string,
  secret: string,
): (incoming: IncomingMessage, response: ServerResponse) => void {
  return (incoming, response) => {
    const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://127.0.0.1")
    if (pathname === PROOF_PATH) {
      const proof = answerTo("proxy", secret, incoming)
      if (proof === undefined)
        return refuse(response, { status: 400, message: "the challenge has no proper nonce." })
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ proof }))
      return
    }
    if (!isSame(incoming.headers.authorization ?? "", `Bearer ${token}`))
      return refuse(response, {
        status: 401,
        message: "this needs the token of the proxy, which is in its file in the folder `run`.",
      })
    if (pathname !== "/.sotto/calls" || incoming.method !== "GET")
      return refuse(response, { status: 404, message: "there is only GET /.sotto/calls?from=N." })
    const last = Number(incoming.headers["last-event-id"])
    const wanted = Number(searchParams.get("from") ?? (Number.isInteger(last) ? last + 1 : 1))
    if (!Number.isInteger(wanted))
      return refuse(response, { status: 400, message: "`from` has to be the number of a call." })
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" })
    response.flushHeaders()
    let next = wanted
    let isFull = false
    const go = () => {
      for (let kept = calls.from(next); kept !== undefined && !isFull; kept = calls.from(next)) {
        next = kept.number + 1
        response.write(`id: ${kept.number}\ndata: `)
        response.write(kept.line)
        isFull = !response.write("\n\n")
      }
    }
    response.on("drain", () => {
      isFull = false
      go()
    })
    const stop = calls.listen(go)
    const sign = setInterval(() => response.write(":\n\n"), SIGN_MS).unref()
    response.once("close", () => {
      stop()
      clearInterval(sign)
    })
    go()
  }
}

/** Bytes of recorded lines that are kept for those who look on. */
const ROOM = 64 * 1024 * 1024

export interface KeptLine {
  readonly number: number
  readonly line: Uint8Array
}

/** The newest calls of a proxy that runs, as lines of a recording, in memory only. */
export class NewestCalls {
  readonly #room: number
  readonly #lines: KeptLine[] = []
  readonly #listeners = new Set<() => void>()
  #bytes = 0

  constructor(room = ROOM) {
    this.#room = room
  }

  add(number: number, line: Uint8Array): void {
    this.#lines.push({ number, line })
    this.#bytes += line.length
    while (this.#bytes > this.#room && this.#lines.length > 1)
      this.#bytes -= this.#lines.shift()?.line.length ?? 0
    for (const listener of [...this.#listeners]) listener()
  }

  from(number: number): KeptLine | undefined {
    return this.#lines.find((kept) => kept.number >= number)
  }

  /** Calls `listener` whenever a line is added. Returns what ends that. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
