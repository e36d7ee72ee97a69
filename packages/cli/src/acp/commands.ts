import type { AvailableCommand, ContentBlock } from "@agentclientprotocol/sdk"
import type { Aside } from "@sotto/core"

/** What can be typed after a slash. Anything else with one is a prompt like any other. */
export const COMMANDS: AvailableCommand[] = [
  { name: "compact", description: "Replace the conversation so far by a summary" },
  { name: "asides", description: "Show what the model was told beside the conversation" },
  {
    name: "model",
    description: "Go on with another model",
    input: { hint: "provider/model, such as anthropic/claude-opus-5-5" },
  },
]

export interface AcpCommand {
  readonly name: string
  readonly argument: string
}

export function commandIn(blocks: readonly ContentBlock[]): AcpCommand | undefined {
  const [block, ...more] = blocks
  if (block?.type !== "text" || more.length > 0) return undefined
  const [, name, argument = ""] = /^\/(\w+)(?:\s+(.*))?$/s.exec(block.text.trim()) ?? []
  return name !== undefined && COMMANDS.some((known) => known.name === name)
    ? { name, argument: argument.trim() }
    : undefined
}

export function asidesAsText(asides: readonly Aside[]): string {
  if (asides.length === 0) return "The model was told nothing beside the conversation."
  return asides
    .map(({ turn, step, kind, text }) => `**turn ${turn}, step ${step}: ${kind}**\n\n${quoted(text)}`)
    .join("\n\n")
}

function quoted(text: string): string {
  return text.replace(/^/gm, "> ")
}
