import type { Address } from "@sotto/harness/store"
import pg from "pg"
import { type Connection, destroyClient } from "./connection.js"
import { quoted } from "./migrate.js"
import { fallsBack, secured } from "./tls.js"

/** What the listener tells. */
export type Heard =
  /** Something was posted for these sessions; for any if the list is missing. */
  | { readonly is: "posted"; readonly sessions?: readonly string[] }
  /** A store may have written, also this one. */
  | { readonly is: "changed" }
  /** How posts are heard of from now on. */
  | { readonly is: "hearing"; readonly hearing: ListenMethod }

/** How posts and changes of others are heard of. */
export type ListenMethod = { readonly by: "notifications" } | { readonly by: "polling"; readonly why: string }

/** How often to look where notifications cannot be had, and how often to look although they can. */
const POLL_MS = 500
const SAFETY_MS = 5_000
/** A notification that this store sends to itself arrives within this time, or notifications do not work. */
const PROBE_MS = 2_000
/** A broken connection for notifications is replaced after this time. */
const RETRY_MS = 1_000
/** Changes of one store are told at most so often. */
const TELL_MS = 50
/** PostgreSQL takes 8,000 bytes. */
const LONGEST = 7_000

/**
 * Hears of what other stores post and write, by LISTEN on a connection of its own, or else by polling. Commits carry no
 * notification of their own: PostgreSQL lets only one transaction at a time commit with one. Changes are told after the
 * commit, at most every few milliseconds, and a look now and then finds whatever was missed.
 */
export class ChangeListener {
  readonly #connection: Connection
  readonly #address: Address
  readonly #token: string
  readonly #tell: (heard: Heard) => void
  #isChanged = false
  #client: pg.Client | undefined
  #probed: (() => void) | undefined
  #telling: NodeJS.Timeout | undefined
  #poll: NodeJS.Timeout | undefined
  #retry: NodeJS.Timeout | undefined
  #state: ListenMethod = { by: "polling", why: "LISTEN is being set up" }
  #isWanted = false
  #seen = ""
  #open = true

  constructor(connection: Connection, address: Address, token: string, tell: (heard: Heard) => void) {
    this.#connection = connection
    this.#address = address
    this.#token = token
    this.#tell = tell
  }

  /** Begins to listen, once. */
  async begin(): Promise<ListenMethod> {
    if (!this.#isWanted) {
      this.#isWanted = true
      await this.#listen()
      void this.#look()
    }
    return this.#state
  }

  /** Tells the stores that listen of a post, and waits until they are told. */
  async posted(session: string): Promise<void> {
    await this.#notify(`posted ${this.#token} ${session}`)
  }

  /** Tells the stores that listen that something has changed: at once, and then not again for a moment. */
  changed(): void {
    this.#isChanged = true
    if (this.#telling === undefined) this.#tellChanges()
  }

  async close(): Promise<void> {
    this.#open = false
    for (const timer of [this.#telling, this.#poll, this.#retry]) clearTimeout(timer)
    if (this.#isChanged) await this.#notify(`changed ${this.#token}`)
    await this.#drop()
  }

  get #channel(): string {
    return `sotto:${this.#address.schema}`
  }

  /** Ends a connection that does not answer any more, and would keep the process alive. */
  destroy(): void {
    destroyClient(this.#client)
  }

  #tellChanges(): void {
    this.#telling = undefined
    if (!this.#isChanged || !this.#open) return
    this.#isChanged = false
    this.#telling = setTimeout(() => this.#tellChanges(), TELL_MS).unref()
    void this.#notify(`changed ${this.#token}`)
  }

  /** Notifies the channel. What a notification fails to tell is found by the next look. */
  async #notify(payload: string): Promise<void> {
    const short = payload.length > LONGEST ? payload.slice(0, payload.indexOf(" ")) : payload
    await this.#connection.rows("SELECT pg_notify($1, $2)", [this.#channel, short]).catch(() => {})
  }

  async #listen(): Promise<void> {
    const { listen } = this.#address
    if (listen === "none") return this.#fallBack('it was switched off by "none"')
    const security = secured(listen ?? this.#connection.current)
    const client = new pg.Client({
      ...security,
      application_name: "sotto listen",
      connectionTimeoutMillis: PROBE_MS,
      query_timeout: PROBE_MS,
      keepAlive: true,
    })
    try {
      client.on("error", () => this.#again(client))
      client.on("end", () => this.#again(client))
      client.on("notification", ({ payload = "" }) => this.#hear(payload))
      await client.connect()
      if (!this.#open) return void this.#drop(client)
      this.#client = client
      // An open store keeps no process alive. The types do not know of it.
      ;(client as pg.Client & { unref(): void }).unref()
      await client.query(`LISTEN ${quoted(this.#channel)}`)
      await this.#probe()
      this.#become({ by: "notifications" })
      // What was posted before is not told any more.
      this.#tell({ is: "posted" })
      this.#tell({ is: "changed" })
    } catch (error) {
      client.removeAllListeners("end")
      await this.#drop(client)
      if (fallsBack(security, error)) return await this.#listen()
      this.#fallBack(error instanceof Error ? error.message : String(error))
      this.#retryLater()
    }
  }

  /**
   * Checks that notifications arrive. Behind a pooler LISTEN may succeed and nothing ever come: only a notification
   * that arrives proves that it works.
   */
  async #probe(): Promise<void> {
    const arrived = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error("LISTEN is accepted, but notifications do not arrive")),
        PROBE_MS,
      )
      this.#probed = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    arrived.catch(() => {})
    await this.#connection.rows("SELECT pg_notify($1, $2)", [this.#channel, `probe ${this.#token}`])
    await arrived
  }

  #hear(payload: string): void {
    const [what, token, ...sessions] = payload.split(" ")
    if (what === "probe") {
      if (token === this.#token) this.#probed?.()
    } else if (what === "posted") this.#tell({ is: "posted", ...(sessions.length > 0 && { sessions }) })
    // Its own changes too: of a subagent, for example, whose session only the store connects with its readers.
    if (what === "changed" || what === "posted") this.#tell({ is: "changed" })
  }

  #again(client: pg.Client): void {
    if (client !== this.#client || !this.#open) return
    void this.#drop(client)
    this.#fallBack("the connection for LISTEN broke")
    this.#retryLater()
  }

  #retryLater(): void {
    if (!this.#open || this.#address.listen === "none") return
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.#listen(), RETRY_MS).unref()
  }

  async #drop(client = this.#client): Promise<void> {
    if (client === this.#client) this.#client = undefined
    client?.removeAllListeners("error")
    // It may be broken already.
    client?.on("error", () => {})
    await client?.end().catch(() => {})
  }

  #fallBack(why: string): void {
    this.#become({ by: "polling", why })
    // The next look may be seconds away.
    if (this.#poll !== undefined) this.#lookIn(POLL_MS)
  }

  #become(state: ListenMethod): void {
    if (state.by === this.#state.by && state.by === "notifications") return
    this.#state = state
    this.#tell({ is: "hearing", hearing: state })
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#poll)
    if (this.#open) this.#poll = setTimeout(() => void this.#look(), ms).unref()
  }

  /** Looks for posts that wait, and whether anything at all was committed since the last look. */
  async #look(): Promise<void> {
    const isNotified = this.#state.by === "notifications"
    try {
      const schema = quoted(this.#address.schema)
      const posts = await this.#connection.rows(
        `SELECT DISTINCT s.id FROM ${schema}.posted p JOIN ${schema}.sessions s ON s.key = p.session WHERE NOT p.done LIMIT 1000`,
      )
      if (posts.length > 0) this.#tell({ is: "posted", sessions: posts.map(({ id }) => String(id)) })
      const [row] = await this.#connection.rows("SELECT pg_current_snapshot()::text AS snapshot")
      const snapshot = String(row?.snapshot)
      if (this.#seen !== "" && snapshot !== this.#seen) this.#tell({ is: "changed" })
      this.#seen = snapshot
      // A connection that was cut looks alive to the one who only listens.
      if (isNotified) await this.#client?.query("SELECT 1")
    } catch {
      if (isNotified && this.#client !== undefined) this.#again(this.#client)
    }
    this.#lookIn(this.#state.by === "notifications" ? SAFETY_MS : POLL_MS)
  }
}
