import { basename } from "node:path"
import { parseRule } from "@sotto/core"
import { readAgent } from "../config/agent-file.js"
import { readCommand } from "../config/command-file.js"
import type { TextFile } from "../config/files.js"
import { cutFrontMatter } from "../config/front-matter.js"
import { readStyle } from "../config/style-file.js"
import { agentText, fieldTexts } from "./shown.js"

export type DefinitionKind = "agents" | "commands" | "reminders" | "styles"

/** Characters of a prompt text. Only such a text is cut. */
const LONGEST_SHOWN = 300
/** Characters. Longer front matter is shown as it is: a folder's file must not keep the YAML parser busy. */
const LONGEST_PARSED = 20_000

/**
 * Writes a definition as the user sees it: all of its front matter, then its text. Throws for one that cannot be used.
 */
export async function definitionText(kind: DefinitionKind, file: TextFile): Promise<string> {
  const { header, body } = split(kind, file.text)
  const isLong = header.length > LONGEST_PARSED
  const parts = isLong ? [header, excerpt(body)] : await partsOf(kind, file, { header, body })
  return `${basename(file.path, ".md")}: ${parts.filter((part) => part !== "").join("; ")}`
}

async function partsOf(
  kind: DefinitionKind,
  file: TextFile,
  { header, body }: Halves,
): Promise<readonly string[]> {
  switch (kind) {
    case "agents": {
      const [, { prompt = "", ...settings }] = await readAgent(file)
      return [agentText(settings), excerpt(typeof prompt === "string" ? prompt : prompt.add)]
    }
    case "styles": {
      const { name, description, text = "" } = await readStyle(file)
      const fields = {
        ...(name !== basename(file.path, ".md") && { name }),
        ...(description !== "" && { description }),
      }
      return [...fieldTexts(fields), excerpt(text)]
    }
    case "commands":
      readCommand(file)
      return [header, excerpt(body)]
    case "reminders":
      parseRule(file.text, file.path)
      return [header, excerpt(body)]
  }
}

interface Halves {
  readonly header: string
  readonly body: string
}

/** Cuts a file into its two halves where its loader cuts it: otherwise front matter could pass for text. */
function split(kind: DefinitionKind, markdown: string): Halves {
  const { header = [], body } =
    kind === "reminders"
      ? cutFrontMatter(markdown, (line) => line.trim() === "---")
      : cutFrontMatter(markdown)
  return { header: header.filter((line) => line.trim() !== "").join("; "), body }
}

function excerpt(text: string): string {
  if (text.length <= LONGEST_SHOWN) return text
  return `${text.slice(0, LONGEST_SHOWN)}… (${text.length} characters)`
}
