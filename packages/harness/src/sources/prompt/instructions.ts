import { existsSync } from "node:fs"
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import { removed, unavailable } from "@sotto/core"
import { configFolder, homeFolder } from "../../platform/workspace/folders.js"
import { Glob } from "../../platform/workspace/glob.js"
import { isInside, leadsInside } from "../../platform/workspace/location.js"
import { type Project, projectFolders, projectRoot } from "../../platform/workspace/project.js"
import { type FileLook, WatchedFile } from "../../platform/workspace/watched-file.js"
import {
  INSTRUCTION_FILES,
  type InstructionAccess,
  instructionAccess,
} from "../../settings/trust/instruction-files.js"
import type { Observation } from "../source.js"

/** Text that people write to be read. Anything else, a file of secrets say, is never pulled in by a line. */
const IMPORTABLE = /\.(?:md|mdx|markdown|txt)$/i

/**
 * Lists what an instruction file imports with `@path`, as it is written there. Code, inline or fenced, imports nothing.
 */
function importsIn(text: string): readonly string[] {
  if (!text.includes("@")) return []
  const prose = text.replace(/^(```|~~~)[\s\S]*?^\1/gm, "").replace(/`[^`\n]*`/g, "")
  const found = [...prose.matchAll(/(?<=^|[\s(])@((?:~\/|\.{0,2}\/)?[^\s@()<>"'`]+)/gm)]
  const named = found.map(([, path = ""]) => path.replace(/[.,;:!?]+$/, ""))
  return [...new Set(named.filter((path) => IMPORTABLE.test(path)))]
}

/**
 * Finds where an import is, if it is there and lies in the folder that the file's imports may come from, links
 * followed.
 */
function imported(path: string, file: string, home: string, within: string): string | undefined {
  const target = path.startsWith("~/") ? join(home, path.slice(2)) : resolve(dirname(file), path)
  return leadsInside(target, within) ? target : undefined
}

/** Where others' work lies, whose instructions do not count here. */
const FOREIGN = new Set(["node_modules", ".git"])

/**
 * Lists the folders from below the root down to the one a file is in, outermost first. None if the file is elsewhere.
 */
function foldersDownTo(file: string, root: string): readonly string[] {
  if (file === root || !isInside(file, root)) return []
  const names = relative(root, dirname(file)).split(sep).filter(Boolean)
  if (names.some((name) => FOREIGN.has(name))) return []
  return names.map((_, i) => join(root, ...names.slice(0, i + 1)))
}

const NAMES = INSTRUCTION_FILES
const LONGEST = 24_000
/** Room for the note, so that a text with it is not cut again. */
const LONGEST_CUT = LONGEST - 400
/** How far imports go on from import to import, and how many there may be. */
const DEEPEST_IMPORT = 5
const MOST_IMPORTS = 50

export interface InstructionPlace extends Project {
  /** Absolute paths, or globs that begin with one: `config.instructions`. */
  readonly extra?: readonly string[]
  /** Keys that a restored session knows already: those that are gone now are reported as removed. */
  readonly told?: Iterable<string>
}

type Family = "instructions" | "nested"
type Found = Map<string, { readonly look: Exclude<FileLook, { is: "absent" }>; readonly path: string }>

/**
 * Instruction files: the user's own, then the project's from the outermost folder inwards, then those configured; what
 * they import; and nested ones, from when something below their folder is touched.
 */
export class Instructions {
  readonly #place: InstructionPlace
  readonly #root: string
  readonly #home: string
  /** Where the user's own are. */
  readonly #own: string
  readonly #project: readonly string[]
  readonly #fixed: readonly string[]
  readonly #globs: readonly Glob[]
  readonly #reading: InstructionAccess
  readonly #nested: Set<string>
  readonly #watched = new Map<string, WatchedFile>()
  /** What was found the last time that all were gone through. */
  #before = new Map<string, FileLook>()
  readonly #imports = new WeakMap<FileLook, readonly string[]>()
  /** What was last reported, by key: the content's hash, or undefined if it could not be read. */
  readonly #told: Map<string, string | undefined>

  constructor(place: InstructionPlace) {
    const { extra = [], told = [] } = place
    this.#place = place
    this.#root = projectRoot(place)
    this.#home = homeFolder(place.env)
    this.#own = configFolder(place.env)
    this.#project = projectFolders(place)
    this.#fixed = [this.#own, ...this.#project].flatMap((folder) => NAMES.map((name) => join(folder, name)))
    this.#globs = extra.map((pattern) => new Glob(pattern))
    this.#reading = instructionAccess(place, this.#fixed, (path) => this.#named().includes(path))
    const known = [...told].filter((key) => /^(?:instructions|nested):/.test(key))
    this.#told = new Map(known.map((key) => [key, ""]))
    const nested = known.filter((key) => key.startsWith("nested:"))
    this.#nested = new Set(nested.map((key) => resolve(place.cwd, key.slice("nested:".length))))
  }

  /** Notes that a file was read or written: what is said in the folders down to it is to be known. */
  touch(file: string): void {
    for (const folder of foldersDownTo(file, this.#root)) {
      if (this.#project.includes(folder)) continue
      for (const path of NAMES.map((name) => join(folder, name)))
        if (!this.#nested.has(path) && existsSync(path)) this.#nested.add(path)
    }
  }

  /** Gives what is different from the last time; the first time, all there is. Reads only what changed. */
  refresh(): readonly Observation[] {
    if (this.#isAsBefore()) return []
    const current = this.#current()
    const observations: Observation[] = []
    for (const [key, { look, path }] of current) {
      const hash = look.is === "file" ? `${look.hash}:${look.bytes}` : undefined
      if (this.#told.has(key) && this.#told.get(key) === hash) continue
      this.#told.set(key, hash)
      observations.push({ key, value: look.is === "file" ? this.#value(key, look, path) : unavailable() })
    }
    for (const key of this.#told.keys()) {
      if (current.has(key)) continue
      this.#told.delete(key)
      observations.push({ key, value: removed() })
    }
    return observations
  }

  /** True if every file is what it was when all were last gone through. What imports may have more to it. */
  #isAsBefore(): boolean {
    const [paths, before] = [this.#paths(), this.#before]
    if (before.size !== paths.length) return false
    return paths.every((path) => {
      const look = this.#look(path)
      return before.get(path) === look && (look.is !== "file" || this.#importsOf(look).length === 0)
    })
  }

  #paths(): readonly string[] {
    return [...new Set([...this.#listed(), ...this.#nested])]
  }

  #listed(): readonly string[] {
    return [...this.#fixed, ...this.#named()]
  }

  #named(): readonly string[] {
    return this.#globs.flatMap((glob) => glob.files())
  }

  /** Finds the files by key. A file that goes by two names, by a link, counts once, under the first. */
  #current(): Found {
    const found: Found = new Map()
    const seen = new Set<string>()
    this.#before = new Map(this.#paths().map((path) => [path, this.#look(path)]))
    let imports = 0
    const visit = (path: string, family: Family, depth: number, within: string): void => {
      const look = this.#look(path)
      if (look.is === "absent" || (look.is === "file" && !this.#reading.mayRead(path))) return
      const key = this.#key(path, family)
      // What never could be read has nothing to be kept.
      if (look.is === "unreadable" && !this.#told.has(key)) return
      if (look.is === "file") {
        if (seen.has(look.identity) || look.text.trim() === "") return
        seen.add(look.identity)
      }
      found.set(key, { look, path })
      if (look.is !== "file" || depth === DEEPEST_IMPORT) return
      for (const named of this.#importsOf(look)) {
        const next = imported(named, path, this.#home, within)
        if (next !== undefined && imports++ < MOST_IMPORTS) visit(next, family, depth + 1, within)
      }
    }
    // Only the user's own may reach into the home folder: a project is often other people's work.
    for (const path of this.#listed())
      visit(path, "instructions", 0, dirname(path) === this.#own ? this.#home : this.#root)
    for (const path of this.#nested) visit(path, "nested", 0, this.#root)
    return found
  }

  #look(path: string): FileLook {
    const known = this.#watched.get(path)
    if (known !== undefined) return known.look()
    const file = new WatchedFile(path, LONGEST + 1)
    this.#watched.set(path, file)
    return file.look()
  }

  /** Reads the imports anew only if the file was. */
  #importsOf(look: FileLook & { readonly is: "file" }): readonly string[] {
    const imports = this.#imports.get(look) ?? importsIn(look.text)
    this.#imports.set(look, imports)
    return imports
  }

  /**
   * Makes a key relative to where the agent works for what belongs to the project, else absolute: the engine states
   * instructions in the order of their keys, and so "../AGENTS.md", then "/home/…", then "AGENTS.md" come from far to
   * near.
   */
  #key(path: string, family: Family): string {
    const shown = relative(resolve(this.#place.cwd), path)
    const isBelow = !isAbsolute(shown) && shown.split(sep)[0] !== ".."
    const isProject = isBelow || family === "nested" || this.#project.includes(dirname(path))
    const name = (isProject ? shown : path).split(sep).join("/")
    // What was told as nested stays so, although something may import it since.
    return this.#told.has(`nested:${name}`) ? `nested:${name}` : `${family}:${name}`
  }

  #value(key: string, look: FileLook & { readonly is: "file" }, path: string): unknown {
    const text = this.#content(key, look)
    return this.#reading.isVouchedFor(path) ? text : { text, untrusted: true }
  }

  #content(key: string, { text, bytes }: { readonly text: string; readonly bytes: number }): string {
    if (bytes <= LONGEST) return text
    const cut = new TextDecoder().decode(Buffer.from(text).subarray(0, LONGEST_CUT), { stream: true })
    const name = key.slice(key.indexOf(":") + 1)
    return `${cut}\n[${name} has ${bytes} bytes, of which the first ${LONGEST_CUT} are shown: read the rest if it matters]`
  }
}
