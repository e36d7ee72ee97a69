import { createHmac } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { type Environment, type NumberedEvent, reasonOf, type WebhookSettings } from "@sotto/harness"
import { counted } from "../output/figures.js"
import { UsageError } from "../usage.js"
import type { WebhookMessage } from "./answers.js"
import type { Feed } from "./sessions/feed.js"

/** Pauses between attempts, in milliseconds. An event is given up after the last: in all about five minutes. */
const PAUSES = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 90_000, 90_000]
/** How long a receiver may take to answer. */
const PATIENCE_MS = 15_000
/** Events that wait for one receiver. What comes when there are so many is dropped. */
const MOST_WAITING = 1_000
/** Requests to one receiver at the same time, each for another session. */
const MOST_AT_ONCE = 8
/** How long a server that stops goes on with what waits. */
const LINGER_MS = 2_000

/** The events that can be chosen, by what they are called in a stream of events. */
const CHOSEN: Partial<Record<NumberedEvent["event"]["type"], WebhookMessage["type"]>> = {
  "turn-end": "turn-end",
  ask: "question",
  error: "error",
}

interface WebhookOptions {
  readonly settings: Readonly<Record<string, WebhookSettings>>
  readonly env: Environment
  readonly report: (line: string) => void
  readonly pauses?: readonly number[]
}

/**
 * Posts the events of sessions that run here to the receivers of the user's own settings. Nothing waits for it. Each
 * receiver gets the events of a session in order, each at least once while this process runs.
 */
export class Webhooks {
  readonly #receivers: readonly Receiver[]
  readonly #stop = new AbortController()

  constructor(options: WebhookOptions) {
    this.#receivers = Object.entries(options.settings).map(
      ([name, settings]) => new Receiver(name, settings, options, this.#stop.signal),
    )
  }

  /** Follows a session from now on. Returns what stops it. */
  follow(session: string, feed: Pick<Feed, "events" | "read">): () => void {
    if (this.#receivers.length === 0) return () => {}
    let place = feed.events.length
    const more = () => {
      for (; place < feed.events.length; place++) {
        const message = messageOf(session, feed.events[place])
        if (message !== undefined) for (const one of this.#receivers) one.add(message)
      }
    }
    return feed.read({ more, now: () => {}, end: () => {} })
  }

  /** Waits a moment for what is under way, and gives up the rest. */
  async close(): Promise<void> {
    const late = new AbortController()
    const all = Promise.all(this.#receivers.map((one) => one.empty()))
    await Promise.race([all, sleep(LINGER_MS, undefined, { signal: late.signal }).catch(() => {})])
    late.abort()
    this.#stop.abort()
    for (const one of this.#receivers) one.tellWhatIsLeft()
  }
}

function messageOf(session: string, numbered: NumberedEvent | undefined): WebhookMessage | undefined {
  const type = numbered && CHOSEN[numbered.event.type]
  if (numbered === undefined || type === undefined) return undefined
  return {
    // The same after every attempt, so that a receiver knows what it has already.
    id: `${session}_${numbered.seq}`,
    type,
    timestamp: new Date().toISOString(),
    session,
    data: numbered.event as WebhookMessage["data"],
  }
}

/** One address, and what waits for it by session. */
class Receiver {
  readonly #name: string
  readonly #url: URL
  readonly #types: readonly string[]
  readonly #key: Buffer
  readonly #report: (line: string) => void
  readonly #pauses: readonly number[]
  readonly #stop: AbortSignal
  readonly #waiting = new Map<string, WebhookMessage[]>()
  readonly #turns: (() => void)[] = []
  #size = 0
  #atOnce = 0
  #isFull = false
  #emptied: (() => void)[] = []

  constructor(
    name: string,
    settings: WebhookSettings,
    { env, report, pauses = PAUSES }: WebhookOptions,
    stop: AbortSignal,
  ) {
    this.#name = name
    this.#url = addressIn(name, settings.url)
    this.#types = settings.events ?? Object.values(CHOSEN)
    this.#key = keyIn(name, settings.secretEnv, env[settings.secretEnv])
    this.#report = report
    this.#pauses = pauses
    this.#stop = stop
  }

  add(message: WebhookMessage): void {
    if (!this.#types.includes(message.type)) return
    if (this.#size >= MOST_WAITING) {
      if (!this.#isFull) this.#tell(`has ${MOST_WAITING} events waiting; what comes now is dropped`)
      this.#isFull = true
      return
    }
    this.#size++
    const line = this.#waiting.get(message.session)
    if (line !== undefined) line.push(message)
    else {
      this.#waiting.set(message.session, [message])
      void this.#work(message.session)
    }
  }

  /** Resolves once nothing waits. */
  empty(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#size === 0) resolve()
      else this.#emptied.push(resolve)
    })
  }

  tellWhatIsLeft(): void {
    if (this.#size > 0) this.#tell(`did not get ${counted(this.#size, "event")} before the server stopped`)
  }

  /** Sends what waits of a session, one after the other. */
  async #work(session: string): Promise<void> {
    const line = this.#waiting.get(session) ?? []
    for (let next = line[0]; next !== undefined && !this.#stop.aborted; next = line[0]) {
      await this.#deliver(next)
      if (this.#stop.aborted) return
      line.shift()
      this.#size--
      this.#isFull = false
    }
    this.#waiting.delete(session)
    if (this.#size > 0) return
    for (const tell of this.#emptied.splice(0)) tell()
  }

  /** Tries until the receiver has it, or until it is given up, which is reported. */
  async #deliver(message: WebhookMessage): Promise<void> {
    const body = JSON.stringify(message)
    for (let attempt = 0; ; attempt++) {
      const why = await this.#inTurn(() => this.#attempt(message.id, body))
      if (why === undefined || this.#stop.aborted) return
      const pause = this.#pauses[attempt]
      if (pause === undefined) {
        this.#tell(`did not take ${message.type} of session ${message.session}, which is given up: ${why}`)
        return
      }
      await sleep(pause, undefined, { signal: this.#stop, ref: false }).catch(() => {})
    }
  }

  /** Does a request when fewer than the most are under way. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#atOnce >= MOST_AT_ONCE) await new Promise<void>((resolve) => this.#turns.push(resolve))
    else this.#atOnce++
    try {
      return await work()
    } finally {
      const next = this.#turns.shift()
      if (next === undefined) this.#atOnce--
      else next()
    }
  }

  /** Posts it once. Returns why the receiver does not have it; undefined if it has. */
  async #attempt(id: string, body: string): Promise<string | undefined> {
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signature = createHmac("sha256", this.#key).update(`${id}.${timestamp}.${body}`).digest("base64")
    try {
      const response = await fetch(this.#url, {
        method: "POST",
        redirect: "manual",
        headers: {
          "content-type": "application/json",
          "webhook-id": id,
          "webhook-timestamp": timestamp,
          "webhook-signature": `v1,${signature}`,
        },
        body,
        signal: AbortSignal.any([this.#stop, AbortSignal.timeout(PATIENCE_MS)]),
      })
      await response.body?.cancel()
      return response.ok ? undefined : `it answers ${response.status}`
    } catch (error) {
      return reasonOf(error instanceof Error ? (error.cause ?? error) : error)
    }
  }

  #tell(what: string): void {
    this.#report(`sotto: the webhook "${this.#name}" ${what}.`)
  }
}

function addressIn(name: string, given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "")
    return url
  throw new UsageError(`webhooks.${name}.url: give an address with http or https, and without a password.`)
}

/** Reads a secret. One that begins with `whsec_` is the base64 of its bytes, as Standard Webhooks write it. */
function keyIn(name: string, variable: string, secret: string | undefined): Buffer {
  if (secret === undefined || secret === "")
    throw new UsageError(
      `webhooks.${name}.secretEnv: the variable ${variable} is not set. Put the secret there.`,
    )
  return secret.startsWith("whsec_")
    ? Buffer.from(secret.slice("whsec_".length), "base64")
    : Buffer.from(secret)
}
