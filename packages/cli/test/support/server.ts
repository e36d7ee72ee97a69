import { readFileSync } from "node:fs"
import { type ClientRequest, type IncomingMessage, request } from "node:http"
import { join } from "node:path"
import { SottoClient } from "@sotto/client"
import type { HarnessEvent } from "@sotto/harness"
import { checkAnswer } from "./described.js"
import { type Bench, type Run, sotto, type Variables } from "./sotto.js"

const LONGEST_WAIT = 60_000

/** A real `sotto serve`, and its user. */
export interface Serving {
  readonly run: Run
  readonly url: string
  readonly token: string
  readonly user: Client
  /** The user by way of `@sotto/client`. */
  readonly api: SottoClient
  /** Somebody with another credential, or with none. */
  as(token: string | undefined): Client
}

export async function serving(
  bench: Bench,
  env: Variables = {},
  args: readonly string[] = [],
): Promise<Serving> {
  const run = sotto(bench, ["serve", "--port", "0", ...args], env)
  const url = await run.printed(/^listening on (http:\S+)$/m)
  const token = env.SOTTO_TOKEN ?? readFileSync(join(bench.home, "server.token"), "utf8").trim()
  const api = clientFor(url, token)
  return { run, url, token, user: new Client(url, token), api, as: (other) => new Client(url, other) }
}

/** A client whose answers have to be as the server describes them. */
function clientFor(url: string, token: string): SottoClient {
  const checked: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    const type = response.headers.get("content-type") ?? ""
    const { pathname: path } = new URL(String(input))
    if (type.includes("json"))
      checkAnswer(
        { method: init?.method ?? "GET", path, status: response.status, type },
        await response.clone().json(),
      )
    return response
  }
  return new SottoClient({ url, token, fetch: checked })
}

/** Two servers on one store, which `env` names or the bench has. On PostgreSQL they are the workers "one" and "two". */
export async function servingTwice(bench: Bench, env: Variables) {
  const named = (worker: string) => (env.SOTTO_STORE ? { SOTTO_WORKER: worker } : {})
  const first = await serving(bench, { ...env, ...named("one") })
  const second = await serving(bench, { ...env, ...named("two") })
  return { first, second, clients: [first.user, second.user] as const }
}

export interface Answered {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly text: string
  // Tests look at whatever the server answers.
  readonly json: Readonly<Record<string, unknown>>
}

type Headers = Readonly<Record<string, string>>

/** Speaks HTTP to the server, with headers of any kind. Every answer and event has to be as the server describes it. */
export class Client {
  readonly #url: string
  readonly #token: string | undefined

  constructor(url: string, token: string | undefined) {
    this.#url = url
    this.#token = token
  }

  get(path: string, headers: Headers = {}): Promise<Answered> {
    return this.send("GET", path, undefined, headers)
  }

  post(path: string, body: unknown = {}, headers: Headers = {}): Promise<Answered> {
    return this.send("POST", path, JSON.stringify(body), { "content-type": "application/json", ...headers })
  }

  send(method: string, path: string, body?: string | Uint8Array, headers: Headers = {}): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const size =
        body === undefined || "transfer-encoding" in headers
          ? {}
          : { "content-length": String(Buffer.byteLength(body)) }
      const sent = this.#request(method, path, { ...size, ...headers }, (incoming) => {
        const pieces: Buffer[] = []
        incoming.on("data", (piece: Buffer) => pieces.push(piece))
        incoming.on("error", reject)
        incoming.on("end", () => {
          const text = Buffer.concat(pieces).toString("utf8")
          const type = incoming.headers["content-type"] ?? ""
          const json = type.includes("json") ? JSON.parse(text) : {}
          const status = incoming.statusCode ?? 0
          try {
            checkAnswer({ method, path, status, type }, type.includes("json") ? json : text)
            resolve({ status, headers: incoming.headers, text, json })
          } catch (error) {
            reject(error)
          }
        })
      })
      sent.on("error", reject)
      sent.end(body)
    })
  }

  /** Opens a session in a folder: its id. */
  async open(cwd: string, more: object = {}): Promise<string> {
    const { status, json, text } = await this.post("/sessions", { cwd, ...more })
    if (status !== 201) throw new Error(text)
    return String(json.id)
  }

  events(path: string, headers: Headers = {}): Events {
    return new Events(path, (heard) => this.#request("GET", path, headers, heard))
  }

  #request(
    method: string,
    path: string,
    headers: Headers,
    heard: (incoming: IncomingMessage) => void,
  ): ClientRequest {
    const authorization = this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }
    // The path goes out as it is written here.
    const { hostname, port } = new URL(this.#url)
    return request({ hostname, port, path, method, headers: { ...authorization, ...headers } }, heard)
  }
}

export interface Told {
  readonly seq: number | undefined
  readonly event: HarnessEvent & Readonly<Record<string, unknown>>
}

/** A reader of server-sent events. */
export class Events {
  readonly told: Told[] = []
  readonly ended: Promise<void>
  status: number | undefined
  answer = ""
  readonly #path: string
  readonly #request: ClientRequest
  readonly #watchers = new Set<() => void>()
  #rest = ""
  #over = false

  constructor(path: string, connect: (heard: (incoming: IncomingMessage) => void) => ClientRequest) {
    this.#path = path
    let resolve = () => {}
    this.ended = new Promise((done) => {
      resolve = done
    })
    const end = () => {
      this.#over = true
      this.#look()
      resolve()
    }
    this.#request = connect((incoming) => {
      this.status = incoming.statusCode
      incoming.setEncoding("utf8").on("data", (text: string) => this.#hear(text))
      incoming.on("error", () => undefined)
      incoming.on("close", end)
      this.#look()
    })
    this.#request.on("error", end)
    this.#request.end()
  }

  /** The number of the newest event. */
  get seq(): number {
    return this.told.findLast(({ seq }) => seq !== undefined)?.seq ?? 0
  }

  /** Those that have a number. */
  get numbered(): readonly Told[] {
    return this.told.filter(({ seq }) => seq !== undefined)
  }

  all(type: string): readonly Told["event"][] {
    return this.told.map(({ event }) => event).filter((event) => event.type === type)
  }

  close(): Promise<void> {
    this.#request.destroy()
    return this.ended
  }

  /** Waits until something holds. */
  until(holds: (events: Events) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (settle: () => void) => {
        clearTimeout(timer)
        this.#watchers.delete(look)
        settle()
      }
      const look = () => {
        if (holds(this)) done(resolve)
        else if (this.#over) done(() => reject(new Error(`the stream ended: ${this.#newest()}`)))
      }
      const timer = setTimeout(
        () => done(() => reject(new Error(`waited too long: ${this.#newest()}`))),
        LONGEST_WAIT,
      )
      this.#watchers.add(look)
      look()
    })
  }

  /** The `nth` event of a type. */
  async wait(type: string, nth = 1): Promise<Told["event"]> {
    await this.until((events) => events.all(type).length >= nth)
    return this.all(type)[nth - 1] as Told["event"]
  }

  #hear(text: string): void {
    this.answer += text.slice(0, 2_000)
    const blocks = (this.#rest + text).split("\n\n")
    this.#rest = blocks.pop() ?? ""
    for (const block of blocks) {
      const fields = block.split("\n")
      const data = fields.find((line) => line.startsWith("data: "))?.slice("data: ".length)
      const id = fields.find((line) => line.startsWith("id: "))?.slice("id: ".length)
      if (data === undefined) continue
      const event = JSON.parse(data)
      // What this throws ends the test run, whether or not a test waits for the event.
      checkAnswer({ method: "GET", path: this.#path, status: 200, type: "text/event-stream" }, event)
      this.told.push({ seq: id === undefined ? undefined : Number(id), event })
    }
    this.#look()
  }

  #look(): void {
    for (const look of [...this.#watchers]) look()
  }

  #newest(): string {
    return this.told.length > 0
      ? this.told
          .slice(-8)
          .map((one) => JSON.stringify(one).slice(0, 200))
          .join("\n")
      : this.answer
  }
}
