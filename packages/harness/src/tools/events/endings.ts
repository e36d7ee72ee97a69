import type { Reply } from "@sotto/core"
import type { TurnEnd } from "./events.js"

/** Tells how a turn ended whose last reply stopped like this. */
export function endOf(stop: Reply["stop"], isLastStep: boolean): TurnEnd {
  switch (stop) {
    case "length":
    case "filtered":
    case "overflow":
      return stop
    case "refusal":
      return "refused"
    case "malformed":
    case "other":
      return "error"
    case "paused":
      return isLastStep ? "max-steps" : "error"
    default:
      return isLastStep ? "max-steps" : "done"
  }
}

/** Says what a person has to know of a reply beside its words and the end of its turn. `goesOn`: the turn does. */
export function remarkOn({ stop, why, cut = [] }: Reply, goesOn: boolean): string | undefined {
  if (stop === "other" || stop === "malformed")
    return `The model stopped for a reason that Sotto does not know: ${why ?? stop}.`
  if (stop === "paused" && !goesOn)
    return "The model paused again and again, and was not asked to go on any more. Say something to go on."
  if (cut.length === 0) return undefined
  const calls = `${cut.length === 1 ? "a call" : "calls"} of ${[...new Set(cut)].join(", ")}`
  if (stop !== "length") return `The reply was withheld, and with it ${calls}: not made.`
  const then = goesOn ? " The model was asked to go on with a smaller one." : ""
  return `The reply reached the model's limit on output inside ${calls}: not made.${then}`
}

/** True if the model answered, and had nothing to say. */
export function isEmpty({ parts, stop }: Reply): boolean {
  if (stop !== undefined && stop !== "end" && stop !== "tool-calls") return false
  return parts.every((part) => part.type === "reasoning" || (part.type === "text" && part.text.trim() === ""))
}
