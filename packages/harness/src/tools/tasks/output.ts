import { randomBytes } from "node:crypto"
import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import { dirname, join } from "node:path"
import { plain } from "../../execution/programs/command-output.js"
import { appendPrivate, privateFolder } from "../../platform/workspace/private-files.js"

/** More than this number of bytes at once are not told: the rest is in the file. */
const MOST_NEWS = 4_000

/** A file that only grows, read on from where it was last told of. */
export class TaskOutput {
  readonly #path: string
  #told = 0

  constructor(path: string) {
    this.#path = path
  }

  /** Reads what was written since the last time; of much, the end. */
  news(): string {
    const file = openIfThere(this.#path)
    if (file === undefined) return ""
    try {
      const { size } = fstatSync(file)
      const from = Math.max(this.#told, size - MOST_NEWS)
      const bytes = Buffer.alloc(Math.max(0, size - from))
      const read = readSync(file, bytes, 0, bytes.length, from)
      const left = from - this.#told
      this.#told = from + read
      const text = plain(wholeCharacters(bytes.subarray(0, read)))
      return left > 0 ? `[${left} bytes before this are in the file]\n${text}` : text
    } finally {
      closeSync(file)
    }
  }
}

/** Names a new file for what is known by that name in one session: all sessions share the folder. */
export function fileFor(name: string, folder: string): string {
  return join(folder, `${name}-${randomBytes(4).toString("hex")}.txt`)
}

/** Adds to the file, a line at a time, in the order of the calls. */
export function writerTo(path: string): (line: string) => void {
  privateFolder(dirname(path))
  appendPrivate(path, "")
  return (line) => appendPrivate(path, `${line}\n`)
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, "r")
  } catch {
    return undefined
  }
}

/** Removes what is left of a character in which a cut may have fallen. */
function wholeCharacters(bytes: Buffer): string {
  return bytes.toString("utf8").replace(/^\uFFFD{1,3}/, "")
}
