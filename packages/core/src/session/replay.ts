import { checkLog } from "../log/check.js"
import type { Entry } from "../log/entry.js"
import type { Reply } from "../message/reply.js"
import { estimateTokens } from "../tokens.js"
import type { Request } from "../wire/request.js"
import { take } from "./rewind.js"
import { emptyState } from "./state.js"

/** A request as the session sent it, and the reply to it if one came. */
export interface Asked {
  /** The request. */
  readonly request: Request
  /** The sequence number of the entry that sent it. */
  readonly seq: number
  /** The time of that entry. */
  readonly at: number
  /** The reply, if one came. */
  readonly reply?: Reply
}

/**
 * Every request that a log led to, in order, made again from the log alone. A request whose carrier the provider refused
 * comes twice: as it was refused, and as it then went out. Throws if the log is damaged.
 */
export function* requestsIn(log: readonly Entry[]): Generator<Asked> {
  checkLog(log)
  let state = emptyState(estimateTokens, false)
  const taken: Entry[] = []
  let open: Asked | undefined
  for (const entry of log) {
    state = take(state, entry, taken)
    taken.push(entry)
    const { flight } = state
    if (flight === open?.request) continue
    if (open !== undefined) yield entry.type === "replied" ? { ...open, reply: entry.reply } : open
    open = flight && { request: flight, seq: entry.seq, at: entry.at }
  }
  if (open !== undefined) yield open
}
