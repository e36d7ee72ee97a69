import { checkLog } from "../log/check.js"
import type { Entry } from "../log/entry.js"
import type { Reply } from "../vocabulary/reply.js"
import type { Request } from "../vocabulary/request.js"
import { advance } from "./advance.js"
import { emptyState } from "./state.js"

/** A request as the session sent it, and the reply to it if one came. */
export interface LoggedRequest {
  /** The request. */
  readonly request: Request
  /** The sequence number of the entry that sent it. */
  readonly seq: number
  /** The time of that entry. */
  readonly at: number
  /** The reply, if one came. */
  readonly reply?: Reply
}

/** Makes the requests of a log again, entry by entry, also of a log that still grows. */
export class RequestReader {
  readonly #taken: Entry[] = []
  #state = emptyState(false)
  #open: LoggedRequest | undefined

  /** The request that waits for its reply. */
  get open(): LoggedRequest | undefined {
    return this.#open
  }

  /** Takes the next entry. Returns the request that it answers or ends, if there is one. */
  take(entry: Entry): LoggedRequest | undefined {
    this.#state = advance(this.#state, entry, this.#taken)
    this.#taken.push(entry)
    const { flight } = this.#state
    const open = this.#open
    if (flight === open?.request) return undefined
    this.#open = flight && { request: flight, seq: entry.seq, at: entry.at }
    return open && entry.type === "replied" ? { ...open, reply: entry.reply } : open
  }
}

/**
 * Yields every request that a log led to, in order, made again from the log alone. A request whose carrier the provider
 * refused comes twice: as it was refused, and as it then went out. Throws if the log is damaged.
 */
export function* requestsIn(log: readonly Entry[]): Generator<LoggedRequest> {
  checkLog(log)
  const reader = new RequestReader()
  for (const entry of log) {
    const asked = reader.take(entry)
    if (asked !== undefined) yield asked
  }
  if (reader.open !== undefined) yield reader.open
}
