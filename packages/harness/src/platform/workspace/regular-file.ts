import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs"

/** What stands where a file was expected: a pipe, a device, a folder's worth of bytes. */
export class IrregularFile extends Error {
  override readonly name = "IrregularFile"
}

/** Enough for any configuration that a person wrote. */
const LONGEST_CONFIGURATION = 1_000_000

// A pipe without a writer would block the open, and a terminal would become ours.
export const WITHOUT_EFFECT = (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)
const FLAGS = constants.O_RDONLY | WITHOUT_EFFECT

/**
 * Reads a regular file of at most `most` bytes, links followed. Undefined if no file has that name. Throws
 * IrregularFile for a pipe, a device or a longer file. Never blocks and never reads more than the limit.
 */
export function readRegularFile(path: string, most: number = LONGEST_CONFIGURATION): Buffer | undefined {
  // Looked at before it is opened: to open a device can have effects of its own.
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || found.isDirectory()) return undefined
  if (!found.isFile()) throw new IrregularFile("it is not a regular file")
  const file = openSync(path, FLAGS)
  try {
    // It may be something else by now.
    if (!fstatSync(file).isFile()) throw new IrregularFile("it is not a regular file")
    return contentOf(file, most)
  } finally {
    closeSync(file)
  }
}

/** Reads a regular file as text, as `readRegularFile` does. */
export function readRegularText(path: string, most?: number): string | undefined {
  return readRegularFile(path, most)?.toString("utf8")
}

/** Goes by what can be read and not by the size: files of /proc say that they have none. */
export function contentOf(file: number, most: number): Buffer {
  const pieces: Buffer[] = []
  let length = 0
  for (;;) {
    const room = Buffer.allocUnsafe(Math.min(65_536, most + 1 - length))
    const read = readSync(file, room, 0, room.length, null)
    if (read === 0) return Buffer.concat(pieces, length)
    pieces.push(room.subarray(0, read))
    length += read
    if (length > most) throw new IrregularFile(`it has more than ${most.toLocaleString("en")} bytes`)
  }
}
