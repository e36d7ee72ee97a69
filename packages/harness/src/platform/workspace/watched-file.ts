import { createHash } from "node:crypto"
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs"
import { isAbsent } from "./project.js"
import { isSettled, isUnchanged, statOf } from "./stamp.js"

/** What was found: the file with its identity, nothing, or something that cannot be read at the moment. */
export type FileLook =
  | {
      readonly is: "file"
      readonly identity: string
      readonly text: string
      readonly hash: string
      readonly bytes: number
    }
  | { readonly is: "absent" }
  | { readonly is: "unreadable" }

const ABSENT: FileLook = { is: "absent" }

/** A file that is read again only if its stat says that it may have changed. Links are followed. */
export class WatchedFile {
  #stat: Stats | undefined
  #last: FileLook = ABSENT

  constructor(
    readonly path: string,
    /** Reads no more than this. */
    readonly longest: number,
  ) {}

  /** Looks at the file. Returns the same value as last time if nothing changed. */
  look(): FileLook {
    try {
      const stat = statOf(this.path)
      if (stat === undefined || !stat.isFile()) return this.#settle(undefined, ABSENT)
      if (this.#stat !== undefined && isUnchanged(this.#stat, stat)) return this.#last
      return this.#settle(stat, this.#read(stat))
    } catch (cause) {
      return this.#settle(undefined, isAbsent(cause) ? ABSENT : { is: "unreadable" })
    }
  }

  #settle(stat: Stats | undefined, look: FileLook): FileLook {
    this.#stat = stat !== undefined && isSettled(stat) ? stat : undefined
    this.#last = look
    return look
  }

  #read({ dev, ino, size }: Stats): FileLook {
    const buffer = Buffer.allocUnsafe(this.longest)
    // A pipe that took the file's place since would block the open.
    const file = openSync(this.path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      if (!fstatSync(file).isFile()) return ABSENT
      const content = buffer.subarray(0, readSync(file, buffer, 0, this.longest, 0))
      const hash = createHash("sha256").update(content).digest("hex")
      const bytes = Math.max(size, content.length)
      return { is: "file", identity: `${dev}:${ino}`, text: wholeCharacters(content), hash, bytes }
    } finally {
      closeSync(file)
    }
  }
}

/** Decodes text without a byte order mark, and without the half of a character that a cut may have left at its end. */
function wholeCharacters(content: Buffer): string {
  return new TextDecoder().decode(content, { stream: true })
}
