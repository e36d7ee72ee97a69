import type { CompactedEvent, TurnEnd } from "@sotto/harness"
import { dollars, whole } from "./figures.js"

/** How a turn ended that did not come to its end, and what can be done. The one place where that is worded. */
export interface EndExplanation {
  readonly what: string
  readonly remedy: string
}

/** Returns undefined where the answer is whole. `steps` is how many the turn took. */
export function endingOf(reason: TurnEnd, steps: number): EndExplanation | undefined {
  switch (reason) {
    case "done":
      return undefined
    case "interrupted":
      return { what: "interrupted", remedy: "say something to go on" }
    case "error":
      return { what: "stopped by an error", remedy: "say something to try again" }
    case "max-steps":
      return {
        what: `stopped after ${steps} ${steps === 1 ? "step" : "steps"}, the most this agent may take`,
        remedy: "say more to go on; maxSteps in sotto.json allows more",
      }
    case "length":
      return {
        what: "the answer is cut off: it reached the model's limit on output",
        remedy: "say “go on”, or ask for smaller pieces",
      }
    case "refused":
      return {
        what: "the model refused to go on",
        remedy: "say it in other words, go back with /rewind, or choose another model with /model",
      }
    case "filtered":
      return {
        what: "the provider's filter withheld the answer",
        remedy: "say it in other words, go back with /rewind, or choose another model with /model",
      }
    case "overflow":
      return {
        what: "stopped: the conversation is longer than the model takes",
        remedy:
          "/compact summarises it, /rewind goes back, /clear begins anew, /model chooses a larger window",
      }
    case "limit":
      return {
        what: "stopped at a limit that you have set",
        remedy: "say something to go on; limits in sotto.json sets another",
      }
  }
}

/** What became of the conversation, by the reason of the rebase; for every other reason nothing of it is lost. */
const SAID: Readonly<Record<string, string>> = {
  economy:
    "old tool results are no longer sent, because that is cheaper now; the model can get them again, and you still see them",
  compaction:
    "the prompt cache starts over (compaction); a summary stands for what came before, and you still see all of it",
  snip: "the prompt cache starts over (snip); the model no longer has the messages it dropped, and you still see them",
  rewind: "the prompt cache starts over (rewind); what came after the prompt you went back to is gone",
}

export function rebaseText(reason: string): string {
  const otherwise = `the prompt cache starts over (${reason}); nothing in the conversation is lost`
  return Object.hasOwn(SAID, reason) ? (SAID[reason] ?? otherwise) : otherwise
}

const WANTED = {
  asked: "as you asked",
  price: "because that is cheaper",
  window: "the context was nearly full",
}

/** Says what a compaction did: why, how large a request was and is, and what the summary cost. */
export function compactedText({ why, before, after, cost }: Omit<CompactedEvent, "type">): string {
  const hasSize = before !== undefined && after !== undefined
  return [
    `compacted${why === undefined ? "" : ` (${WANTED[why]})`}`,
    hasSize ? `: about ${whole(before)} → ${whole(after)} tokens a request` : "",
    cost === undefined ? "" : `; the summary cost ${dollars(cost)}`,
  ].join("")
}
