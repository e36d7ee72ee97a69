import type { SlashCommand, TerminalContext } from "../context.js"
import { type InputCompletion, ranked } from "../input/completion.js"
import { agent, model, style, theme, think } from "./choices.js"
import { copy, exportSession } from "./export.js"
import { asides, diff, mcp, permissions, subagents, tasks, transcript } from "./pages.js"
import { cost, help, inspect, rules } from "./reports.js"
import { clear, compact, fork, quit, resume, rewind, tour } from "./sessions.js"

/** Sotto's own commands, in the order in which they are listed. */
const OWN: readonly SlashCommand[] = [
  agent,
  model,
  think,
  compact,
  transcript,
  copy,
  diff,
  cost,
  asides,
  inspect,
  rules,
  permissions,
  resume,
  clear,
  rewind,
  fork,
  style,
  theme,
  exportSession,
  tasks,
  subagents,
  mcp,
  tour,
  help,
  quit,
]

const MOST = 40

interface ParsedCommand {
  readonly name: string
  readonly argument: string
}

/**
 * Parses a line that is a command. A path that the user asks about does not count: its first word has another slash.
 */
export function parseCommand(text: string): ParsedCommand | undefined {
  const found = /^\/([a-z][\w-]*)(?:\s+([^\n]*))?$/i.exec(text.trim())
  return found ? { name: (found[1] ?? "").toLowerCase(), argument: (found[2] ?? "").trim() } : undefined
}

/** Lists every command that there is here, each name once: Sotto's own goes before the user's. */
export function commandsOf(terminal: TerminalContext): readonly SlashCommand[] {
  const all = [...OWN, ...ownCommandsOf(terminal)]
  return all.filter(({ name }, place) => all.findIndex((one) => one.name === name) === place)
}

export function findCommand(name: string, terminal: TerminalContext): SlashCommand | undefined {
  return commandsOf(terminal).find((command) => command.name === name)
}

export function offerCommands(query: string, terminal: TerminalContext): readonly InputCompletion[] {
  const all = commandsOf(terminal).map(({ name, argument, help, isOwn = false }) => ({
    text: name,
    detail: argument === undefined ? help : `${argument}  ${help}`,
    takesWords: isOwn && argument !== undefined,
  }))
  return ranked(query, all, ({ text }) => text, MOST)
}

export function offerArguments(
  name: string,
  query: string,
  terminal: TerminalContext,
): readonly InputCompletion[] {
  const offers = findCommand(name, terminal)?.offers?.(terminal) ?? []
  const found = ranked(query, offers, ({ text }) => text, MOST)
  // Nothing to offer where it stands there already.
  return found.some(({ text }) => text === query) ? [] : found
}

/** Lists the commands that the user has written, and skills by their names. They are said, not carried out. */
function ownCommandsOf({ workplace }: TerminalContext): readonly SlashCommand[] {
  return workplace.ownCommands().map(({ name, description, argument, from }) => ({
    name,
    ...(argument !== undefined && { argument }),
    help: from === "skill" ? `${description} (skill)` : description,
    isOwn: true,
    run: () => undefined,
  }))
}
