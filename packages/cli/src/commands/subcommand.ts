import { TALK_OPTIONS } from "../usage.js"

/** An option of a command: what `parseArgs` has to know of it, and how the help and the completions show it. */
export interface CommandOption {
  readonly type: "string" | "boolean"
  /** The letter of its short form. */
  readonly short?: string
  readonly multiple?: boolean
  readonly default?: string | boolean
  /** The value as the help writes it, such as "FILE". */
  readonly value?: string
  /** What the option does. The help puts each further line below the first. */
  readonly help?: string
  /** True for an option that Sotto gives when it starts the command itself: the help and the completions leave it out. */
  readonly isInternal?: boolean
}

export type CommandOptions = Readonly<Record<string, CommandOption>>

/** A subcommand: everything that Sotto knows of it, except its line in `sotto --help`, which is in table.ts. */
export interface Subcommand {
  /** The page that `sotto NAME --help` prints. It begins with "sotto NAME". */
  readonly help: string
  /** The options in the order of the help. Completions offer them; `run` parses those that it takes. */
  readonly options: CommandOptions
  /** The page that says more than the help: its title, and its path from docs/reference. */
  readonly manual?: readonly [title: string, path: string]
  /**
   * Runs the subcommand. Returns the exit code.
   * @param args what follows its name
   * @param describeAll loads every subcommand: for one that lists them
   */
  run(args: readonly string[], describeAll: () => Promise<readonly CommandDescription[]>): Promise<number>
}

/** A subcommand as the help describes it. Completions, the manual and docs/reference/commands.md are made of these. */
export interface CommandDescription extends Pick<Subcommand, "help" | "manual"> {
  readonly name: string
  readonly summary: string
  /** What a user may type, such as "--model", in the order of its help. */
  readonly options: readonly string[]
}

/**
 * Makes the lines of a help page that list options.
 * @param column where the sentences begin
 */
export function optionRows(options: CommandOptions, column: number, indent = 2): string {
  return Object.entries(options)
    .flatMap(([name, option]) => {
      if (option.help === undefined) return []
      const left = `${" ".repeat(indent)}${optionText(name, option)}`.padEnd(column)
      return [left + option.help.replaceAll("\n", `\n${" ".repeat(column)}`)]
    })
    .join("\n")
}

/** Writes an option as a user types it, such as "--model P/M". */
export function optionText(name: string, { value, short }: CommandOption): string {
  const named = short === undefined ? `--${name}` : `-${short}, --${name}`
  return value === undefined ? named : `${named} ${value}`
}

/** Lists the options that a user may type, such as "--model". */
export function optionNames(options: CommandOptions): readonly string[] {
  return Object.entries(options).flatMap(([name, { isInternal }]) => (isInternal ? [] : [`--${name}`]))
}

/** Lists the options of `sotto` itself, without a subcommand. */
export function ownOptions(): readonly string[] {
  return [...optionNames(TALK_OPTIONS), "--help", "--version"]
}
