import { parseArgs } from "node:util"
import { THINK_LEVELS } from "@sotto/core"
import {
  decideTrust,
  loadAgents,
  loadConfig,
  offeredModels,
  openExistingStore,
  prepareStore,
  storePlace,
} from "@sotto/harness"
import { oneLine } from "../screen/inert.js"
import { out } from "../screen/printer.js"
import { EXIT, TALK_OPTIONS } from "../usage.js"
import { OF_ARGUMENTS, OF_OPTIONS, type ValueSource } from "./completion.js"
import type { CommandOptions } from "./subcommand.js"
import { SUBCOMMANDS, takeStore } from "./table.js"
import { TOPICS } from "./topics.js"

/** Something that a shell may put into the command line. */
interface OfferedValue {
  readonly value: string
  readonly about?: string
}

/** Sessions that are offered: the newest. */
const MOST_SESSIONS = 200
/** Characters of a title that stand beside an id. */
const LONGEST_ABOUT = 60
/**
 * What a shell may get. A session or a server may have any name, and a shell would run `$(…)` once the user presses Enter.
 * A dash at the beginning would be an option.
 */
const INERT = /^[A-Za-z0-9_][A-Za-z0-9_.:/@+-]*$/

/** Milliseconds that a shell waits at most: a database may be far away. */
const LONGEST_WAIT = 1_500

/**
 * Prints for the script of a shell what the last of these words may become. The shell shows nothing else: whatever goes
 * wrong, there is nothing.
 */
export async function offerValues(words: readonly string[]): Promise<number> {
  const waited = setTimeout(() => process.exit(EXIT.done), LONGEST_WAIT)
  try {
    const { args, store } = takeStore(words.slice(0, -1))
    // The list of processes must not show an address, which may have a password.
    process.title = "sotto"
    if (store !== undefined) process.env.SOTTO_STORE = store
    await prepareStore(process.env)
    for (const value of await valuesFor(args, words.at(-1) ?? "")) out.line(value)
  } catch {
    // An error in the middle of a command line helps nobody; the command itself will say it.
  } finally {
    clearTimeout(waited)
  }
  return EXIT.done
}

/** Lists what a word may become, with a tab before what it is about. `args` are the words before it. */
async function valuesFor(args: readonly string[], typed: string): Promise<readonly string[]> {
  const [, option = args.at(-1) ?? "", value = typed] = /^(--[a-z-]+)=(.*)$/.exec(typed) ?? []
  const source = own(OF_OPTIONS, option) ?? own(OF_ARGUMENTS, (await positionals(args)).join(" "))
  if (source === undefined) return []
  const before = value === typed ? "" : `${option}=`
  return (await offered(source))
    .filter((one) => INERT.test(one.value) && one.value.startsWith(value))
    .map(({ value: text, about }) => {
      const more = about === undefined ? "" : `\t${oneLine(about).slice(0, LONGEST_ABOUT)}`
      return `${before}${text}${more}`
    })
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

/** Leaves out options and their values. */
async function positionals(args: readonly string[]): Promise<readonly string[]> {
  const row = SUBCOMMANDS.get(args[0] ?? "")
  const options: CommandOptions = row === undefined ? TALK_OPTIONS : (await row.load()).subcommand.options
  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true }).positionals
}

async function offered(source: ValueSource): Promise<readonly OfferedValue[]> {
  switch (source) {
    case "sessions":
      return sessions()
    case "levels":
      return THINK_LEVELS.map((value) => ({ value }))
    case "topics":
      return [
        ...[...TOPICS].map(([value, { summary }]) => ({ value, about: summary })),
        ...[...SUBCOMMANDS].map(([value, { summary }]) => ({ value, about: summary })),
      ]
    case "models":
    case "agents":
    case "servers":
      return configured(source)
    default:
      return source.map((value) => ({ value }))
  }
}

/** Lists the newest sessions, without those of subagents. A store is not made just to find it empty. */
async function sessions(): Promise<readonly OfferedValue[]> {
  const store = await openExistingStore(storePlace(process.env))
  if (store === undefined) return []
  try {
    const rows = (await store.list()).filter(({ parent }) => parent === undefined).slice(0, MOST_SESSIONS)
    return rows.map(({ id, title, cwd }) => ({ value: id, about: title ?? cwd }))
  } finally {
    await store.close()
  }
}

/** Lists what the configuration of this folder knows. */
async function configured(source: "models" | "agents" | "servers"): Promise<readonly OfferedValue[]> {
  const place = { cwd: process.cwd(), env: process.env }
  const { trusted, folder } = await decideTrust(place)
  const config = await loadConfig({ ...place, trusted, folder })
  switch (source) {
    case "models":
      return offeredModels(config, process.env).map(({ name }) => ({ value: name }))
    case "agents":
      return (await loadAgents({ ...place, trusted, folder, config }))
        .filter(({ mode, hidden }) => mode !== "subagent" && hidden !== true)
        .map(({ name, description }) => ({
          value: name,
          ...(description !== undefined && { about: description }),
        }))
    case "servers":
      return Object.keys(config.mcp).map((value) => ({ value }))
  }
}
