import { inline } from "../../text/reminder-text.js"
import { factText, lastValue } from "../../vocabulary/fact.js"
import type { Json } from "../../vocabulary/json.js"
import type { Signal } from "../../vocabulary/signal.js"
import type { Moment } from "../rule.js"
import { badRule } from "./front-matter.js"

/** Says in words why it does not hold: what was asked for, and what is the case. Undefined if it holds. */
export type Condition = (moment: Moment, signal: Signal | undefined) => string | undefined

/** Parses `name`, `name = pattern` or `name != pattern`; in a pattern `*` stands for anything. */
export function parseCondition(text: string, path: string, line: number): Condition {
  const found = /^([\w.:/-]+)\s*(?:(!?=)\s*(.+))?$/.exec(text.trim())
  if (found === null || found[3]?.startsWith("="))
    throw badRule(
      path,
      line,
      `"${text}" is no condition.`,
      "Write `agent = build`, `path = src/*.ts`, or the name of a fact.",
    )
  const [, name = "", operator, pattern = ""] = found
  const because = (value: string | undefined) =>
    `condition false: ${inline(text.trim())} (${value === undefined ? "nothing is known of it" : `it is ${inline(value)}`})`
  if (operator === undefined)
    return (moment, signal) => {
      const value = namedValue(name, moment, signal)
      return holds(value) ? undefined : because(value)
    }
  const matches = starPattern(pattern.trim().replace(/^(["'])(.*)\1$/, "$2"))
  return (moment, signal) => {
    const value = namedValue(name, moment, signal)
    return (value !== undefined && matches(value)) === (operator === "=") ? undefined : because(value)
  }
}

/** Finds the value of a name: a field of the signal, the agent, or a fact, in this order. */
export function namedValue(
  name: string,
  { agent, step, turn, fact }: Moment,
  signal: Signal | undefined,
): string | undefined {
  const own = signal?.[name]
  if (own !== undefined && own !== null && name !== "type") return factText(own as Json)
  if (name === "agent") return agent.name
  if (name === "step") return String(step)
  if (name === "turn") return String(turn)
  const known = fact(name)
  const value = known && lastValue(known)
  return value === undefined ? undefined : factText(value)
}

function holds(value: string | undefined): boolean {
  return value !== undefined && !["", "false", "null", "[]", "{}", "0"].includes(value)
}

/**
 * Matches a pattern with stars. The first and last piece are where they must be, and each between is best found as
 * early as it can be. So nothing is ever tried twice, as a regular expression would.
 */
function starPattern(pattern: string): (text: string) => boolean {
  const [first = "", ...others] = pattern.split("*")
  const last = others.pop()
  if (last === undefined) return (text) => text === first
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) return false
    let at = first.length
    for (const piece of others) {
      const found = text.indexOf(piece, at)
      if (found < 0) return false
      at = found + piece.length
    }
    return at + last.length <= text.length
  }
}
