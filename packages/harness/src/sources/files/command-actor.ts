import type { Entry, ToolCallPart } from "@sotto/core"
import { shownPath } from "./facts.js"

const COMMAND = "the command you ran"

/** The command of a call that has come to its end; undefined of any other call. */
export function commandOf({ name, input }: ToolCallPart): string | undefined {
  if (name !== "bash" || input === null || typeof input !== "object" || Array.isArray(input)) return undefined
  const { command, background } = input as { readonly command?: unknown; readonly background?: unknown }
  return typeof command === "string" && background !== true ? command : undefined
}

/** Whether a command is about to be run: what is different by then is not its doing. */
export function awaitsCommand(log: readonly Entry[]): boolean {
  const replied = log.findLast(({ type }) => type === "replied")
  const parts = replied?.type === "replied" ? replied.reply.parts : []
  return parts.some((part) => part.type === "tool-call" && commandOf(part) !== undefined)
}

/**
 * Who changed a file while a command ran, as far as that can be known: surely the command if it names the file to
 * change it, surely somebody else if it only reads.
 */
export async function actorBeside(command: string, path: string, cwd: string): Promise<string | undefined> {
  const { judgeCommand } = await import("../../execution/permissions/command-access.js")
  const accesses = await judgeCommand(command, cwd).catch(() => [])
  const target = shownPath(path, cwd)
  if (accesses.some((access) => access.permission === "edit" && access.target === target)) return COMMAND
  const onlyReads =
    accesses.length > 0 &&
    accesses.every(({ permission, effect }) => permission !== "bash" || effect === "read") &&
    !accesses.some(({ permission }) => permission === "edit")
  return onlyReads ? undefined : `${COMMAND}, or someone else while it ran`
}
