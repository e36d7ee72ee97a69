import { CommandError, readCommand, type SessionCommand } from "@sotto/harness"

/** Reads a line of `--input jsonl`. Throws a CommandError that says what is wrong with it. */
export function parseCommand(line: string): SessionCommand {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new CommandError("bad-command", `not JSON: ${line.slice(0, 80)}`)
  }
  // A stop is obeyed whatever else its line says.
  if ((value as { readonly type?: unknown } | null)?.type === "abort") return { type: "abort" }
  return readCommand(value)
}
