import { removed, unavailable } from "@sotto/core"
import type { Case, Drive } from "../case.js"
import { inTurn, observe, steps, turns } from "../walker.js"

const date = (...values: readonly unknown[]) => observe("date", ...values)
const branch = (...values: readonly unknown[]) => observe("environment:branch", ...values)

const server = (...names: readonly string[]) => ({
  tools: names.map((name) => ({ name, description: `Does ${name}.` })),
  instructions: "Search before you open.",
})
const tools = (...values: readonly unknown[]) => observe("tools:hub", ...values)
const bare = (name: string) => ({ tools: [{ name }] })

/** A prompt with a `system` text of its own. */
const prompt =
  (system?: string): Drive =>
  (session) => {
    session.say("Go on.", system === undefined ? {} : { system })
  }

export const pinned: readonly Case[] = [
  {
    kind: "date_change",
    trust: "harness",
    setup: inTurn(date("2026-11-15"), steps(1)),
    drive: date("2026-11-16"),
    says: "The date is now 2026-11-16; it was 2026-11-15.",
    nearly: {
      "the same day": { drive: date("2026-11-15") },
      "the clock cannot be read": { drive: date(unavailable()) },
    },
    again: { drive: date("2026-11-16"), row: { outcome: "nothing" } },
    together: {
      drive: date("2026-11-16", "2026-11-17"),
      says: "2026-11-17; it was 2026-11-15",
      not: "11-16",
    },
    cancels: date("2026-11-16", "2026-11-15"),
    afterCompaction: {},
    variants: {
      "known only after the start": {
        drive: inTurn(date(removed()), steps(1), date("2026-11-16")),
        says: "The date is 2026-11-16.",
      },
    },
  },
  {
    kind: "environment_change",
    trust: "harness",
    setup: inTurn(branch("main"), observe("environment", { shell: "bash", platform: "linux" }), steps(1)),
    drive: branch("fix"),
    says: "The environment changed: branch is fix; it was main.",
    nearly: {
      "the same value": { drive: branch("main") },
      "it cannot be read": { drive: branch(unavailable()) },
    },
    again: { drive: branch("fix"), row: { outcome: "nothing" } },
    together: { drive: branch("fix", "next"), says: "branch is next; it was main.", not: "fix" },
    cancels: branch("fix", "main"),
    afterCompaction: {},
    variants: {
      gone: { drive: branch(removed()), says: "branch is main no longer holds" },
      "known only after the start": {
        drive: observe("environment:node", "22"),
        says: "The environment: node is 22.",
      },
      "one field of several": {
        drive: observe("environment", { shell: "zsh", platform: "linux" }),
        says: "The environment changed: shell is zsh; it was bash.",
      },
    },
  },
  {
    kind: "tools_change",
    trust: "untrusted",
    setup: inTurn(tools(server("open", "close")), steps(1)),
    drive: tools(server("open", "search")),
    says: "The tools of the MCP server hub changed (+ added, - removed):",
    nearly: {
      "the same tools": { drive: tools(server("open", "close")) },
      "the same tools, described otherwise": {
        drive: tools({ ...server(), tools: [{ name: "open" }, { name: "close" }] }),
      },
      "it does not answer": { drive: tools(unavailable()) },
    },
    again: { drive: tools(server("open", "search")), row: { outcome: "nothing" } },
    together: {
      drive: tools(server("open"), server("open", "close", "search")),
      says: "+ search",
      not: "- close",
    },
    cancels: tools(server("open"), server("open", "close")),
    afterCompaction: { says: "The MCP server hub says of its tools:\n" },
    variants: {
      gone: { drive: tools(removed()), says: "The MCP server hub is gone" },
      "more than are listed": {
        drive: tools(server("open", "close", ...Array.from({ length: 41 }, (_, i) => `tool-${i}`))),
        says: "[and 1 more]",
      },
      "a server with much to say": {
        drive: observe("tools:other", { tools: [], instructions: "x".repeat(4_001) }),
        says: "[cut: 4000 of 4001 characters are shown]",
      },
      "its instructions changed": {
        drive: tools({ ...server("open", "close"), instructions: "Open before you search." }),
        says: "Open before you search.",
      },
      "a server that came too late for the list": {
        drive: observe("tools:late", {
          tools: [{ name: "find", input: "what: string", description: "Finds it." }],
          instructions: "Look twice.",
          how: "Use the tool mcp.",
        }),
        says: 'The MCP server late is connected now, with these tools. Use the tool mcp:\n<reminder-body source="late">\n+ find(what: string): Finds it.\n\nLook twice.',
      },
      "later tools, and how to call them": {
        drive: tools({ ...server("open", "close", "search"), how: "Use the tool mcp." }),
        says: "(+ added). Use the tool mcp:",
      },
      "fewer tools, which nobody has to call": {
        drive: tools({ ...server("open"), how: "Use the tool mcp." }),
        says: "(- removed):\n",
      },
      "a tool that takes other input": {
        drive: tools({ ...server("open"), tools: [{ name: "open", input: "path" }, { name: "close" }] }),
        says: '(~ takes other input):\n<reminder-body source="hub">\n~ open(path)',
      },
      "back again, with other tools": {
        drive: inTurn(tools(removed()), steps(1), tools(server("open", "search"))),
        says: "The MCP server hub is back, and its tools changed",
      },
      "back again, without instructions": {
        drive: inTurn(tools(removed()), steps(1), tools(bare("open"))),
        says: "The MCP server hub is back",
      },
    },
  },
  {
    kind: "system_change",
    trust: "user",
    setup: turns(1),
    drive: prompt("Answer in French."),
    says: "From here on these instructions apply as well:",
    nearly: { "a prompt without any": { drive: prompt() } },
    again: { row: { outcome: "nothing" } },
    together: {
      drive: inTurn(prompt("Answer in French."), prompt("Answer in Welsh.")),
      says: "Welsh",
      not: "French",
    },
    afterCompaction: {},
    variants: {
      replaced: {
        drive: inTurn(prompt("Answer in French."), turns(0), prompt("Answer in Welsh.")),
        says: "These instructions replace the additional ones given before:",
      },
      gone: {
        drive: inTurn(prompt("Answer in French."), turns(0), prompt()),
        says: "The additional instructions given before no longer apply.",
      },
    },
  },
]
