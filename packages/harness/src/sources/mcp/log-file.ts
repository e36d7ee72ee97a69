import { dirname } from "node:path"
import { appendPrivate, privateFolder } from "../../platform/workspace/private-files.js"

/** Bytes of a server's complaints that are worth keeping. */
const MOST = 1_000_000

/**
 * Opens a file for what a server prints to its standard error. Made with the first line, and no larger than is of use.
 */
export function logFile(path: string): (chunk: Buffer) => void {
  let left = MOST
  let writing: Promise<unknown> = Promise.resolve()
  return (chunk) => {
    if (left <= 0) return
    const kept = chunk.subarray(0, left)
    left -= kept.length
    const note = left > 0 ? "" : `\n[no more than ${MOST} bytes are kept]\n`
    writing = writing
      .then(() => {
        privateFolder(dirname(path))
        appendPrivate(path, Buffer.concat([kept, Buffer.from(note)]))
      })
      // A log that cannot be written stops nothing.
      .catch(() => undefined)
  }
}
