import { stat } from "node:fs/promises"
import { basename, relative, sep } from "node:path"
import type { Project } from "../../platform/workspace/project.js"
import { readRegularText } from "../../platform/workspace/regular-file.js"
import { markdownPathsIn } from "../../settings/config/files.js"
import { listField, splitFront, textField } from "../../settings/config/loose-front-matter.js"
import { definitionFolders } from "../../settings/trust/definitions.js"

/** Something that the user or the project wants remembered: a Markdown file. */
export interface Memory {
  /** Its path, from where the agent works if it is below. */
  readonly id: string
  readonly title: string
  readonly description: string
  readonly tags: string
  readonly content: string
}

/** A file of memories as it was found, with what tells whether it is still the same. */
interface MemoryFile {
  readonly path: string
  readonly stamp: string
}

const MOST_FILES = 2_000
const LONGEST = 64_000

/** The memory files there are: the user's own and the project's. Throws for a folder that cannot be read. */
export async function memoryFiles(place: Project): Promise<readonly MemoryFile[]> {
  const folders = definitionFolders(place, "memory")
  const paths = (await Promise.all(folders.map(({ path }) => markdownPathsIn(path))))
    .flat()
    .slice(0, MOST_FILES)
  const found = await Promise.all(
    paths.map(async (path) => {
      const file = await stat(path).catch(() => undefined)
      if (file?.isFile() !== true) return []
      return [{ path, stamp: [file.ino, file.size, file.mtimeMs, file.ctimeMs].join() }]
    }),
  )
  return found.flat()
}

/** Undefined if there is nothing in it. */
export async function readMemory(path: string, { cwd }: Project): Promise<Memory | undefined> {
  const text = readRegularText(path)?.slice(0, LONGEST) ?? ""
  const { front, body } = splitFront(text)
  if (body === "") return undefined
  const shown = relative(cwd, path)
  const heading = /^#{1,6}[ \t]+(.+)$/m.exec(body)?.[1]?.trim()
  return {
    id: (shown.startsWith("..") ? path : shown).split(sep).join("/"),
    title: textField(front, "name") || textField(front, "title") || heading || basename(path, ".md"),
    description: textField(front, "description") ?? "",
    tags: [...listField(front, "tags"), basename(path, ".md").replaceAll(/[-_]/g, " ")].join(" "),
    content: body,
  }
}
