import { accessSync, constants } from "node:fs"
import { resolve } from "node:path"
import type { Word } from "../parse/words.js"
import { mayBePrivate, passesPrivate } from "./kernel-files.js"
import { follow } from "./location.js"

/** Limits the paths that are followed: a longer one may lead anywhere. */
export const LONGEST_PATH = 1024

/** The most folders that are kept in mind. */
const most = 16

/** Anything by which a command may be left out, or run in another shell. */
const branching = /[()`{}|\n\\]|(?<!&)&(?!&)|\b(if|then|else|while|until|for|do|case|select)\b/

/** The folders that relative paths of a script might start from. */
export class Folders {
  #known: ReadonlySet<string> | undefined
  /** Where a script surely is whose commands run one after the other. */
  #current: string | undefined
  readonly #stops: boolean
  readonly #entered = new Set<string>()
  #lost: string | undefined

  constructor(cwd: string, script: string) {
    this.#known = new Set([cwd])
    // After `&&` nothing goes on where the folder could not be entered.
    this.#stops = !script.includes(";")
    const isBranching = branching.test(script) || (!this.#stops && script.includes("&&"))
    this.#current = isBranching ? undefined : cwd
  }

  /** Undefined when it could be any folder. */
  get all(): readonly string[] | undefined {
    return this.#known && [...this.#known]
  }

  /** The folders that it may have gone to, as far as they are known. */
  get entered(): readonly string[] {
    return [...this.#entered]
  }

  /** Gives the word, as it is written, by which the script went to a folder that is not known. */
  get lost(): string | undefined {
    return this.#lost
  }

  /**
   * Enters a folder. `plain`: the command is the script's own, and nothing keeps it from running. Returns false if the
   * folder is one of the kernel's, or might be.
   */
  enter(place: Word, repeated: boolean, plain: boolean): boolean {
    const folders = this.#known
    const isName = place.kind === "static" && place.text !== "-" && place.text.length <= LONGEST_PATH
    const goes = isName && !repeated && folders && folders.size < most
    const isPrivate = isName
      ? [...(folders ?? ["/"])].some((from) => leadsToKernel(from, place.text))
      : mayBePrivate(place)
    if (!goes || isPrivate) {
      this.#lost ??= place.source
      this.#known = undefined
      this.#current = undefined
      return !isPrivate
    }
    const places = [...folders].flatMap((from) => entered(from, place.text))
    const next = plain && this.#current !== undefined ? this.#surely(this.#current, place.text) : undefined
    for (const one of next === undefined ? places : [next]) this.#entered.add(one)
    this.#current = next
    this.#known = new Set([...folders, ...places])
    return true
  }

  #surely(from: string, text: string): string | undefined {
    const [written, real] = entered(from, text)
    if (written === undefined || written !== real) return undefined
    return this.#stops || isOpen(written) ? written : undefined
  }

  /** Tells where a program is that goes through these folders first, each from the one before. */
  after(within: readonly Word[]): readonly string[] | undefined {
    let folders = this.all
    for (const word of within) {
      if (word.kind !== "static" || folders === undefined || word.text.length > LONGEST_PATH) return undefined
      if (folders.some((from) => leadsToKernel(from, word.text))) return undefined
      folders = folders.map((from) => follow(word.text, follow(from, "/")))
    }
    return folders
  }
}

/**
 * Gives both readings: `cd link/..` stays where it is, and `cd -P link/..` goes to the parent of where the link leads.
 */
function entered(from: string, text: string): readonly string[] {
  return [resolve(from, text), follow(text, follow(from, "/"))]
}

/** Tells whether the folder, with or without links followed, lies behind a folder of the kernel. */
function leadsToKernel(from: string, text: string): boolean {
  return passesPrivate(resolve(from, text)) || passesPrivate(text.startsWith("/") ? text : `${from}/${text}`)
}

function isOpen(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK)
    return true
  } catch {
    return false
  }
}
