import type { LedgerRow, Message, Part, SystemBlock, UserBlock, WireMessage } from "@sotto/core"
import type { Line } from "./columns.js"

const BAR = "▌ "

/** The left column: a person's own words, the model's, and what the tools did. */
export function seenLines(messages: readonly Message[]): readonly Line[] {
  return messages.flatMap(({ role, parts }) => parts.flatMap((part) => partLines(role, part)))
}

function partLines(role: Message["role"], part: Part): readonly Line[] {
  switch (part.type) {
    case "text":
      return role === "user"
        ? [{ text: part.text, tone: "user", bullet: "› " }]
        : [{ text: part.text, tone: "plain" }]
    case "tool-call":
      return [{ text: `${part.name} ${inputOf(part.input)}`.trim(), tone: "plain", bullet: "• " }]
    case "tool-result":
      return part.output.flatMap((inner) =>
        inner.type === "text" ? [{ text: inner.text, tone: "dim", bullet: "  " } as const] : [],
      )
    default:
      return []
  }
}

function inputOf(input: unknown): string {
  return typeof input === "object" && input !== null ? Object.values(input).join(" ") : ""
}

/** The right column: what is new in a request, and by which carrier. A reminder has a bar beside it. */
export function toldLines(messages: readonly WireMessage[]): readonly Line[] {
  return messages.flatMap((message): Line[] => {
    switch (message.role) {
      case "assistant":
        return [{ text: "assistant: its own reply, returned as it was", tone: "dim" }]
      case "system":
        return [heading("system message"), ...message.content.flatMap(blockLines)]
      case "user":
        return message.content.flatMap((block, i) => [
          ...(i === 0 || block.type === "tool-result" || message.content[i - 1]?.type === "tool-result"
            ? [heading(block.type === "tool-result" ? `user: result of ${block.name}` : "user: text")]
            : []),
          ...blockLines(block),
        ])
    }
  })
}

/** Reminders are known by structure: by the flag on their block, never by what a text looks like. */
function blockLines(block: UserBlock | SystemBlock): readonly Line[] {
  switch (block.type) {
    case "tool-result":
      return block.content.flatMap(blockLines)
    case "tool-added":
      return [{ text: `tool added: ${block.tool.name}`, tone: "reminder", bar: BAR }]
    case "tool-removed":
      return [{ text: `tool removed: ${block.name}`, tone: "reminder", bar: BAR }]
    case "text":
      return [
        block.synthetic
          ? { text: block.text, tone: "reminder", bar: BAR }
          : { text: block.text, tone: "plain", bullet: "  " },
      ]
    default:
      return [{ text: `(${block.mediaType})`, tone: "dim", bullet: "  " }]
  }
}

function heading(text: string): Line {
  return { text, tone: "strong" }
}

/** One line of what the rules did at a step. */
export function ledgerLine(rows: readonly LedgerRow[]): string {
  const spoke = rows.filter(({ outcome }) => outcome === "spoke")
  const guarded = rows.reduce((sum, { neutralised = 0 }) => sum + neutralised, 0)
  const kinds = new Set(spoke.map(({ kind }) => kind))
  const silent = rows.filter(({ kind, neutralised }) => neutralised === undefined && !kinds.has(kind)).length
  const said = spoke.map(({ kind, tokens, carrier }) => `${kind} (${tokens} tokens, ${carrier})`)
  return [
    `ledger: ${said.length > 0 ? `${said.join(", ")} spoke` : "nobody spoke"}`,
    `${silent} kept silent`,
    ...(guarded > 0 ? [`${guarded} forged tags made inert`] : []),
  ].join(" · ")
}
