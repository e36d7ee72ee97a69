import { SottoError } from "../../errors.js"
import { inline } from "../../reminder/reminder.js"

/** The tool that reads files, and what its inputs are called where the texts may mention them. */
export interface ReadTool {
  readonly name: string
  readonly path?: string
  readonly offset?: string
  readonly limit?: string
  /** Page ranges of a PDF. */
  readonly pages?: string
}

/**
 * What the standard texts call the tools that they mention, by the part that a tool plays. A part that is not given is
 * not mentioned: the sentence is left out.
 */
export interface ToolNames {
  /** Reads a file. A name alone leaves its inputs unmentioned. */
  readonly read?: string | ReadTool
  /** Writes the todo list. */
  readonly todo_write?: string
  /** Adds to a task list that several agents share. */
  readonly task_create?: string
  /** Changes what is in that list. */
  readonly task_update?: string
  /** Has a subagent do something. */
  readonly task?: string
  /** Shows a skill. */
  readonly skill?: string
  /** Asks the user something. */
  readonly question?: string
  /** Shows the plan file to the user and ends plan mode. */
  readonly plan_exit?: string
  /** Drops messages by their `[id:…]`. */
  readonly snip?: string
  /** No tool: the subagent that searches a project, of which several may work at once. */
  readonly explore?: string
}

/** The names as they stand in a text: checked, and each on one line. */
export type Names = Omit<ToolNames, "read"> & { readonly read?: ReadTool }

const PARTS: Readonly<Record<keyof Required<ToolNames>, true>> = {
  read: true,
  todo_write: true,
  task_create: true,
  task_update: true,
  task: true,
  skill: true,
  question: true,
  plan_exit: true,
  snip: true,
  explore: true,
}

const INPUTS: readonly string[] = ["name", "path", "offset", "limit", "pages"]

export function namesOf(tools: ToolNames = {}): Names {
  const given = Object.entries(tools).filter(([, name]) => name !== undefined)
  for (const [part] of given)
    if (!Object.hasOwn(PARTS, part))
      throw wrong(`No standard text mentions a tool for "${part}".`, Object.keys(PARTS))
  const { read, ...others } = tools
  const named = Object.entries(others).flatMap(([part, name]) =>
    name === undefined ? [] : [[part, written(part, name)]],
  )
  return { ...Object.fromEntries(named), ...(read !== undefined && { read: reading(read) }) }
}

function reading(read: string | ReadTool): ReadTool {
  if (typeof read === "string") return { name: written("read", read) }
  for (const name of Object.keys(read))
    if (!INPUTS.includes(name)) throw wrong(`No standard text mentions an input "${name}" of read.`, INPUTS)
  const entries = Object.entries(read).filter(([, name]) => name !== undefined)
  const texts = Object.fromEntries(entries.map(([input, name]) => [input, written(`read.${input}`, name)]))
  return { ...texts, name: written("read.name", read.name) }
}

function written(part: string, name: unknown): string {
  if (typeof name === "string" && name.trim() !== "") return inline(name)
  throw new SottoError(
    "bad-options",
    `tools.${part} is ${JSON.stringify(name)}.`,
    "Give the name of a tool of yours, or leave it out.",
  )
}

function wrong(what: string, known: readonly string[]): SottoError {
  return new SottoError("bad-options", what, `Use: ${known.join(", ")}.`)
}
