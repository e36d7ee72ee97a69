import { closest } from "@sotto/harness"
import { UsageError } from "../usage.js"
import type { Subcommand } from "./subcommand.js"

/** A line of `sotto --help`, and where the rest of a subcommand is. */
interface TableRow {
  /** The arguments as the overview writes them. */
  readonly args?: string
  readonly summary: string
  /** True if the subcommand reads or writes sessions, so that it takes --store. */
  readonly usesStore?: true
  load(): Promise<{ readonly subcommand: Subcommand }>
}

/**
 * Every subcommand, in the order of `sotto --help`. Each is loaded when it is asked for: most of them need little of the
 * whole, and `sotto run` must load no other.
 */
export const SUBCOMMANDS: ReadonlyMap<string, TableRow> = new Map(
  Object.entries<TableRow>({
    run: {
      args: "[PROMPT]",
      summary: "one prompt, or lines from stdin, without a terminal",
      usesStore: true,
      load: () => import("./run.js"),
    },
    sessions: {
      summary: "what has been talked about; delete, repair or archive it",
      usesStore: true,
      load: () => import("./sessions.js"),
    },
    store: {
      summary: "where sessions are: its state; bring it up to date, copy it elsewhere, check it",
      usesStore: true,
      load: () => import("./store.js"),
    },
    show: {
      args: "ID",
      summary: "a session as a person sees it",
      usesStore: true,
      load: () => import("./show.js"),
    },
    asides: {
      args: "ID",
      summary: "what the model was told beside that",
      usesStore: true,
      load: () => import("./asides.js"),
    },
    fork: {
      args: "ID PROMPT",
      summary: "a new session from before one of its prompts",
      usesStore: true,
      load: () => import("./fork.js"),
    },
    export: {
      args: "ID",
      summary: "the session's log, one entry a line",
      usesStore: true,
      load: () => import("./export.js"),
    },
    import: {
      args: "FILE",
      summary: "a session from such a log, or from another agent's file",
      usesStore: true,
      load: () => import("./import.js"),
    },
    check: {
      args: "SOURCE…",
      summary: "what broke the prompt cache in recorded traffic or session files of any agent, and the cost",
      usesStore: true,
      load: () => import("./check.js"),
    },
    proxy: {
      args: "-- COMMAND",
      summary: "any agent through a proxy: what it really sends, live; recorded or mended if you ask",
      load: () => import("./proxy.js"),
    },
    serve: {
      summary: "sessions over HTTP, for programs and for the page",
      usesStore: true,
      load: () => import("./serve.js"),
    },
    inspect: {
      args: "[ID|FILE]",
      summary: "a page in the browser: what the model saw, in a session or a recording",
      usesStore: true,
      load: () => import("./inspect.js"),
    },
    trust: {
      summary: "which folders you trust; trust this one, or no longer",
      load: () => import("./trust.js"),
    },
    mcp: {
      args: "[ACTION]",
      summary: "MCP servers: add, list, show and remove them; log in at one, or out",
      load: () => import("./mcp.js"),
    },
    rules: {
      summary: "every rule: on or off, throttle, priority, where it comes from",
      load: () => import("./rules.js"),
    },
    models: {
      args: "[NAME]",
      summary: "what Sotto knows of models: window and price, with date and source; bring it up to date",
      load: () => import("./models.js"),
    },
    tour: {
      args: "[KIND…]",
      summary: "what a kind of reminder looks like: what you see, and what the model is told; needs no key",
      load: () => import("./tour.js"),
    },
    rehearse: {
      args: "[SCRIPT]",
      summary: "a strict stand-in for all the providers, for your own tests",
      load: () => import("./rehearse.js"),
    },
    acp: {
      summary: "for editors: the Agent Client Protocol on stdin and stdout",
      usesStore: true,
      load: () => import("./acp.js"),
    },
    init: {
      args: "[DIR]",
      summary: "writes a commented sotto.json and an example of a reminder",
      load: () => import("./init.js"),
    },
    completion: {
      args: "SHELL",
      summary: "completions for bash, zsh or fish",
      load: () => import("./completion.js"),
    },
    login: {
      summary: "store a provider's key where only you can read it, after trying it",
      load: () => import("./login.js"),
    },
    doctor: {
      summary: "whether everything is in place, and whether the provider takes the key",
      usesStore: true,
      load: () => import("./doctor.js"),
    },
  }),
)

/** Finds the row of a subcommand. Throws if the name is unknown. */
export function rowOf(name: string): TableRow {
  const row = SUBCOMMANDS.get(name)
  if (row !== undefined) return row
  const meant = closest(name, [...SUBCOMMANDS.keys()])
  const hint = meant === undefined ? "" : ` Did you mean \`sotto ${meant}\`?`
  throw new UsageError(
    `There is no command "${name}".${hint} \`sotto --help\` lists them. A word for the agent goes after --: sotto -- ${name}`,
  )
}

/**
 * Takes `--store PLACE` out of a command line. Returns what is left, and the place. What comes after `--` is for another
 * command.
 */
export function takeStore(given: readonly string[]): {
  readonly args: readonly string[]
  readonly store?: string
} {
  const at = storeFlagIn(given)
  const flag = given[at]
  if (flag === undefined) return { args: given }
  const isTwo = flag === "--store"
  const store = isTwo ? given[at + 1] : flag.slice("--store=".length)
  const args = given.toSpliced(at, isTwo ? 2 : 1)
  const name = args[0]
  const row = name === undefined ? undefined : SUBCOMMANDS.get(name)
  if (row !== undefined && !row.usesStore) return { args: given }
  if (!store)
    throw new UsageError("--store needs a place: the path of a file, or postgres://user@host/database.")
  if (storeFlagIn(args) >= 0) throw new UsageError("--store is given twice. Name one place.")
  return { args, store }
}

function storeFlagIn(args: readonly string[]): number {
  const end = args.includes("--") ? args.indexOf("--") : args.length
  return args.findIndex((arg, i) => i < end && (arg === "--store" || arg.startsWith("--store=")))
}
