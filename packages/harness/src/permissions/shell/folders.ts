import { resolve } from "node:path"
import { follow } from "../paths.js"
import type { Word } from "./words.js"

/** The most folders that are kept in mind. */
const most = 16

/** The folders that relative paths of a script might start from. */
export class Folders {
  #known: ReadonlySet<string> | undefined

  constructor(cwd: string) {
    this.#known = new Set([cwd])
  }

  /** Undefined when it could be any folder. */
  get all(): readonly string[] | undefined {
    return this.#known && [...this.#known]
  }

  enter(place: Word, repeated: boolean): void {
    const folders = this.#known
    const goes = place.kind === "static" && place.text !== "-" && !repeated && folders && folders.size < most
    this.#known = goes
      ? new Set([...folders, ...[...folders].flatMap((from) => entered(from, place.text))])
      : undefined
  }

  /** Where a program is that goes through these folders first, each from the one before. */
  after(within: readonly Word[]): readonly string[] | undefined {
    let folders = this.all
    for (const word of within) {
      if (word.kind !== "static" || folders === undefined) return undefined
      folders = folders.map((from) => follow(word.text, follow(from, "/")))
    }
    return folders
  }
}

/** `cd link/..` stays where it is, and `cd -P link/..` goes to the parent of where the link leads. */
function entered(from: string, text: string): readonly string[] {
  return [resolve(from, text), follow(text, follow(from, "/"))]
}
