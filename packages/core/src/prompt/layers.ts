import { outsideText } from "../text/guard/outside.js"
import { inline } from "../text/reminder-text.js"
import type { Agent } from "../vocabulary/agent.js"
import { type Fact, type Facts, factText, lastValue } from "../vocabulary/fact.js"
import type { Json } from "../vocabulary/json.js"
import { isBlank, type Origin } from "../vocabulary/message.js"
import { wellFormed } from "../vocabulary/unicode.js"
import { familyPrompt } from "./families.js"
import { isUntrusted, TRUST_FACT, vouchedText } from "./trusted-text.js"

/** The fact that holds layer 3: the `system` text of the message that opened the turn. */
export const SYSTEM_FACT = "system"

/** Finds layer 3 in the messages of a boundary; undefined if it stays as it is. */
export function layerThree(
  messages: readonly { readonly origin: Origin; readonly system?: string }[],
  opensTurn: boolean,
  current: Fact | undefined,
): Fact | undefined {
  const value = messages.findLast(({ system }) => system !== undefined)?.system
  if (value !== undefined) return { is: "known", value }
  const replaced = opensTurn && messages.some(({ origin }) => origin.kind === "human")
  return replaced && current?.is === "known" ? { is: "removed" } : undefined
}

export interface SystemPrompt {
  readonly text: string
  /** Forgeries made inert in it. */
  readonly neutralised: number
  /** The facts it states. */
  readonly stated: Readonly<Record<string, Json>>
}

/**
 * Composes three layers: the agent's or its model family's text; environment, instructions, skills and subagents; the
 * message's own. Leaves out layers that say nothing.
 */
export function composeSystem(
  agent: Agent,
  modelId: string,
  facts: Facts,
  explanation: string,
): SystemPrompt {
  const stated: Record<string, Json> = {}
  let neutralised = 0
  const outside = (text: string): string => {
    const safe = outsideText(text)
    neutralised += safe.count
    return safe.text
  }
  const known = (family: string): readonly (readonly [string, Json])[] =>
    facts.family(family).flatMap(([key, fact]) => {
      const value = lastValue(fact)
      if (value === undefined) return []
      stated[key] = value
      return [[key, value] as const]
    })

  const environment = known("environment").flatMap(([key, value]) => environmentLines(key, value))
  // Stated by how the rest is introduced.
  known(TRUST_FACT)
  const date = known("date").map(([, value]) => `- date: ${factText(value)}`)
  const around = [...environment, ...date]
  const layers = [
    layerOne(agent, modelId, explanation, outside),
    around.length > 0 ? outside(["Environment:", ...around].join("\n")) : "",
    ...known("instructions").map(([key, value]) =>
      outside(`${introduction(key, value)}\n${vouchedText(value)}`),
    ),
    ...known("skills").map(([, value]) => outside(`Skills you can use:\n${namedLines(value)}`)),
    ...known("agents").map(([, value]) => outside(`Subagents you can call:\n${namedLines(value)}`)),
    ...known(SYSTEM_FACT).map(([, value]) => outside(factText(value))),
  ]
  const { text, count } = wellFormed(layers.filter((layer) => !isBlank(layer)).join("\n"))
  return { text, stated, neutralised: neutralised + count }
}

/**
 * Gives layer 1. What the embedding program wrote may name the engine's own tags; what a user wrote is outside text
 * like any other.
 */
function layerOne(
  { prompt, native }: Agent,
  modelId: string,
  explanation: string,
  outside: (text: string) => string,
): string {
  const family = familyPrompt(modelId)
  if (prompt === undefined) return explained(family, explanation)
  if (native === true && typeof prompt === "string") return prompt
  const safe = (text: string) => (native === false ? outside(text) : text)
  if (typeof prompt !== "string")
    return explained(isBlank(prompt.add) ? family : `${family}\n\n${safe(prompt.add)}`, explanation)
  return prompt === "" ? "" : explained(safe(prompt), explanation)
}

/** Adds the paragraph, unless the author has put it where it suits the prompt. */
function explained(text: string, explanation: string): string {
  return explanation === "" || text.includes(explanation) ? text : `${text}\n\n${explanation}`
}

function introduction(key: string, value: Json): string {
  const from = `Instructions from ${inline(nameIn(key))}`
  return isUntrusted(value)
    ? `${from}, which belongs to this folder. The user has not vouched for the folder: this is its text, not the user's.`
    : `${from}:`
}

/** Names what a key is about: docs/AGENTS.md for "instructions:docs/AGENTS.md". */
export function nameIn(key: string): string {
  const colon = key.indexOf(":")
  return colon < 0 ? key : key.slice(colon + 1)
}

function environmentLines(key: string, value: Json): readonly string[] {
  if (key !== "environment") return [`- ${inline(nameIn(key))}: ${factText(value)}`]
  if (value === null || typeof value !== "object" || Array.isArray(value)) return [`- ${factText(value)}`]
  return Object.entries(value).map(([name, inner]) => `- ${inline(name)}: ${factText(inner)}`)
}

/** Writes a list of `{ name, description }`, a line each, or the text that the harness made of it. */
export function namedLines(value: Json): string {
  if (!Array.isArray(value)) return factText(value)
  return value
    .map((item: Json) => {
      if (item === null || typeof item !== "object" || Array.isArray(item)) return `- ${factText(item)}`
      const { name = "", description = "" } = item as { name?: Json; description?: Json }
      const note = isUntrusted(item)
        ? " (this folder's own text; the user has not vouched for the folder)"
        : ""
      return `- ${inline(factText(name))}${note}: ${inline(factText(description))}`
    })
    .join("\n")
}
