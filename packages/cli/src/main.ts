import { fileReason, isForTheUser, knownSecrets, prepareStore, reasonOf, redact } from "@sotto/harness"
import { badArgument } from "./bad-argument.js"
import { Left } from "./exit.js"
import { observed } from "./observed.js"
import { err, out } from "./screen/printer.js"
import { EXIT, help, takeStore, UsageError } from "./usage.js"

type Command = (args: readonly string[]) => Promise<number>

/** Each is loaded when it is asked for: most of them need little of the whole. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  run: async () => (await import("./commands/run.js")).run,
  sessions: async () => (await import("./commands/sessions.js")).sessions,
  store: async () => (await import("./commands/stores.js")).stores,
  show: async () => (await import("./commands/stored.js")).show,
  asides: async () => (await import("./commands/stored.js")).asides,
  fork: async () => (await import("./commands/stored.js")).fork,
  export: async () => (await import("./commands/export.js")).exportSession,
  import: async () => (await import("./commands/stored.js")).importSession,
  check: async () => (await import("./commands/check.js")).check,
  proxy: async () => (await import("./commands/proxy.js")).proxy,
  trust: async () => (await import("./commands/trust.js")).trust,
  rules: async () => (await import("./commands/rules.js")).rules,
  serve: async () => (await import("./commands/serve.js")).serve,
  inspect: async () => (await import("./commands/inspect.js")).inspect,
  tour: async () => (await import("./commands/tour.js")).tour,
  rehearse: async () => (await import("./commands/rehearse.js")).rehearse,
  init: async () => (await import("./commands/init.js")).init,
  completion: async () => (await import("./commands/completion.js")).completion,
  acp: async () => (await import("./commands/acp.js")).acp,
  login: async () => (await import("./commands/login.js")).login,
  doctor: async () => (await import("./commands/doctor.js")).doctor,
}

/** The `sotto` command. Returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  process.on("uncaughtException", crashed)
  try {
    return await commanded(withStore(args))
  } catch (error) {
    if (error instanceof Left) return error.code
    const bad = badArgument(error, args[0])
    return fail(bad === undefined ? error : new UsageError(bad, { cause: error }))
  }
}

/** `--store` holds for this process and what it opens. An address may have a password, which no list of processes shows. */
function withStore(given: readonly string[]): readonly string[] {
  const { args, store } = takeStore(given)
  if (store === undefined) return args
  process.env.SOTTO_STORE = store
  process.title = "sotto"
  return args
}

async function commanded(args: readonly string[]): Promise<number> {
  const [first, ...rest] = args
  if (first === "--help" || first === "-h") return say(help())
  if (first === "help") {
    if (rest[0] !== undefined) loaderOf(rest[0])
    return say(help(rest[0]))
  }
  if (first === "--version" || first === "-v")
    return say(`${await (await import("./version.js")).version()}\n`)
  if (first === undefined || first.startsWith("-"))
    return args.some((arg) => arg === "--help" || arg === "-h")
      ? say(help())
      : await observed("talk", () => talk(args))
  const load = loaderOf(first)
  if (asksForHelp(rest)) return say(help(first))
  await prepareStore(process.env)
  return await observed(first, async () => (await load())(rest))
}

function loaderOf(name: string): () => Promise<Command> {
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (load === undefined) throw new UsageError(`There is no command "${name}". \`sotto --help\` lists them.`)
  return load
}

/** What comes after `--` is for another command. */
function asksForHelp(args: readonly string[]): boolean {
  const own = args.includes("--") ? args.slice(0, args.indexOf("--")) : args
  return own.includes("--help") || own.includes("-h")
}

/** In a terminal that can draw, drawn; a line at a time in any other, or where that is asked for. */
async function talk(args: readonly string[]): Promise<number> {
  const { stdin, stdout, env } = process
  const canDraw = stdin.isTTY && stdout.isTTY && env.TERM !== "dumb" && env.INK_SCREEN_READER !== "true"
  if (!canDraw || args.includes("--plain")) return (await import("./commands/plain.js")).plain(args)
  return (await import("./tui/index.js")).tui(args)
}

/** What nobody caught is told like any other error. The platform would print it as it is, with keys and escape codes. */
function crashed(error: unknown): void {
  // The terminal UI gives the terminal back first, and says it itself.
  if (process.listenerCount("uncaughtException") > 1) return
  process.exit(fail(error))
}

/** A user sees what went wrong and what to do; where it happened only if they ask. */
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

/** A file's error names the file and the reason: what the system says of it is a code and a call. */
function messageOf(error: unknown): string {
  const isFile = error instanceof Error && "path" in error && "syscall" in error
  return isFile ? `${String(error.path)} cannot be used: ${fileReason(error)}` : reasonOf(error)
}

function say(text: string): number {
  out.print(text)
  return EXIT.done
}
