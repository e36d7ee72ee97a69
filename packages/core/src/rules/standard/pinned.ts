import { nameIn, SYSTEM_FACT } from "../../prompt/layers.js"
import { inline } from "../../text/reminder-text.js"
import { factText } from "../../vocabulary/fact.js"
import { type Json, sameJson } from "../../vocabulary/json.js"
import type { Form } from "../../vocabulary/reminder.js"
import { clip, listed } from "../capped.js"
import { dynamic } from "../custom.js"
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
  changed: (key, before, after) => {
    const fields = differences(label(key), before, after)
    return fields.length === 0 ? [] : [{ line: `The environment changed: ${fields.join("; ")}.` }]
  },
  gone: (key, before) => [
    { line: `The environment changed: ${label(key)}${inline(factText(before))} no longer holds.` },
  ],
})

/** Lists what differs, field by field where both are objects. */
function differences(name: string, before: Json | undefined, after: Json | undefined): readonly string[] {
  if (sameJson(before, after)) return []
  if (!isRecord(before) || !isRecord(after)) return [`${name}${said(after)}; it was ${said(before)}`]
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return fields.flatMap((field) => differences(`${inline(field)} is `, before[field], after[field]))
}

function said(value: Json | undefined): string {
  return value === undefined ? "not set" : inline(factText(value))
}

function isRecord(value: Json | undefined): value is { readonly [field: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function label(key: string): string {
  return key === "environment" ? "" : `${inline(nameIn(key))} is `
}

export const systemChange = onChange({
  kind: "system_change",
  fact: dynamic(SYSTEM_FACT),
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

const MARKS = { "+": "added", "-": "removed", "~": "takes other input" }
const MOST_TOOLS = 40
const LONGEST_INSTRUCTIONS = 4_000

/** What an MCP server offers changed. What it says of itself is third-party text. */
export const toolsChange = onChange({
  kind: "tools_change",
  fact: "tools",
  priority: 45,
  trust: "untrusted",
  first: (key, value, { memo }) => {
    const server = `The MCP server ${inline(nameIn(key))}`
    const before = memo(key) as { readonly was?: Json } | undefined
    // Nothing was noted of a server that is new.
    if (before === undefined) return firstHeardOf(key, value, server)
    const changes = before.was === undefined ? [] : difference(before.was, value)
    if (changes.length > 0) return [changed(key, value, `${server} is back, and its tools changed`, changes)]
    const said = saysOf(key, value, `${server} is back. It says of its tools:`)
    return said.length > 0 ? said : [{ line: `${server} is back: its tools can be called again.` }]
  },
  changed: (key, before, after) => {
    const changes = difference(before, after)
    if (changes.length > 0)
      return [changed(key, after, `The tools of the MCP server ${inline(nameIn(key))} changed`, changes)]
    if (stringIn(before, "instructions") === stringIn(after, "instructions")) return []
    return saysOf(key, after, `The MCP server ${inline(nameIn(key))} now says of its tools:`)
  },
  gone: (key) => [
    { line: `The MCP server ${inline(nameIn(key))} is gone: calls of its tools will fail until it is back.` },
  ],
})

/** Introduces a server that came too late for the tool list; one whose tools the list has needs no introduction. */
function firstHeardOf(key: string, value: Json, server: string): readonly Form[] {
  const tools = [...toolLines(value).values()].map(({ line }) => `+ ${line}`)
  if (stringIn(value, "how") === undefined || tools.length === 0)
    return saysOf(key, value, `${server} says of its tools:`)
  const line = `${server} is connected now, with these tools${howTo(value)}:`
  const words = instructionsIn(value)
  const text = [listed(tools, MOST_TOOLS), ...(words === undefined ? [] : ["", words])].join("\n")
  return [{ line, body: { text, source: nameIn(key), trust: "untrusted" } }]
}

function changed(key: string, value: Json, line: string, changes: readonly string[]): Form {
  const marks = Object.entries(MARKS).filter(([mark]) => changes.some((change) => change.startsWith(mark)))
  const legend = marks.map(([mark, meaning]) => `${mark} ${meaning}`).join(", ")
  const how = legend === `- ${MARKS["-"]}` ? "" : howTo(value)
  const text = listed(changes, MOST_TOOLS)
  return {
    line: `${line} (${legend})${how}:`,
    body: { text, source: nameIn(key), trust: "untrusted" },
  }
}

function howTo(value: Json): string {
  const how = stringIn(value, "how")
  return how === undefined ? "" : `. ${inline(how).replace(/\.$/, "")}`
}

function difference(before: Json, after: Json): readonly string[] {
  const [old, now] = [toolLines(before), toolLines(after)]
  const added = [...now].filter(([name]) => !old.has(name)).map(([, { line }]) => `+ ${line}`)
  const lost = [...old].filter(([name]) => !now.has(name)).map(([, { line }]) => `- ${line}`)
  const other = [...now].flatMap(([name, { line, input }]) => {
    const known = old.get(name)
    return known === undefined || known.input === input ? [] : [`~ ${line}`]
  })
  return [...added, ...lost, ...other]
}

function saysOf(key: string, value: Json, line: string): readonly Form[] {
  const text = instructionsIn(value)
  return text === undefined ? [] : [{ line, body: { text, source: nameIn(key), trust: "untrusted" } }]
}

function instructionsIn(value: Json): string | undefined {
  const text = stringIn(value, "instructions")
  return text === undefined || text === "" ? undefined : clip(text, LONGEST_INSTRUCTIONS)
}

interface ToolLine {
  readonly line: string
  readonly input: string | undefined
}

function toolLines(value: Json): ReadonlyMap<string, ToolLine> {
  return new Map(
    listIn(value, "tools").map((tool): [string, ToolLine] => {
      const name = inline(stringIn(tool, "name") ?? "")
      const input = stringIn(tool, "input")
      const description = stringIn(tool, "description")
      const call = input === undefined ? name : `${name}(${inline(input)})`
      return [name, { input, line: description === undefined ? call : `${call}: ${inline(description)}` }]
    }),
  )
}
