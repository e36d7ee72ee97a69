import type { SlashCommand } from "./command.js"

export const asides: SlashCommand = {
  name: "asides",
  help: "the ledger: what the model was told beside your words, and why rules kept silent",
  run: ({ open }) => open("ledger"),
}
