import { basename } from "node:path"
import { ConfigError } from "./error.js"
import { type AgentSettings, agentFields } from "./fields.js"
import type { TextFile } from "./files.js"
import { parseDocument } from "./front-matter.js"
import { about, oneOf } from "./shape.js"
import { object } from "./structure.js"

const frontMatter = object({
  ...agentFields,
  prompt: about(
    oneOf("replace", "add"),
    "Whether the body replaces layer 1 of the system prompt, or is added to it.",
  ),
})

export type AgentDefinition = readonly [name: string, settings: AgentSettings]

/** Reads an agent as a Markdown file describes it. Throws ConfigError for a file that cannot be used. */
export async function readAgent({ path, text }: TextFile): Promise<AgentDefinition> {
  const name = basename(path, ".md")
  if (!/^[\w.-]+$/.test(name))
    throw new ConfigError(
      path,
      1,
      "",
      `"${name}" cannot be the name of an agent.`,
      "Name the file with letters, digits, _ - . only.",
    )
  const { fields, body } = await parseDocument(text, path)
  const { prompt: how, ...settings } =
    fields === undefined ? {} : frontMatter.read(fields, { file: path, field: "" })
  return [name, body === "" ? settings : { ...settings, prompt: how === "add" ? { add: body } : body }]
}
