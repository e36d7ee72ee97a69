import { inline } from "../../text/reminder-text.js"
import { SottoError } from "../../vocabulary/errors.js"

/** The tool that reads files, and what its inputs are called where the texts may mention them. */
export interface ReadTool {
  readonly name: string
  /** Its input for the path. */
  readonly path?: string
  /** Its input for the first line. */
  readonly offset?: string
  /** Its input for the number of lines. */
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
  /** Finds files by their names. */
  readonly glob?: string
  /** Searches the content of files. */
  readonly grep?: string
  /** Runs commands. */
  readonly bash?: string
  /** Writes a whole file. */
  readonly write?: string
  /** Changes a part of a file. */
  readonly edit?: string
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
  /** No tool: the subagent that works out an approach of its own, of which several may work at once. */
  readonly design?: string
}

/** The names as they stand in a text: checked, and each on one line. */
export type CheckedNames = Omit<ToolNames, "read"> & { readonly read?: ReadTool }

const PARTS =
  "read glob grep bash write edit todo_write task_create task_update task skill question plan_exit snip explore design".split(
    " ",
  )
const INPUTS = "name path offset limit pages".split(" ")

export function namesOf({ read, ...tools }: ToolNames = {}): CheckedNames {
  const reading = typeof read === "string" ? { name: read } : read
  return {
    ...checked(tools, PARTS, "tools"),
    ...(reading && { read: checked({ ...reading }, INPUTS, "tools.read") as unknown as ReadTool }),
  }
}

function checked(given: object, known: readonly string[], place: string): Readonly<Record<string, string>> {
  const entries = Object.entries(given).filter(([, name]) => name !== undefined)
  return Object.fromEntries(
    entries.map(([part, name]: [string, unknown]) => {
      if (known.includes(part) && typeof name === "string" && name.trim() !== "") return [part, inline(name)]
      throw new SottoError(
        "bad-options",
        `${place} has ${JSON.stringify(name)} for "${part}".`,
        `Give the names of tools of yours, as texts, for: ${known.join(", ")}.`,
      )
    }),
  )
}
