import { stat } from "node:fs/promises"
import { basename, relative, sep } from "node:path"
import type MiniSearch from "minisearch"
import type { Project } from "../../platform/workspace/project.js"
import { readRegularText } from "../../platform/workspace/regular-file.js"
import { markdownPathsIn } from "../../settings/config/files.js"
import { listField, splitFront, textField } from "../../settings/config/loose-front-matter.js"
import { definitionFolders } from "../../settings/trust/definitions.js"
import { stemOf, wordsOf } from "./words.js"

/** Something that the user or the project wants remembered: a Markdown file. */
interface Memory {
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

/** Lists the memory files: the user's own and the project's. Throws for a folder that cannot be read. */
async function memoryFiles(place: Project): Promise<readonly MemoryFile[]> {
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

async function readMemory(path: string, { cwd }: Project): Promise<Memory | undefined> {
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

const MOST_MATCHES = 3
/** A long message has a word in common with everything: its beginning says what it is about. */
const LONGEST_QUESTION = 2_000
/** Words in common, one in the title or the tags counting double, that make a match; more for a long message. */
const FEWEST = 2
const SHARE = 0.15

interface Indexed {
  readonly stamp: string
  /** Undefined if the file has nothing in it. */
  readonly memory: Memory | undefined
}

/** The memories of a directory and a full-text index of them, brought up to date whenever something is looked for. */
export class Memories {
  readonly #place: Project
  readonly #files = new Map<string, Indexed>()
  #index: MiniSearch<Memory> | undefined
  #updating: Promise<void> = Promise.resolve()

  constructor(place: Project) {
    this.#place = place
  }

  /** Finds what is kept about the matter of a text, best first; at most three, without those that are known already. */
  async about(text: string, known: ReadonlySet<string>): Promise<readonly Memory[]> {
    const updated = this.#updating.then(() => this.#update())
    this.#updating = updated.catch(() => undefined)
    await updated
    if (this.#index === undefined) return []
    const words = wordsOf(text.slice(0, LONGEST_QUESTION))
    const stems = new Set(words.map(stemOf).filter((stem) => stem !== undefined))
    const needed = Math.max(FEWEST, Math.ceil(stems.size * SHARE))
    const byId = new Map(
      [...this.#files.values()].flatMap(({ memory }) => (memory ? [[memory.id, memory]] : [])),
    )
    return this.#index
      .search([...stems].join(" "))
      .filter(({ id, match }) => !known.has(id) && strengthOf(match) >= needed)
      .slice(0, MOST_MATCHES)
      .flatMap(({ id }) => byId.get(id) ?? [])
  }

  async #update(): Promise<void> {
    const files = await memoryFiles(this.#place)
    const present = new Set(files.map(({ path }) => path))
    for (const [path, { memory }] of this.#files)
      if (!present.has(path)) {
        this.#files.delete(path)
        if (memory) this.#index?.discard(memory.id)
      }
    const changed = files.filter(({ path, stamp }) => this.#files.get(path)?.stamp !== stamp)
    if (changed.length === 0) return
    this.#index ??= await emptyIndex()
    for (const { path, stamp } of changed) {
      const before = this.#files.get(path)?.memory
      // Gone since it was listed: the next look will see that.
      const memory = await readMemory(path, this.#place).catch(() => undefined)
      if (before) this.#index.discard(before.id)
      if (memory) this.#index.add(memory)
      this.#files.set(path, { stamp, memory })
    }
  }
}

/** Loads the library only when there is something to find. */
async function emptyIndex(): Promise<MiniSearch<Memory>> {
  const { default: MiniSearch } = await import("minisearch")
  return new MiniSearch<Memory>({
    fields: ["title", "description", "tags", "content"],
    tokenize: wordsOf,
    processTerm: (term) => stemOf(term) ?? null,
    searchOptions: {
      boost: { title: 3, tags: 3, description: 2 },
      // What is looked for is stems already.
      tokenize: (stems) => stems.split(" "),
      processTerm: (stem) => stem,
    },
  })
}

function strengthOf(match: Readonly<Record<string, readonly string[]>>): number {
  const weights = Object.values(match).map((fields) =>
    fields.includes("title") || fields.includes("tags") ? 2 : 1,
  )
  return weights.reduce((sum: number, weight) => sum + weight, 0)
}
