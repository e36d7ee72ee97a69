import { lifetimesOf, warmthPrices } from "@sotto/core/economy"
import { within } from "../../platform/wait.js"
import { type HiddenAgentParts, listening } from "./ask.js"

/** The longest time, and the largest share of its lifetime, before whose end a cache is used again. */
const MARGIN_MS = 60_000
const MARGIN_SHARE = 0.1

const ASK =
  "The program you run in waits for a person or a program, and asks only so that this conversation stays in the cache. Answer with the word ok."

export interface CacheWarmthParts
  extends Pick<
    HiddenAgentParts,
    "session" | "models" | "modelNamed" | "now" | "signal" | "mayAct" | "enter"
  > {
  /** True if the user's limits allow no further request. */
  limitReached(): boolean
}

/**
 * Keeps a conversation in the provider's cache while the session waits for a person or a long call: shortly before the cache
 * expires, it asks something that needs no answer. All that this may cost in one wait is less than writing the conversation
 * anew.
 */
export class CacheWarmth {
  readonly #parts: CacheWarmthParts

  constructor(parts: CacheWarmthParts) {
    this.#parts = parts
  }

  /** Runs the work, and keeps the cache meanwhile. What goes wrong with the cache is of no concern to the work. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const over = new AbortController()
    this.#keep(over.signal).catch(() => undefined)
    try {
      return await work()
    } finally {
      over.abort()
    }
  }

  async #keep(over: AbortSignal): Promise<void> {
    const { session, now, signal, limitReached } = this.#parts
    const account = session.economy
    if (account === undefined || !isKept(this.#parts)) return
    const { refresh, spared } = warmthPrices(account)
    const lifetime = account.lifetime * 1_000
    const margin = Math.min(MARGIN_MS, MARGIN_SHARE * lifetime)
    for (let spent = refresh; spent < spared; ) {
      if (over.aborted || signal.aborted) return
      // Asked anew after each pause: the machine may have slept, and another request may have used the cache.
      const left = (session.cacheUsedAt ?? 0) + lifetime - now()
      if (left > margin) {
        await within(left - margin, new Promise(() => {}), over)
        continue
      }
      if (left <= 0 || limitReached() || !(await this.#refresh())) return
      spent += refresh
    }
  }

  /** Uses the cache once. Returns false if it was not there any more: then there is nothing to keep. */
  async #refresh(): Promise<boolean> {
    const { session, models, signal, mayAct, enter } = this.#parts
    const request = session.side({ purpose: "warm", ask: ASK, answer: false })
    const reply = await models.call(request, listening(signal, mayAct))
    enter(() => session.sideReply(request.id, reply))
    return (reply.usage?.cacheRead ?? 0) > 0
  }
}

/** True if the provider has the conversation in its cache, and says for how long it keeps it. */
function isKept({ session, modelNamed }: CacheWarmthParts): boolean {
  const { id: model, dialect } = modelNamed(session.model)
  if (lifetimesOf({ model, dialect }).length === 0) return false
  const last = session.log.findLast((entry) => entry.type === "replied")
  const { cacheRead = 0, cacheWrite = 0 } = (last?.type === "replied" && last.reply.usage) || {}
  return cacheRead + cacheWrite > 0
}
