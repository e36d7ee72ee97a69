import { inline } from "../text/reminder-text.js"
import { takeTokens } from "../text/tokens.js"
import type { TokenCounter } from "../vocabulary/economy.js"
import type { HeldResult } from "../vocabulary/exchange.js"

/** How much stays of what a call returned that cannot be made again. */
const LAST_LINES = 20
const LAST_TOKENS = 400

/** About what stands for a dropped result. */
export const STUB_TOKENS = 60
export const TAIL_TOKENS = STUB_TOKENS + LAST_TOKENS
const LONGEST_SUBJECT = 120

/** Words what stands for a result whose call can be made again. */
export function stubOf(result: HeldResult, subject: string | undefined): string {
  const { name, tokens } = result
  return `[${about(name, subject)} returned about ${tokens} tokens here. They were dropped to keep the conversation affordable. To see them again, call ${name} with the same input; a file may have changed since.]`
}

/** Words what stands for a result whose call should not be made again: its last lines stay. */
export function tailOf(result: HeldResult, count: TokenCounter): string {
  const lines = textOf(result).trimEnd().split("\n")
  const kept = lastTokens(lines.slice(-LAST_LINES).join("\n"), count)
  const { name, tokens } = result
  return `[${name} returned about ${tokens} tokens here. All but the last lines were dropped to keep the conversation affordable. If more is needed, call ${name} again only if that does no harm. The last lines:]\n${kept}`
}

function about(name: string, subject: string | undefined): string {
  return subject === undefined ? name : `${name} ${inline(subject).slice(0, LONGEST_SUBJECT)}`
}

function textOf({ output }: HeldResult): string {
  return output
    .filter((part) => part.ignored !== true)
    .map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`))
    .join("\n")
}

/** Takes the end of a text, at most LAST_TOKENS of it. */
function lastTokens(text: string, count: TokenCounter): string {
  if (count(text) <= LAST_TOKENS) return text
  const reversed = (of: string) => [...of].reverse().join("")
  return `… ${reversed(takeTokens(reversed(text), LAST_TOKENS, count))}`
}
