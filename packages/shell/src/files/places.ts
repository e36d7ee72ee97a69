import { existsSync, readdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Word } from "../parse/words.js"
import { overlap } from "../patterns.js"
import type { ReadPath } from "../programs/judgement.js"
import type { CommandTouch, FileRead, ProgramRun } from "../touches.js"
import { type Folders, LONGEST_PATH } from "./folders.js"
import { isNothing, isPrivate, mayBePrivate, passesPrivate } from "./kernel-files.js"
import { expanded, linksAt, MOST_ENTRIES } from "./links.js"
import { type Location, locate } from "./location.js"

interface Wanted extends ReadPath {
  readonly use: "read" | "edit" | "mention"
  readonly within: readonly Word[]
}

/** The files that the commands of one command line change and read, as touches. */
export class Places {
  readonly #cwd: string
  readonly #folders: Folders
  readonly #wanted: Wanted[] = []
  readonly #budget = { left: MOST_ENTRIES }

  constructor(cwd: string, folders: Folders) {
    this.#cwd = cwd
    this.#folders = folders
  }

  change(path: Word): void {
    this.#wanted.push({ path, use: "edit", within: [] })
  }

  read(reading: ReadPath, within: readonly Word[] = []): void {
    const { path } = reading
    // The commands on the other side of `<(…)` are judged on their own.
    if (path.kind === "dynamic" && path.source.startsWith("<(")) return
    const stands = path.kind === "dynamic" ? path.stands : undefined
    const use = reading.ifThere ? "mention" : "read"
    for (const one of stands ?? [path]) this.#wanted.push({ ...reading, path: one, use, within })
  }

  /**
   * Operands of a program that is not known: whatever it does, it may read those that are files, and all that is in
   * those that are folders. Code may read the files that it names: `python3 -c 'open(".env")'`.
   */
  mention([name, ...words]: readonly Word[]): void {
    const isCode = name?.kind === "static" && interpreters.test(name.text)
    for (const path of words) {
      if (path.kind !== "static") continue
      if (isCode)
        for (const text of namesInCode(path.text))
          this.#wanted.push({ path: { ...path, text }, use: "mention", within: [] })
      if (!path.text.startsWith("-")) this.#wanted.push({ path, below: true, use: "mention", within: [] })
      for (const text of within(path.text))
        this.#wanted.push({ path: { ...path, text }, use: "mention", within: [] })
    }
  }

  async touches(): Promise<readonly CommandTouch[]> {
    const found = new Map<string, CommandTouch>()
    for (const wanted of this.#wanted)
      for (const touch of await this.#judge(wanted)) found.set(keyOf(touch), touch)
    return [...found.values()]
  }

  async #judge(wanted: Wanted): Promise<readonly CommandTouch[]> {
    const { path: word, use } = wanted
    const path = known(word)
    if (path !== undefined && isNothing(path) && use !== "edit") return []
    const folders = this.#folders.after(wanted.within)
    const isLost = folders === undefined && path?.startsWith("/") !== true
    if (path === undefined || isLost || path.length > LONGEST_PATH) return this.#anywhere(wanted)
    const places = new Map<string, Location>()
    let doubtful = false
    for (const folder of path.startsWith("/") ? [this.#cwd] : (folders ?? [])) {
      const from = wanted.fromTop ? topOf(folder) : folder
      const whole = path.startsWith("/") && !wanted.fromTop ? path : `${from}/${path}`
      const isThere = use !== "mention" || word.kind !== "static" || existsSync(whole)
      // What is there for us may not be there for the program, and the other way round.
      if (use !== "edit" && (isThere || wanted.ifThere) && passesPrivate(whole)) doubtful = true
      if (!isThere) continue
      if (wanted.noOption && word.kind === "pattern" && mayBecomeOption(word, folder)) doubtful = true
      const links =
        use === "edit"
          ? []
          : linksAt(whole, { ...wanted, isPattern: word.kind === "pattern", budget: this.#budget })
      if (links === undefined) return this.#anywhere(wanted)
      for (const one of [whole, ...links]) {
        const place = await locate(one, this.#cwd)
        places.set(place.path, place)
      }
    }
    const found = [...places.values()].flatMap((place) =>
      this.#at(place, use === "mention" && !isFolder(place.path) ? { ...wanted, below: false } : wanted),
    )
    return doubtful ? [...found, unknownRun(word.source)] : found
  }

  #at(place: Location, wanted: Wanted): readonly CommandTouch[] {
    const { use, below = false, path: word } = wanted
    const path = place.relative
    const reach = place.inside ? "inside" : "outside"
    if (use === "edit") return [{ is: "write", path, reach, part: word.source }]
    const unsure = word.kind === "pattern" ? expanded(path) : undefined
    const perhaps = [...(unsure ? [unsure] : []), ...(below ? belowOf(path) : [])]
    const read: FileRead = {
      is: "read",
      path,
      reach,
      part: word.source,
      ...(perhaps.length > 0 && { perhaps, ...(unsure !== undefined && { exact: false }) }),
      ...(below && { below: true }),
    }
    return isPrivate(place.path, word) ? [read, unknownRun(word.source)] : [read]
  }

  /** Gives the touches of a path that may be any file. */
  #anywhere({ path, use, within }: Wanted): readonly CommandTouch[] {
    const part = path.source
    if (use === "mention") return mayBePrivate(path) ? [unknownRun(part)] : []
    if (use === "edit") return [{ is: "write", path: part, reach: "anywhere", part }]
    const start = path.kind === "static" ? path.text : path.prefix
    // A name that the shell completes is below its folder; anything else may go on with `../`.
    const stays = path.kind === "pattern" && !/[{~]|\.\./.test(path.text)
    const rest =
      stays && /^(\.\/)?(?=[^/.~])/.test(start) && start.includes("/") ? start.replace(/^\.\//, "") : ""
    const perhaps = [within.length > 0 ? "*" : `${rest}*`]
    const read: FileRead = { is: "read", path: part, reach: "anywhere", exact: false, perhaps, part }
    return mayBePrivate(path) ? [read, unknownRun(part)] : [read]
  }
}

/** Stands for a part of the command that may do anything: it names a file of which the kernel shows each process another. */
function unknownRun(part: string): ProgramRun {
  return { is: "run", command: part, effect: "unknown", exact: false, part }
}

function keyOf(touch: CommandTouch): string {
  if (touch.is === "run") return `run ${touch.command}`
  const perhaps = touch.is === "read" ? touch.perhaps : undefined
  return `${touch.is} ${touch.path} ${touch.is === "visit" ? "" : touch.reach} ${perhaps}`
}

/** Gives the path that a word stands for. A pattern stands for itself, as long as it cannot lead elsewhere. */
function known(word: Word): string | undefined {
  if (word.kind === "static") return word.text === "" ? undefined : word.text
  if (word.kind === "dynamic") return undefined
  const rest = word.text.slice(word.prefix.length)
  const folder = rest.slice(0, rest.lastIndexOf("/") + 1)
  return /\.\.|[{,][/~]/.test(rest) || /[*?[\]]/.test(folder) ? undefined : word.text
}

const interpreters = /(^|\/)(python[\d.]*|node|deno|bun|perl|ruby|php|lua|osascript|pwsh|R|Rscript|julia)$/
/** The most names that are looked for in code. */
const mostNames = 200

function namesInCode(code: string): readonly string[] {
  const names = code.split(/[\s'"`()[\]{}<>,;|]+/).filter((name) => /[./]/.test(name) || /^\w+$/.test(name))
  return [...new Set(names)].filter((name) => name !== code).slice(0, mostNames)
}

/** Lists what may be a path in an argument: `--option=PATH`, `-oPATH`, `@PATH`, `file://PATH`. */
function within(text: string): readonly string[] {
  const value = text.includes("=") ? [text.slice(text.indexOf("=") + 1)] : []
  const short = /^-[^-]/.test(text) ? [text.slice(2)] : []
  const all = [text, ...value, ...short]
  const marked = all.flatMap((one) => /^(?:@|file:\/\/(?:localhost(?=\/))?)(.+)$/is.exec(one)?.[1] ?? [])
  return [...value, ...short, ...marked].filter((one) => one !== "")
}

/** Finds the folder that paths in a revision start from: the one that has a `.git`. */
function topOf(folder: string): string {
  for (let top = folder; dirname(top) !== top; top = dirname(top))
    if (existsSync(join(top, ".git"))) return top
  return folder
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function belowOf(target: string): readonly string[] {
  return target === "." ? ["*"] : [target, `${target.replace(/\/$/, "")}/*`]
}

/** Tells whether a word that the shell completes may become an option. */
function mayBecomeOption({ text, prefix }: Word & { readonly kind: "pattern" }, folder: string): boolean {
  if (/^[-@]/.test(prefix)) return true
  if (prefix !== "") return false
  // Words in braces need no file: `{,x}-f`.
  if (text.includes("{")) return /[-@]/.test(text)
  const pattern = expanded(text)
  return !text.includes("/") && namesIn(folder).some((name) => /^[-@]/.test(name) && overlap(pattern, name))
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
