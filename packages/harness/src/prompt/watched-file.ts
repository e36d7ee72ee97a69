import { createHash } from "node:crypto"
import { type BigIntStats, closeSync, openSync, readSync, statSync } from "node:fs"
import { isAbsent } from "../config/places.js"

/** What was found: the file with its identity, nothing, or something that cannot be read at the moment. */
export type Look =
  | {
      readonly is: "file"
      readonly identity: string
      readonly text: string
      readonly hash: string
      readonly bytes: number
    }
  | { readonly is: "absent" }
  | { readonly is: "unreadable" }

/** Changes closer to a look than this may share its time stamp: such a file is read again the next time. */
const UNSETTLED_MS = 100

/** A file that is read again only if its stat says that it may have changed. Links are followed. */
export class WatchedFile {
  #stamp: string | undefined
  #last: Look = { is: "absent" }

  constructor(
    readonly path: string,
    /** Reads no more than this. */
    readonly longest: number,
  ) {}

  look(): Look {
    try {
      const stat = statSync(this.path, { bigint: true, throwIfNoEntry: false })
      if (stat === undefined || !stat.isFile()) return this.#settle(undefined, { is: "absent" })
      const stamp = [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join()
      if (stamp === this.#stamp) return this.#last
      const settled = Date.now() - Number(stat.ctimeNs / 1_000_000n) > UNSETTLED_MS
      return this.#settle(settled ? stamp : undefined, this.#read(stat))
    } catch (cause) {
      return this.#settle(undefined, { is: isAbsent(cause) ? "absent" : "unreadable" })
    }
  }

  #settle(stamp: string | undefined, look: Look): Look {
    this.#stamp = stamp
    this.#last = look
    return look
  }

  #read({ dev, ino, size }: BigIntStats): Look {
    const buffer = Buffer.allocUnsafe(this.longest)
    const file = openSync(this.path, "r")
    try {
      const content = buffer.subarray(0, readSync(file, buffer, 0, this.longest, 0))
      const hash = createHash("sha256").update(content).digest("hex")
      const bytes = Math.max(Number(size), content.length)
      return { is: "file", identity: `${dev}:${ino}`, text: wholeCharacters(content), hash, bytes }
    } finally {
      closeSync(file)
    }
  }
}

/** Text without a byte order mark, and without the half of a character that a cut may have left at its end. */
function wholeCharacters(content: Buffer): string {
  return new TextDecoder().decode(content, { stream: true })
}
