import { type PromptResponse, RequestError, type StopReason, type Usage } from "@agentclientprotocol/sdk"
import type { HarnessEvent, TurnEnd } from "@sotto/harness"

interface Waiter {
  readonly resolve: (response: PromptResponse) => void
  readonly reject: (error: RequestError) => void
}

interface Waiting {
  delivered: boolean
  /** Several if the same message was sent again. */
  readonly waiters: Waiter[]
}

/**
 * Prompts that wait for the end of the turn they are part of: the one that opened it, and those that were said into it.
 * One that comes too late for a turn opens the next, and waits for that.
 */
export class Prompts {
  readonly #waiting = new Map<string, Waiting>()
  #usage: Usage | undefined
  #error: string | undefined

  /** Waits for the end of the message with this id. A message that is sent again waits for the same end. */
  wait(id: string, delivered = false): Promise<PromptResponse> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(id) ?? { delivered, waiters: [] }
      waiting.waiters.push({ resolve, reject })
      this.#waiting.set(id, waiting)
    })
  }

  hear(event: HarnessEvent): void {
    switch (event.type) {
      case "delivered": {
        const prompt = this.#waiting.get(event.id)
        if (prompt) prompt.delivered = true
        return
      }
      case "cancelled":
        this.end(event.id, "cancelled")
        return
      case "usage":
        this.#usage = added(this.#usage, event)
        return
      case "error":
        this.#error = event.message
        return
      case "turn-end":
        this.#endTurn(event.reason)
        this.#usage = undefined
        this.#error = undefined
        return
    }
  }

  end(id: string, stopReason: StopReason): void {
    const prompt = this.#waiting.get(id)
    this.#waiting.delete(id)
    for (const { resolve } of prompt?.waiters ?? [])
      resolve({ stopReason, ...(this.#usage && { usage: this.#usage }) })
  }

  endAll(stopReason: StopReason): void {
    for (const id of [...this.#waiting.keys()]) this.end(id, stopReason)
  }

  fail(message: string): void {
    for (const { waiters } of this.#waiting.values())
      for (const { reject } of waiters) reject(new RequestError(-32603, message))
    this.#waiting.clear()
  }

  /**
   * Ends the prompts of this turn. A message that was not delivered opens a turn of its own, unless something ended
   * this turn before its time.
   */
  #endTurn(reason: TurnEnd): void {
    switch (reason) {
      case "error":
        this.fail(this.#error ?? "The turn could not be finished.")
        return
      case "interrupted":
        this.endAll("cancelled")
        return
      case "limit":
        this.endAll("max_turn_requests")
        return
      case "overflow":
        this.fail(this.#error ?? "The context is full.")
        return
      case "max-steps":
        this.#endDelivered("max_turn_requests")
        return
      case "length":
        this.#endDelivered("max_tokens")
        return
      case "refused":
      case "filtered":
        this.#endDelivered("refusal")
        return
      case "done":
        this.#endDelivered("end_turn")
    }
  }

  #endDelivered(stopReason: StopReason): void {
    for (const [id, { delivered }] of [...this.#waiting]) if (delivered) this.end(id, stopReason)
  }
}

function added(before: Usage | undefined, more: Extract<HarnessEvent, { type: "usage" }>): Usage {
  const { input, output, cacheRead, cacheWrite } = more
  return {
    inputTokens: (before?.inputTokens ?? 0) + input,
    outputTokens: (before?.outputTokens ?? 0) + output,
    cachedReadTokens: (before?.cachedReadTokens ?? 0) + cacheRead,
    cachedWriteTokens: (before?.cachedWriteTokens ?? 0) + cacheWrite,
    totalTokens: (before?.totalTokens ?? 0) + input + output + cacheRead + cacheWrite,
  }
}
