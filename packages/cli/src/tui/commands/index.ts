import { type InputCompletion, ranked } from "../input/completion.js"
import type { Around, SlashCommand } from "./command.js"
import { SOURCES } from "./table.js"

export type { Around } from "./command.js"

const MOST = 40

export interface ParsedCommand {
  readonly name: string
  readonly argument: string
}

/** A line that is a command. A path that somebody asks about is none: its first word has another slash. */
export function parseCommand(text: string): ParsedCommand | undefined {
  const found = /^\/([a-z][\w-]*)(?:\s+([^\n]*))?$/i.exec(text.trim())
  return found ? { name: (found[1] ?? "").toLowerCase(), argument: (found[2] ?? "").trim() } : undefined
}

/** Every command that there is here, each name once. */
export function commandsOf(around: Around): readonly SlashCommand[] {
  const all = SOURCES.flatMap((source) => source(around))
  return all.filter(({ name }, place) => all.findIndex((one) => one.name === name) === place)
}

export function findCommand(name: string, around: Around): SlashCommand | undefined {
  return commandsOf(around).find((command) => command.name === name)
}

export function offerCommands(query: string, around: Around): readonly InputCompletion[] {
  const all = commandsOf(around).map(({ name, argument, help, isOwn = false }) => ({
    text: name,
    detail: argument === undefined ? help : `${argument}  ${help}`,
    takesWords: isOwn && argument !== undefined,
  }))
  return ranked(query, all, ({ text }) => text, MOST)
}

export function offerArguments(name: string, query: string, around: Around): readonly InputCompletion[] {
  const offers = findCommand(name, around)?.offers?.(around) ?? []
  const found = ranked(query, offers, ({ text }) => text, MOST)
  // Nothing to offer where it stands there already.
  return found.some(({ text }) => text === query) ? [] : found
}
