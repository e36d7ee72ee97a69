import type { Command } from "./command.js"

export const asides: Command = {
  name: "asides",
  help: "the ledger: what the model was told beside your words, and why rules kept silent",
  run: ({ open }) => open("ledger"),
}
