import { parseArgs } from "node:util"
import { redact } from "@sotto/core/secrets"
import { fileReason, isForTheUser, knownSecrets, prepareStore, reasonOf } from "@sotto/harness"
import { type CommandDescription, optionNames } from "./commands/subcommand.js"
import { rowOf, SUBCOMMANDS, takeStore } from "./commands/table.js"
import { Left } from "./exit.js"
import { observed } from "./observed.js"
import { err, out } from "./screen/printer.js"
import { badArgument, EXIT, TALK_OPTIONS, UsageError } from "./usage.js"

export async function main(args: readonly string[]): Promise<number> {
  process.on("uncaughtException", crashed)
  try {
    return await commanded(withStore(args))
  } catch (error) {
    if (error instanceof Left) return error.code
    const bad = await badLine(error, args)
    return fail(bad === undefined ? error : new UsageError(bad, { cause: error }))
  }
}

/**
 * Takes `--store` out; it holds for this process and what it opens. An address may have a password, so the list of
 * processes must not show it.
 */
function withStore(given: readonly string[]): readonly string[] {
  const { args, store } = takeStore(given)
  if (store === undefined) return args
  process.env.SOTTO_STORE = store
  process.title = "sotto"
  return args
}

async function commanded(args: readonly string[]): Promise<number> {
  const [first, ...rest] = args
  if (first === "--help" || first === "-h") return say(await overview())
  if (first === "help") return say(await help(rest))
  if (first === "--version" || first === "-v")
    return say(`${await (await import("./version.js")).version()}\n`)
  // What the script of `sotto completion` asks for.
  if (first === "completion" && rest[0] === "--values")
    return (await import("./commands/completion-values.js")).offerValues(rest.slice(2))
  if (isTalk(first)) {
    if (asksForHelp(args)) return say(await overview())
    return ownPart(args).some((arg) => PRINT.test(arg))
      ? subcommand("run", args)
      : observed("talk", () => talk(args))
  }
  rowOf(first)
  return asksForHelp(rest) ? say(await helpOf(first)) : subcommand(first, rest)
}

async function subcommand(name: string, args: readonly string[]): Promise<number> {
  await prepareStore(process.env)
  return observed(name, async () => (await rowOf(name).load()).subcommand.run(args, describeAll))
}

/** Tells whether a command line goes to `sotto` itself: it begins with an option, or with words for the agent. */
function isTalk(first: string | undefined): first is undefined {
  return first === undefined || first.startsWith("-") || (!SUBCOMMANDS.has(first) && isWords(first))
}

/** True for several words that a person can have typed. */
function isWords(text: string): boolean {
  return /\s/.test(text) && !/\p{Cc}/u.test(text.replace(/[\n\r\t]/g, ""))
}

/** `-p` of `sotto` itself, alone or with `-c`: answer and end, as `sotto run` does. */
const PRINT = /^(--print|-p|-cp|-pc)$/

/** Says what is wrong with the options or arguments, and what may have been meant; undefined if nothing is. */
async function badLine(error: unknown, args: readonly string[]): Promise<string | undefined> {
  const [first] = args
  if (isTalk(first)) return badArgument(error, undefined, optionNames(TALK_OPTIONS))
  const row = SUBCOMMANDS.get(first)
  return badArgument(
    error,
    first,
    row === undefined ? [] : optionNames((await row.load()).subcommand.options),
  )
}

async function overview(): Promise<string> {
  return (await import("./commands/help.js")).overview()
}

/** Makes what `sotto help [NAME]` prints: the page of a command or a topic. */
async function help(args: readonly string[]): Promise<string> {
  const [name, ...more] = ownPart(args).filter((arg) => arg !== "--help" && arg !== "-h")
  if (more.length > 0) throw new UsageError(`One command or topic at a time: sotto help ${name}.`)
  if (name === undefined) return overview()
  const keys = async () => (await import("./tui/pages/keys.js")).keysText()
  return (await import("./commands/topics.js")).helpOn(name, keys)
}

async function helpOf(name: string): Promise<string> {
  return (await rowOf(name).load()).subcommand.help
}

async function describeAll(): Promise<readonly CommandDescription[]> {
  return (await import("./commands/help.js")).describeCommands()
}

/** Ignores what comes after `--`: it is for another command. */
function asksForHelp(args: readonly string[]): boolean {
  return ownPart(args).some((arg) => arg === "--help" || arg === "-h")
}

/** Gives what comes before `--`. */
function ownPart(args: readonly string[]): readonly string[] {
  return args.includes("--") ? args.slice(0, args.indexOf("--")) : args
}

/** Draws a screen if the terminal can. In any other, or with --plain, the conversation goes a line at a time. */
async function talk(args: readonly string[]): Promise<number> {
  const { stdin, stdout, env } = process
  const canDraw = stdin.isTTY && stdout.isTTY && env.TERM !== "dumb" && env.INK_SCREEN_READER !== "true"
  const { values, positionals } = parseArgs({
    args: [...args],
    options: TALK_OPTIONS,
    allowPositionals: true,
  })
  const [prompt, ...more] = positionals
  if (more.length > 0) throw new UsageError("One prompt at a time: put it in quotes.")
  if (prompt?.trim() === "") throw new UsageError("The prompt is empty.")
  const flags = { ...values, ...(prompt !== undefined && { prompt }) }
  if (!canDraw || values.plain) return (await import("./commands/plain.js")).plain(flags)
  return (await import("./tui/index.js")).tui(flags)
}

/** Tells an uncaught error like any other. The platform would print it as it is, with keys and escape codes. */
function crashed(error: unknown): void {
  // The terminal UI gives the terminal back first, and says it itself.
  if (process.listenerCount("uncaughtException") > 1) return
  process.exit(fail(error))
}

/** Shows the user what went wrong and what to do; where it happened only if they ask. */
function fail(error: unknown): number {
  const message = messageOf(error)
  const withoutKeys = (text: string) => redact(text, knownSecrets(process.env))
  err.line(`sotto: ${withoutKeys(message)}`)
  if (process.env.SOTTO_DEBUG && error instanceof Error) err.line(withoutKeys(error.stack ?? ""))
  if (error instanceof UsageError) return EXIT.usage
  const kind = isForTheUser(error)
  if (kind === undefined && !process.env.SOTTO_DEBUG) err.line("Set SOTTO_DEBUG=1 to see where.")
  return kind === "usage" ? EXIT.usage : EXIT.failed
}

/** Names the file and the reason of a file's error: the system gives only a code and a call. */
function messageOf(error: unknown): string {
  const isFile = error instanceof Error && "path" in error && "syscall" in error
  return isFile ? `${String(error.path)} cannot be used: ${fileReason(error)}` : reasonOf(error)
}

function say(text: string): number {
  out.print(text)
  return EXIT.done
}
