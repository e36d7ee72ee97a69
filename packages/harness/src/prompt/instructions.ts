import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import { removed, unavailable } from "@sotto/core"
import { type Place, projectFolders } from "../config/places.js"
import { configFolder } from "../folders.js"
import { Glob } from "./glob.js"
import type { Observation } from "./observation.js"
import { type Look, WatchedFile } from "./watched-file.js"

const NAMES = ["AGENTS.md", "CLAUDE.md", "CONTEXT.md"]
const LONGEST = 24_000
/** Room for the note, so that a text with it is not cut again. */
const LONGEST_CUT = LONGEST - 400

export interface InstructionPlace extends Place {
  /** Absolute paths, or globs that begin with one: `config.instructions`. */
  readonly extra?: readonly string[]
  /** Keys that a restored session knows already: those that are gone now are reported as removed. */
  readonly told?: Iterable<string>
}

/** Instruction files: the user's own, then the project's from the outermost folder inwards, then those configured. */
export class Instructions {
  readonly #place: InstructionPlace
  readonly #project: readonly string[]
  readonly #fixed: readonly string[]
  readonly #globs: readonly Glob[]
  readonly #watched = new Map<string, WatchedFile>()
  /** What was last reported, by key: the content's hash, or undefined if it could not be read. */
  readonly #told: Map<string, string | undefined>

  constructor(place: InstructionPlace) {
    const { extra = [], told = [] } = place
    this.#place = place
    this.#project = projectFolders(place)
    this.#fixed = [configFolder(place.env), ...this.#project].flatMap((folder) =>
      NAMES.map((name) => join(folder, name)),
    )
    this.#globs = extra.map((pattern) => new Glob(pattern))
    this.#told = new Map([...told].filter((key) => key.startsWith("instructions:")).map((key) => [key, ""]))
  }

  /** What is different from the last time; the first time, all there is. Reads only what changed. */
  refresh(): readonly Observation[] {
    const current = this.#current()
    const observations: Observation[] = []
    for (const [key, look] of current) {
      const hash = look.is === "file" ? `${look.hash}:${look.bytes}` : undefined
      if (this.#told.has(key) && this.#told.get(key) === hash) continue
      this.#told.set(key, hash)
      observations.push({ key, value: look.is === "file" ? this.#content(key, look) : unavailable() })
    }
    for (const key of [...this.#told.keys()].filter((key) => !current.has(key))) {
      this.#told.delete(key)
      observations.push({ key, value: removed() })
    }
    return observations
  }

  /** By key. A file that goes by two names, by a link, counts once, under the first. */
  #current(): ReadonlyMap<string, Exclude<Look, { is: "absent" }>> {
    const found = new Map<string, Exclude<Look, { is: "absent" }>>()
    const seen = new Set<string>()
    for (const path of [...this.#fixed, ...this.#globs.flatMap((glob) => glob.files())]) {
      const look = this.#look(path)
      if (look.is === "absent") continue
      if (look.is === "file") {
        if (seen.has(look.identity) || look.text.trim() === "") continue
        seen.add(look.identity)
      }
      // What never could be read has nothing to be kept.
      else if (!this.#told.has(this.#key(path))) continue
      found.set(this.#key(path), look)
    }
    return found
  }

  #look(path: string): Look {
    const known = this.#watched.get(path)
    if (known !== undefined) return known.look()
    const file = new WatchedFile(path, LONGEST + 1)
    this.#watched.set(path, file)
    return file.look()
  }

  /**
   * Relative to where the agent works for what belongs to the project, else absolute: the engine states instructions
   * in the order of their keys, and so "../AGENTS.md", then "/home/…", then "AGENTS.md" come from far to near.
   */
  #key(path: string): string {
    const shown = relative(resolve(this.#place.cwd), path)
    const isBelow = !isAbsolute(shown) && shown.split(sep)[0] !== ".."
    const isProject = isBelow || this.#project.includes(dirname(path))
    return `instructions:${(isProject ? shown : path).split(sep).join("/")}`
  }

  #content(key: string, { text, bytes }: { readonly text: string; readonly bytes: number }): string {
    if (bytes <= LONGEST) return text
    const cut = new TextDecoder().decode(Buffer.from(text).subarray(0, LONGEST_CUT), { stream: true })
    const name = key.slice(key.indexOf(":") + 1)
    return `${cut}\n[${name} has ${bytes} bytes, of which the first ${LONGEST_CUT} are shown: read the rest if it matters]`
  }
}
