import type { Entry } from "@sotto/core"

/** What entries change about how a session is listed. */
export interface Changes {
  readonly agent: string | null
  readonly model: string | null
  readonly messages: number
}

/** Says what entries change about how their session is listed. */
export function changesIn(entries: readonly Entry[]): Changes {
  let agent: string | null = null
  let model: string | null = null
  let messages = 0
  for (const entry of entries) {
    switch (entry.type) {
      case "opened":
        agent = entry.agent
        model = entry.model.id
        break
      case "agent":
        agent = entry.name
        break
      case "model":
        model = entry.model.id
        break
      case "said":
      case "replied":
        messages += 1
        break
      case "imported":
        messages += entry.messages.length
    }
  }
  return { agent, model, messages }
}
