import type { Project } from "../../platform/workspace/project.js"
import { markdownIn } from "../config/files.js"
import { readStyle, type Style } from "../config/style-file.js"
import { definitionFolders } from "../trust/definitions.js"

export type { Style }

/** The output style that changes nothing. */
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

/** Loads the built-in styles and the user's own, `.sotto/styles/NAME.md`; of two with one name the nearer counts. */
export async function loadStyles(place: Project): Promise<readonly Style[]> {
  const folders = await Promise.all(definitionFolders(place, "styles").map(({ path }) => markdownIn(path)))
  const own = await Promise.all(folders.flat().map(readStyle))
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
