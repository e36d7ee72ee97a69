import { dynamic } from "@sotto/core"
import type { Case, Drive } from "../case.js"
import { steps } from "../walker.js"

interface Mention {
  readonly type: string
  readonly [field: string]: unknown
}

const say = (signals: readonly Mention[], delivery: "next-step" | "after-turn" = "next-step"): Drive => {
  return (session) => {
    session.say("See this.", { id: "m", delivery })
    for (const signal of signals) session.note(dynamic({ ...signal, message: "m" }))
  }
}

/** What is mentioned is told with its message: not before, not without it, not twice. */
function mention(
  kind: string,
  trust: Case["trust"],
  says: string,
  signal: Mention,
  variants: NonNullable<Case["variants"]> = {},
): Case {
  return {
    kind,
    trust,
    says,
    variants,
    setup: steps(1),
    drive: say([signal]),
    nearly: {
      "nothing is mentioned": { drive: say([]) },
      "its message waits for the end of the turn": {
        drive: say([signal], "after-turn"),
        row: { outcome: "throttled", until: "its message is delivered" },
      },
      "its message was cancelled": {
        drive: (session) => {
          say([signal])(session)
          session.cancel("m")
        },
      },
    },
    again: { row: { outcome: "nothing" } },
    together: { drive: say([signal, signal]), says },
    afterCompaction: {},
  }
}

const readme = { type: "mention.file", path: "README.md", content: "# Parser\nIt parses." }
const picture = { type: "image", mediaType: "image/png", data: "AAAA" } as const

export const mentions: readonly Case[] = [
  mention("file", "untrusted", "The user mentioned README.md", readme, {
    "a part of it": {
      drive: say([{ ...readme, lines: { from: 3, to: 9 }, truncated: { shown: 7, total: 900 } }]),
      says: "[only 7 of 900 lines are shown",
    },
    "an image": {
      drive: say([{ type: "mention.file", path: "a.png", media: [picture] }]),
      says: "(see what follows)",
    },
    "shown again after a compaction": {
      drive: (session) => session.note(dynamic({ ...readme, restored: true })),
      says: "README.md was read before the conversation was compacted. As it is now:",
    },
    "an empty file": { drive: say([{ type: "mention.file", path: "empty" }]), says: "(empty file)" },
  }),
  mention("pdf_reference", "harness", "at most 20 pages a call", {
    type: "mention.pdf",
    path: "manual.pdf",
    pages: 240,
  }),
  mention("directory", "untrusted", "The user mentioned the directory src/", {
    type: "mention.directory",
    path: "src/",
    listing: "parser.ts\nlexer.ts",
  }),
  mention(
    "mcp_resource",
    "untrusted",
    "The user mentioned a resource of the MCP server docs",
    { type: "mention.resource", server: "docs", uri: "docs://guide", text: "How to begin." },
    {
      "a binary one": {
        drive: say([
          { type: "mention.resource", server: "docs", uri: "docs://logo", mediaType: "image/png", bytes: 9 },
        ]),
        says: "[binary content: image/png, 9 bytes]",
      },
    },
  ),
  mention("agent_mention", "harness", "The user wants the agent explore invoked", {
    type: "mention.agent",
    agent: "explore",
  }),
]
