import { factText } from "../../facts/facts.js"
import type { Json } from "../../json.js"
import { nameIn, SYSTEM_FACT } from "../../prompt/layers.js"
import { type Form, inline } from "../../reminder/reminder.js"
import { clip, listed } from "../capped.js"
import { onChange } from "../shapes.js"
import { listIn, stringIn } from "./facts.js"

/** What the system prompt or the tool list states and no longer holds. Their bytes stay; the difference travels. */

export const dateChange = onChange({
  kind: "date_change",
  fact: "date",
  priority: 40,
  first: (_, value) => [{ line: `The date is ${inline(factText(value))}.` }],
  changed: (_, before, after) => [
    { line: `The date is now ${inline(factText(after))}; it was ${inline(factText(before))}.` },
  ],
})

export const environmentChange = onChange({
  kind: "environment_change",
  fact: "environment",
  priority: 40,
  first: (key, value) => [{ line: `The environment: ${label(key)}${inline(factText(value))}.` }],
  changed: (key, before, after) => [
    {
      line: `The environment changed: ${label(key)}${inline(factText(after))}; it was ${inline(factText(before))}.`,
    },
  ],
  gone: (key, before) => [
    { line: `The environment changed: ${label(key)}${inline(factText(before))} no longer holds.` },
  ],
})

function label(key: string): string {
  return key === "environment" ? "" : `${inline(nameIn(key))} is `
}

export const systemChange = onChange({
  kind: "system_change",
  fact: SYSTEM_FACT,
  priority: 80,
  trust: "user",
  first: (_, value) => [instructions("From here on these instructions apply as well:", value)],
  changed: (_, __, after) => [
    instructions("These instructions replace the additional ones given before:", after),
  ],
  gone: () => [{ line: "The additional instructions given before no longer apply." }],
})

function instructions(line: string, value: Json): Form {
  return { line, body: { text: factText(value), source: "instructions of the message", trust: "user" } }
}

const MOST_TOOLS = 40
const LONGEST_INSTRUCTIONS = 4_000

/** What an MCP server offers changed. What it says of itself is third-party text. */
export const toolsChange = onChange({
  kind: "tools_change",
  fact: "tools",
  priority: 45,
  trust: "untrusted",
  first: (key, value) => {
    const text = stringIn(value, "instructions")
    if (text === undefined || text === "") return []
    const line = `The MCP server ${inline(nameIn(key))} says of its tools:`
    return [
      { line, body: { text: clip(text, LONGEST_INSTRUCTIONS), source: nameIn(key), trust: "untrusted" } },
    ]
  },
  changed: (key, before, after) => {
    const [old, now] = [toolLines(before), toolLines(after)]
    const added = [...now].filter(([name]) => !old.has(name)).map(([, line]) => `+ ${line}`)
    const lost = [...old].filter(([name]) => !now.has(name)).map(([, line]) => `- ${line}`)
    if (added.length + lost.length === 0) return []
    const line = `The tools of the MCP server ${inline(nameIn(key))} changed (+ added, - removed):`
    const text = listed([...added, ...lost], MOST_TOOLS)
    return [{ line, body: { text, source: nameIn(key), trust: "untrusted" } }]
  },
  gone: (key) => [
    { line: `The MCP server ${inline(nameIn(key))} is gone: calls of its tools will fail until it is back.` },
  ],
})

function toolLines(value: Json): ReadonlyMap<string, string> {
  return new Map(
    listIn(value, "tools").map((tool) => {
      const name = inline(stringIn(tool, "name") ?? "")
      const description = stringIn(tool, "description")
      return [name, description === undefined ? name : `${name}: ${inline(description)}`]
    }),
  )
}
