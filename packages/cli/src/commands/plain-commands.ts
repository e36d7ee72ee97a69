import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { resolve } from "node:path"
import { THINK_LEVELS } from "@sotto/core"
import { takesLevels } from "@sotto/core/models"
import {
  asidesOf,
  closest,
  costReport,
  describeRules,
  figuresOf,
  forkSession,
  type OpenConversation,
  offeredModels,
  type ProjectRuntime,
  priceIn,
  promptsOf,
  type RestoreReport,
  type RewindOptions,
  reasonOf,
  selectableAgents,
  startSottoHere,
} from "@sotto/harness"
import { costPage } from "../output/cost.js"
import { configPage, contextPage, statusPage } from "../output/session-pages.js"
import { fullSessionId } from "./open-store.js"

/** What the commands of `sotto --plain` may use and do. */
export interface PlainTalk {
  readonly workplace: ProjectRuntime
  /** Returns the conversation that goes on: /clear and /resume put another one in its place. */
  open(): OpenConversation
  say(text: string): void
  /** Goes on with a stored session, or begins a new one. */
  replace(session?: string): Promise<void>
  /** Lets another program read from the terminal meanwhile. */
  hidden<T>(work: () => Promise<T>): Promise<T>
  quit(): void
}

interface PlainCommand {
  readonly argument?: string
  readonly help: string
  /** Other names that people know it by. */
  readonly aliases?: readonly string[]
  run(talk: PlainTalk, argument: string): void | Promise<void>
}

/** Every command, in the order of /help. */
const COMMANDS: Readonly<Record<string, PlainCommand>> = {
  agent: {
    argument: "[NAME]",
    help: "who answers; without a name: lists them",
    aliases: ["agents", "mode"],
    run: ({ workplace, open, say }, name) => {
      if (name !== "") return open().conversation.switchAgent(name)
      for (const one of selectableAgents(workplace.agents))
        say(row(one.name, one.description ?? "", one.name === open().conversation.session.agent))
    },
  },
  model: {
    argument: "[PROVIDER/MODEL]",
    help: "which model answers; without a name: lists those that can be reached",
    aliases: ["models"],
    run: ({ workplace, open, say }, name) => {
      const { conversation } = open()
      if (name === "") {
        const { model } = conversation.session
        const known = offeredModels(workplace.config, workplace.env, [model])
        for (const one of known.filter(({ isReachable }) => isReachable))
          say(row(one.name, "", one.name === model))
        return
      }
      conversation.switchModel(workplace.modelNamed(name))
      say(`model: ${conversation.session.model}`)
    },
  },
  think: {
    argument: "[LEVEL]",
    help: `how much it thinks: ${THINK_LEVELS.join(", ")}, or default`,
    aliases: ["effort", "thinking"],
    run: ({ open, say }, given) => {
      const { conversation } = open()
      const { model, tuning } = conversation.session
      if (!takesLevels(model)) return say(`${model} takes no thinking level.`)
      const level = THINK_LEVELS.find((one) => one === given)
      if (given === "") say(`${model} thinks: ${tuning.think ?? "as the provider says"}`)
      else if (level === undefined && given !== "default")
        say(`There is no thinking level "${given}". Use ${THINK_LEVELS.join(", ")} or default.`)
      else conversation.setThinking(level)
    },
  },
  compact: {
    argument: "[FOCUS]",
    help: "replace the conversation so far by a summary of it",
    aliases: ["summarize", "compress"],
    run: ({ open, say }, focus) => {
      say("The conversation is being summarised.")
      open().conversation.compact(focus === "" ? undefined : focus)
    },
  },
  cost: {
    help: "what the session has cost, and what that was spent on",
    aliases: ["usage", "stats"],
    run: async ({ workplace, open, say }) => {
      const { id, log } = open().conversation.session
      say(
        spoken(
          costPage(await costReport(workplace.store(), id, log, (model) => priceIn(workplace.config, model))),
        ),
      )
    },
  },
  context: {
    help: "what the next request consists of",
    run: ({ open, say }) => say(spoken(contextPage(open().conversation.session))),
  },
  status: {
    help: "who answers, where, with which rights, and what that has used",
    aliases: ["info", "about"],
    run: ({ workplace, open, say }) => {
      const { session, auto } = open().conversation
      const account = figuresOf(open().account())
      const { cost } = account
      const status = {
        ...{ session, account, model: session.model, think: session.tuning.think },
        cost: cost === undefined ? undefined : `$${cost.toFixed(3)}`,
        mode: auto ? "acts without asking" : "asks before it acts",
      }
      say(spoken(statusPage(status, workplace)))
    },
  },
  config: {
    help: "which files settings come from, and what they say together",
    aliases: ["settings"],
    run: ({ workplace, say }) => say(spoken(configPage(workplace))),
  },
  asides: {
    help: "what the model was told beside your words",
    run: ({ open, say }) => {
      const told = asidesOf(open().conversation.session)
      if (told.length === 0) say("The model was told nothing beside your words yet.")
      for (const { step, kind, tokens, carrier, text } of told)
        say(`step ${step}: ${kind} (${tokens} tokens, ${carrier})\n${text.replace(/^/gm, "  ")}`)
    },
  },
  rules: {
    help: "every rule: on or off, and where it comes from",
    run: async ({ workplace, say }) => {
      for (const { kind, on, source } of await describeRules({ cwd: workplace.cwd, env: workplace.env }))
        say(`${on ? "on " : "off"} ${kind}, by ${source}`)
    },
  },
  permissions: {
    argument: "[NUMBER]",
    help: "what you have allowed in this session; with its number: takes it back",
    aliases: ["approvals", "allowed-tools"],
    run: ({ open, say }, number) => {
      const { permissions } = open()
      const grants = permissions.granted()
      if (number !== "") {
        const grant = grants[Number(number) - 1]
        if (grant === undefined) return say(`There is no grant ${number}. /permissions lists them.`)
        permissions.revoke(grant.id)
        return say(`${grant.permission} ${grant.what} is asked about again`)
      }
      if (grants.length === 0)
        say("Nothing was allowed in this session. Lasting permissions are in your sotto.json.")
      for (const [i, { permission, what }] of grants.entries()) say(`${i + 1}  ${permission} ${what}`)
    },
  },
  queue: {
    help: "what you said that the model has not been given yet",
    run: ({ open, say }) => {
      const queue = open().conversation.session.queue()
      if (queue.length === 0) say("Nothing waits.")
      for (const { id, delivery, content } of queue) say(`${id} ${delivery}: ${JSON.stringify(content)}`)
    },
  },
  abort: { help: "interrupt", run: ({ open }) => open().conversation.abort("the user aborted") },
  tasks: {
    help: "what works in the background",
    aliases: ["bashes", "jobs"],
    run: ({ open, say }) => {
      const tasks = open().tasks.list()
      if (tasks.length === 0) say("Nothing works in the background.")
      for (const { id, state, description } of tasks) say(`${id}  ${state}  ${description}`)
    },
  },
  mcp: {
    help: "the MCP servers of this folder",
    run: ({ workplace, say }) =>
      say(workplace.mcp.names.length === 0 ? "There are none." : workplace.mcp.names.join("\n")),
  },
  resume: {
    argument: "[ID]",
    help: "go on with another session; without an id: lists those of this folder",
    aliases: ["sessions", "continue"],
    run: async ({ workplace, say, replace }, given) => {
      if (given !== "") {
        const id = await fullSessionId(workplace.store(), given)
        await replace(id)
        return say(`This is session ${id} now.`)
      }
      const all = (await workplace.store().list()).filter(
        ({ cwd, parent }) => cwd === workplace.cwd && parent === undefined,
      )
      for (const { id, title = "" } of all.slice(0, MOST_LISTED)) say(`${id}  ${title}`.trimEnd())
    },
  },
  clear: {
    help: "begin a new session; this one stays stored",
    aliases: ["new", "reset"],
    run: async ({ replace, open, say }) => {
      await replace()
      say(`This is a new session: ${open().conversation.session.id}`)
    },
  },
  rewind: {
    argument: "[NUMBER] [files]",
    help: "back to before one of your messages, with `files` in the files too; without a number: lists them",
    aliases: ["checkpoint"],
    run: async (talk, argument) => {
      const [number = "", how] = argument.split(/\s+/)
      const prompt = chosenPrompt(talk, number)
      if (prompt === undefined) return
      const { conversation } = talk.open()
      await moved(talk, (options) => conversation.rewind(prompt.id, options), how === "files")
      talk.say(`This is before: ${prompt.text}`)
    },
  },
  undo: {
    argument: "[overwrite]",
    help: "back to before your last message, with what was done to files since; overwrite: also what others changed",
    run: (talk, how) => {
      const { conversation } = talk.open()
      return moved(talk, (options) => conversation.undo(options), true, how === "overwrite")
    },
  },
  redo: {
    argument: "[overwrite]",
    help: "take the last undo or rewind back, before you say something new",
    run: (talk, how) => {
      const { conversation } = talk.open()
      return moved(talk, (options) => conversation.redo(options), true, how === "overwrite")
    },
  },
  fork: {
    argument: "[NUMBER]",
    help: "a new session from before one of your messages; without a number: lists them",
    aliases: ["branch"],
    run: async (talk, number) => {
      const prompt = chosenPrompt(talk, number)
      if (prompt === undefined) return
      const { workplace, open, replace, say } = talk
      const id = await forkSession(workplace.store(), open().conversation.session.id, prompt.id)
      await replace(id)
      say(`This is session ${id} now, from before: ${prompt.text}`)
    },
  },
  style: {
    argument: "[NAME]",
    help: "how it writes; without a name: lists the styles",
    run: ({ workplace, open, say }, name) => {
      if (name === "") for (const one of workplace.styles) say(row(one.name, one.description, false))
      else open().conversation.setStyle(name)
    },
  },
  export: {
    argument: "FILE",
    help: "write the session's log to a file, one entry a line",
    run: async ({ workplace, open, say }, name) => {
      if (name === "") return say("Where to? /export FILE")
      const path = resolve(workplace.cwd, name)
      const lines = await workplace.store().exportJsonl(open().conversation.session.id)
      writeFileSync(path, `${lines.join("\n")}\n`, { flag: "wx" })
      say(`written to ${path}`)
    },
  },
  login: {
    argument: "[PROVIDER]",
    help: "store a provider's key where only you can read it, after trying it",
    run: async ({ workplace, hidden, say }, provider) => {
      const args = provider === "" ? ["login"] : ["login", provider]
      const [code] = await hidden(() => once(startSottoHere(args, workplace.cwd), "close"))
      if (code !== 0) return say("No key was stored.")
      workplace.renewKeys()
      say("The key is stored. /model lists what it reaches.")
    },
  },
  help: {
    help: "this list",
    aliases: ["commands", "h"],
    run: ({ workplace, say }) => say(helpText(workplace)),
  },
  quit: { help: "leave; the session stays stored", aliases: ["exit", "q"], run: ({ quit }) => quit() },
}

const MOST_LISTED = 20

/** Goes back or forward, and says what became of files. What somebody else has changed since is left unless `overwrites`. */
async function moved(
  { say }: PlainTalk,
  move: (options: RewindOptions) => Promise<RestoreReport>,
  files: boolean,
  overwrites = false,
): Promise<void> {
  const { restored, conflicts, lost, notices } = await move({
    files,
    edited: overwrites ? "overwrite" : "skip",
  })
  for (const { path } of restored) say(`${path} is as it was`)
  for (const { path, why } of [...conflicts, ...lost]) say(`${path} was left: ${why}`)
  for (const notice of notices) say(notice)
  if (restored.length + conflicts.length + lost.length === 0 && files) say("No file was changed.")
}

interface TypedCommand {
  readonly name: string
  readonly argument: string
  readonly isKnown: boolean
}

/** Reads a line as a command; undefined for a message or an answer. */
export function commandIn(line: string): TypedCommand | undefined {
  const [, name = "", argument = ""] = /^\/([a-z][\w-]*)(?:\s+(.*))?$/is.exec(line.trim()) ?? []
  if (name === "") return undefined
  const known = name.toLowerCase()
  return { name: known, argument: argument.trim(), isKnown: found(known) !== undefined }
}

/** Carries out a command. What goes wrong is said, and the conversation goes on. */
export async function carryOut({ name, argument }: TypedCommand, talk: PlainTalk): Promise<void> {
  const command = found(name)
  try {
    if (command) await command.run(talk, argument)
    else talk.say(`There is no command /${name}.${suggestion(name)} /help lists them.`)
  } catch (error) {
    talk.say(reasonOf(error))
  }
}

function found(name: string): PlainCommand | undefined {
  if (Object.hasOwn(COMMANDS, name)) return COMMANDS[name]
  return Object.values(COMMANDS).find(({ aliases }) => aliases?.includes(name))
}

function suggestion(name: string): string {
  const names = Object.entries(COMMANDS).flatMap(([one, { aliases = [] }]) => [one, ...aliases])
  const meant = closest(name, names)
  return meant === undefined ? "" : ` Did you mean /${meant}?`
}

/** Finds the message with this number, counted from the newest; lists them if there is none with it. */
function chosenPrompt({ open, say }: PlainTalk, number: string) {
  const prompts = promptsOf(open().conversation.session)
    .map(({ id, parts }) => ({
      id,
      text: parts.map((part) => (part.type === "text" ? part.text : "")).join(" "),
    }))
    .toReversed()
  const chosen = prompts[Number(number) - 1]
  if (chosen !== undefined) return chosen
  if (prompts.length === 0) say("There is nothing to go back to yet.")
  for (const [i, { text }] of prompts.entries()) say(`${i + 1}  ${text.split("\n")[0] ?? ""}`)
  return undefined
}

function helpText(workplace: ProjectRuntime): string {
  const own = Object.entries(COMMANDS).map(([name, { argument, help, aliases = [] }]) => {
    const others = aliases.length === 0 ? "" : ` (also ${aliases.map((one) => `/${one}`).join(", ")})`
    return `  /${name}${argument === undefined ? "" : ` ${argument}`}: ${help}${others}`
  })
  const users = workplace.ownCommands().map(({ name, description }) => `  /${name}: ${description}`)
  return [...own, ...users, "Ctrl+C interrupts; Ctrl+C again leaves."].join("\n")
}

/** Writes a page of Markdown as lines that can be read aloud: a row of a table is a name and what belongs to it. */
function spoken(page: string): string {
  return page
    .split("\n")
    .filter((line) => !/^[|\s-]*$/.test(line))
    .map((line) => {
      const [name = "", ...cells] = line.startsWith("|") ? line.slice(1, -1).split(/(?<!\\)\|/) : [line]
      const rest = cells.map((cell) => cell.trim()).filter((cell) => cell !== "")
      const text = rest.length === 0 ? name.trim() : `${name.trim()}: ${rest.join(", ")}`
      return text.replaceAll("`", "").replaceAll("\\|", "|")
    })
    .join("\n")
}

function row(name: string, about: string, isHere: boolean): string {
  return `${isHere ? "*" : " "} ${name}${about === "" ? "" : `: ${about}`}`
}
