import { THINK_LEVELS, type ThinkLevel } from "@sotto/core"
import { closest } from "@sotto/harness"

/** A command line that cannot be carried out: said with what to do, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

export const EXIT = { done: 0, failed: 1, usage: 2, incomplete: 3, unread: 141 } as const

/** The options of `sotto` itself, without a subcommand: a conversation in the terminal. */
export const TALK_OPTIONS = {
  plain: { type: "boolean" },
  store: { type: "string", value: "PLACE" },
  model: { type: "string", short: "m", value: "P/M" },
  agent: { type: "string", value: "NAME" },
  think: { type: "string", value: "LEVEL" },
  session: { type: "string", value: "ID" },
  continue: { type: "boolean", short: "c" },
  yes: { type: "boolean" },
  trust: { type: "boolean" },
} as const

/** What the user asked for by them. */
export interface TalkFlags {
  /** What to say first. */
  readonly prompt?: string
  readonly model?: string
  readonly agent?: string
  readonly think?: string
  readonly session?: string
  readonly continue?: boolean
  readonly yes?: boolean
  readonly trust?: boolean
}

/** Reads the level that `--think` names. */
export function thinking(given: string | undefined): { readonly think?: ThinkLevel } {
  if (given === undefined) return {}
  const think = THINK_LEVELS.find((level) => level === given)
  if (think === undefined) throw new UsageError(`--think ${given}: use ${THINK_LEVELS.join(", ")}.`)
  return { think }
}

/**
 * Says what is wrong with an option or argument that Node's `parseArgs` refused, and where the right ones are listed. The
 * words of `parseArgs` name no command. Returns undefined for an error that is not about the command line.
 */
export function badArgument(
  error: unknown,
  command: string | undefined,
  options: readonly string[],
): string | undefined {
  if (!(error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS")))
    return undefined
  const name = command === undefined ? "sotto" : `sotto ${command}`
  return `${wrong(String(error.code), error.message, options, command !== undefined)} See \`${name} --help\`.`
}

function wrong(code: string, message: string, options: readonly string[], isSubcommand: boolean): string {
  const quoted = /'([^']*)'/.exec(message)?.[1] ?? ""
  // Written as '-m, --model <value>' where an option has a short form, or takes a value.
  const option = quoted.replace(/^-\w, /, "").replace(/ <value>$/, "")
  if (quoted === "") return `${message}.`
  if (code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") {
    const meant = closest(option, options)
    if (meant !== undefined) return `There is no option ${option}. Did you mean ${meant}?`
    return `There is no option ${option}.${isSubcommand && message.includes("positional") ? " A text that begins with a dash comes after --." : ""}`
  }
  if (code === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL") return `"${quoted}" is not expected here.`
  if (message.includes("does not take")) return `${option} takes no value.`
  if (message.includes("ambiguous"))
    return `${option} needs a value. One that begins with a dash is written ${option}=-….`
  return `${option} needs a value.`
}
