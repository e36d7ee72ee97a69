import { closest } from "@sotto/harness"
import type { SlashCommand, TerminalContext } from "../context.js"
import { type InputCompletion, ranked } from "../input/completion.js"
import { agent, model, style, theme, think } from "./choices.js"
import { copy, exportSession } from "./export.js"
import { login } from "./login.js"
import { mcp } from "./mcp.js"
import { asides, diff, permissions, subagents, tasks, transcript } from "./pages.js"
import { config, context, cost, help, inspect, rules, status } from "./reports.js"
import { clear, compact, fork, quit, redo, resume, rewind, tour, undo } from "./sessions.js"

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
  context,
  status,
  config,
  asides,
  inspect,
  rules,
  permissions,
  resume,
  clear,
  undo,
  redo,
  rewind,
  fork,
  style,
  theme,
  exportSession,
  tasks,
  subagents,
  mcp,
  login,
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

/** Finds a command by its name or another name for it. A command of the user's own goes before another name. */
export function findCommand(name: string, terminal: TerminalContext): SlashCommand | undefined {
  const all = commandsOf(terminal)
  return all.find((command) => command.name === name) ?? all.find(({ aliases }) => aliases?.includes(name))
}

/** Says where to find what a command of other programs does, or which command may have been meant. */
export function unknownCommand(name: string, terminal: TerminalContext): string {
  const place = ELSEWHERE.get(name)
  if (place !== undefined) return `There is no /${name} here: ${place}.`
  const names = commandsOf(terminal).flatMap((command) => [command.name, ...(command.aliases ?? [])])
  const meant = closest(name, names)
  return `There is no command /${name}. ${meant === undefined ? "" : `Did you mean /${meant}? `}/help lists them.`
}

/** Names that people know from other programs, and where Sotto has that. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ["doctor", "`sotto doctor` in a shell"],
  ["logout", "`sotto login --remove PROVIDER` in a shell"],
  ["update", "`npm install -g @sotto/cli` in a shell"],
  ["upgrade", "`npm install -g @sotto/cli` in a shell"],
  ["memory", "write AGENTS.md, which /init begins"],
  ["hooks", "they are `hooks` in sotto.json"],
  ["skills", "type / and the name of one"],
  ["editor", "Ctrl+G opens your own"],
  ["details", "Ctrl+O shows calls in full"],
  ["vim", "keys are `terminal.keys` in sotto.json"],
  ["keybindings", "keys are `terminal.keys` in sotto.json; ? lists them"],
  ["output-style", "/style chooses how it writes"],
  ["add-dir", "a path outside is asked about when it is needed"],
  ["plan", "Tab or Shift+Tab switches to the agent plan"],
  ["build", "Tab or Shift+Tab switches to the agent build"],
  ["todos", "the list stands above the input while there is one"],
])

export function offerCommands(query: string, terminal: TerminalContext): readonly InputCompletion[] {
  const commands = commandsOf(terminal)
  const all = commands.map(({ name, argument, help, isOwn = false }) => ({
    text: name,
    detail: argument === undefined ? help : `${argument}  ${help}`,
    takesWords: isOwn && argument !== undefined,
  }))
  const found = ranked(query, all, ({ text }) => text, MOST)
  if (found.length > 0 || query === "") return found
  const others = commands.flatMap(({ name, aliases = [], help }) =>
    aliases.map((text) => ({ text, detail: `the same as /${name}: ${help}`, takesWords: false })),
  )
  return ranked(query, others, ({ text }) => text, MOST)
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
    help: from === "command" ? description : `${description} (${from === "skill" ? "skill" : "MCP prompt"})`,
    isOwn: true,
    run: () => undefined,
  }))
}
