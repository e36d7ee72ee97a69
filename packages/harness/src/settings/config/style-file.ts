import { basename } from "node:path"
import { ConfigError } from "./error.js"
import type { TextFile } from "./files.js"
import { parseDocument } from "./front-matter.js"
import { about, text } from "./shape.js"
import { object } from "./structure.js"

/** How the agent is to write. */
export interface Style {
  readonly name: string
  readonly description: string
  /** Undefined for the way it writes anyway. */
  readonly text?: string
}

const frontMatter = object({ name: text, description: about(text, "For the list of styles.") })

/** Reads a style as a Markdown file describes it. Throws ConfigError for a file that cannot be used. */
export async function readStyle({ path, text }: TextFile): Promise<Style> {
  const { fields, body } = await parseDocument(text, path)
  if (body === "")
    throw new ConfigError(path, 1, "", "The style says nothing.", "Write how the agent should write.")
  const { name = basename(path, ".md"), description = "" } =
    fields === undefined ? {} : frontMatter.read(fields, { file: path, field: "" })
  return { name, description, text: body }
}
