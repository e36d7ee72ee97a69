import { basename } from "node:path"
import { ConfigError } from "./error.js"
import type { TextFile } from "./files.js"
import { cutFrontMatter } from "./front-matter.js"
import { textField } from "./loose-front-matter.js"

/** A command of the user's own: a prompt with places for what is typed after its name. */
export interface CommandFile {
  readonly name: string
  readonly description: string
  /** What may follow the name, for people: "[FILE]". */
  readonly argument?: string
  readonly text: string
  readonly path: string
}

const NAME = /^[a-z][\w-]*$/i

/** Reads a command as a Markdown file describes it. Throws ConfigError for a file that cannot be used. */
export function readCommand({ path, text }: TextFile): CommandFile {
  const name = basename(path, ".md")
  if (!NAME.test(name))
    throw new ConfigError(
      path,
      1,
      "",
      `"${name}" cannot be typed as a command.`,
      "Use letters, digits, - and _ in the name of the file, a letter first.",
    )
  const { header = [], isClosed, body } = cutFrontMatter(text)
  if (!isClosed)
    throw new ConfigError(path, 1, "", "The front matter does not end.", "Close it with a line of ---.")
  if (body === "")
    throw new ConfigError(path, 1, "", "The command says nothing.", "Write what the agent should do.")
  const front = header.join("\n")
  const argument =
    textField(front, "argument-hint") || (/\$(ARGUMENTS|\d)/.test(body) ? "[ARGUMENTS]" : undefined)
  return {
    name: name.toLowerCase(),
    description: textField(front, "description") ?? firstLine(body),
    ...(argument !== undefined && { argument }),
    text: body,
    path,
  }
}

const LONGEST_LINE = 80

function firstLine(text: string): string {
  const line = text.split("\n", 1)[0]?.replace(/^#+\s*/, "") ?? ""
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE - 1)}…`
}
