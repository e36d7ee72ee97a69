import type { Request } from "@sotto/core"
import type { ModelLink } from "../../models/model-link.js"
import { within } from "../../platform/wait.js"

/** No subagent waits longer than this for another one's reply to begin. */
const LONGEST_WAIT_MS = 15_000

/**
 * Lets the first of several subagents go out alone if their requests begin with the same bytes. The others follow when its
 * reply begins: by then the provider has written those bytes to its cache, and they read what they would have written.
 */
export class SubagentConvoy {
  /** Resolves when the reply begins, by what the request begins with. */
  readonly #leaders = new Map<string, Promise<void>>()

  /** Gives the way to the model for one subagent. Only its first request can share anything. */
  link(models: ModelLink): ModelLink {
    return {
      call: async (request, listen) => {
        if (request.previous > 0 || request.side !== undefined) return models.call(request, listen)
        const beginning = beginningOf(request)
        const leader = this.#leaders.get(beginning)
        if (leader !== undefined) {
          await within(LONGEST_WAIT_MS, leader, listen.signal)
          return models.call(request, listen)
        }
        let begun = () => {}
        const begins = new Promise<void>((resolve) => {
          begun = () => {
            this.#leaders.delete(beginning)
            resolve()
          }
        })
        this.#leaders.set(beginning, begins)
        const onPartial: typeof listen.onPartial = (said) => {
          begun()
          listen.onPartial(said)
        }
        return models.call(request, { ...listen, onPartial }).finally(begun)
      },
    }
  }
}

function beginningOf({ pins }: Request): string {
  return JSON.stringify([pins.model, pins.system, pins.tools])
}
