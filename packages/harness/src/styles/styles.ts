import { basename } from "node:path"
import { parseDocument } from "../agents/front-matter.js"
import { ConfigError } from "../config/error.js"
import { markdownIn, type Place, type TextFile } from "../config/places.js"
import { about, text } from "../config/shape.js"
import { object } from "../config/structure.js"
import { definitionFolders } from "../trust/definitions.js"

/** How the agent is to write. */
export interface Style {
  readonly name: string
  readonly description: string
  /** Undefined for the way it writes anyway. */
  readonly text?: string
}

export const DEFAULT_STYLE = "default"

const BUILT_IN: readonly Style[] = [
  { name: DEFAULT_STYLE, description: "As the agent writes by itself." },
  {
    name: "explanatory",
    description: "Explains why, for somebody who wants to learn the code base.",
    text: "Explain as you work, for somebody who is getting to know this code: why this approach and not another, how the parts you touch hang together, and which conventions of the project you follow. Put it in a short paragraph before or after the work it is about, not into the code's comments.",
  },
  {
    name: "concise",
    description: "Answers in as few words as possible.",
    text: "Answer in as few words as carry the meaning: no introduction, no repetition of the question, no account of what was just done unless it is asked for. One line is often enough. Code, errors and warnings stay complete.",
  },
]

const frontMatter = object({ name: text, description: about(text, "For the list of styles.") })

/** The built-in styles and the user's own, `.sotto/styles/NAME.md`; of two with one name the nearer counts. */
export async function loadStyles(place: Place): Promise<readonly Style[]> {
  const folders = await Promise.all(definitionFolders(place, "styles").map(({ path }) => markdownIn(path)))
  const own = await Promise.all(folders.flat().map(styleOf))
  const styles = new Map([...BUILT_IN, ...own].map((style) => [style.name, style]))
  return [...styles.values()]
}

export function findStyle(styles: readonly Style[], name: string): Style {
  const style = styles.find((one) => one.name === name)
  if (style !== undefined) return style
  const names = styles.map((one) => one.name).join(", ")
  throw new UnknownStyle(`There is no output style "${name}". There are: ${names}.`)
}

/** A name that no style has. */
export class UnknownStyle extends Error {
  override readonly name = "UnknownStyle"
}

async function styleOf({ path, text }: TextFile): Promise<Style> {
  const { fields, body } = await parseDocument(text, path)
  if (body === "")
    throw new ConfigError(path, 1, "", "The style says nothing.", "Write how the agent should write.")
  const { name = basename(path, ".md"), description = "" } =
    fields === undefined ? {} : frontMatter.read(fields, { file: path, field: "" })
  return { name, description, text: body }
}
