import type { SlashCommand } from "../context.js"
import type { PageName } from "../pages/page.js"

export const asides = pageCommand(
  "asides",
  "ledger",
  "the ledger: what the model was told beside your words, and why rules kept silent",
)

export const diff = pageCommand(
  "diff",
  "changes",
  "every file that this session changed, with a way to undo each",
  ["changes"],
)

export const permissions = pageCommand(
  "permissions",
  "permissions",
  "what you have allowed, where that is kept, and how to take it back",
  ["approvals", "allowed-tools"],
)

export const subagents = pageCommand(
  "subagents",
  "subagents",
  "the subagents of this session, each with a transcript of its own, also while it works",
)

export const tasks = pageCommand(
  "tasks",
  "tasks",
  "what works in the background: its output, and a way to stop it",
  ["bashes", "jobs"],
)

export const transcript = pageCommand(
  "transcript",
  "transcript",
  "every answer, thought, call, diff and aside: open it, search, copy; Ctrl+T does the same",
)

/** Makes a command that opens a page. */
function pageCommand(
  name: string,
  page: PageName,
  help: string,
  aliases: readonly string[] = [],
): SlashCommand {
  return { name, help, aliases, run: ({ open }) => open(page) }
}
