import type { Bill, Reply, Request, Session, Usage } from "@sotto/core"
import type { ModelLink } from "../../models/model-link.js"
import type { Durability } from "./durability.js"

interface ChargedSession {
  readonly session: Session
  readonly durability: Durability
}

/**
 * Enters every attempt in the session's log that the provider charges for although it brought no reply, so that the account
 * has it. A step that is cut short is not entered here: the entry that cuts it short says what it had used.
 */
export function withCharges(link: ModelLink, charged: ChargedSession, asks: "step" | "beside"): ModelLink {
  return {
    call: async (request, listen) => {
      let said: (() => Reply) | undefined
      try {
        return await link.call(request, {
          ...listen,
          onPartial: (soFar) => {
            said = soFar
            listen.onPartial(soFar)
          },
          onCharged: (usage) => enter(request, usage, charged),
        })
      } catch (error) {
        const { usage, parts = [] } = asks === "beside" && listen.signal.aborted && said ? said() : {}
        if (usage !== undefined || parts.length > 0) enter(request, usage, charged)
        throw error
      }
    },
  }
}

function enter({ pins, cacheLifetime }: Request, usage: Usage | undefined, charged: ChargedSession): void {
  const { session, durability } = charged
  const bill: Bill = {
    ...{ purpose: "retry", model: pins.model },
    ...(usage && { usage }),
    ...(cacheLifetime !== undefined && { cacheLifetime }),
  }
  if (!durability.holds) return
  // If the disk fails, the next request says so: it waits for the disk too.
  durability.enter(
    () => session.bill(bill),
    () => undefined,
  )
}
