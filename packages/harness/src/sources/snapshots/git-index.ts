import type { Stats } from "node:fs"

/** A file as git's index knows it: its content, and the stat by which git tells that it was not changed. */
export interface IndexedFile {
  /** The name of the object that holds the bytes. */
  readonly object: string
  readonly size: number
  readonly ino: number
  readonly modified: GitTime
  readonly changed: GitTime
}

interface GitTime {
  readonly seconds: number
  readonly nanoseconds: number
}

const REGULAR = 0o100000
const KIND = 0o170000
/** Extensions that leave entries out: those are in another file, or stand for whole folders. */
const PARTIAL = ["link", "sdir"]

/**
 * Reads a git index (versions 2 to 4): the regular files, by path. Empty for one that this does not understand: then
 * nothing is known of the files, and nothing wrong.
 */
export function readGitIndex(bytes: Buffer, hashSize: number): ReadonlyMap<string, IndexedFile> {
  const files = new Map<string, IndexedFile>()
  try {
    const version = bytes.readUInt32BE(4)
    if (bytes.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return new Map()
    const count = bytes.readUInt32BE(8)
    let at = 12
    let path = ""
    for (let n = 0; n < count; n++) {
      const start = at
      const mode = bytes.readUInt32BE(at + 24)
      const object = bytes.toString("hex", at + 40, at + 40 + hashSize)
      const flags = bytes.readUInt16BE(at + 40 + hashSize)
      const isExtended = version > 2 && (flags & 0x4000) !== 0
      at += 42 + hashSize + (isExtended ? 2 : 0)
      if (version === 4) {
        let drop = (bytes[at] ?? 0) & 0x7f
        while (((bytes[at++] ?? 0) & 0x80) !== 0) drop = ((drop + 1) << 7) | ((bytes[at] ?? 0) & 0x7f)
        const end = bytes.indexOf(0, at)
        // The path before is cut in bytes, not in characters.
        const kept = Buffer.from(path)
        path = Buffer.concat([kept.subarray(0, kept.length - drop), bytes.subarray(at, end)]).toString()
        at = end + 1
      } else {
        const end = bytes.indexOf(0, at)
        path = bytes.toString("utf8", at, end)
        at = start + ((end - start + 8) & ~7)
      }
      const stage = (flags >> 12) & 3
      if ((mode & KIND) === REGULAR && stage === 0) files.set(path, entryAt(bytes, start, object))
    }
    for (; at + 8 <= bytes.length - hashSize; at += 8 + bytes.readUInt32BE(at + 4))
      if (PARTIAL.includes(bytes.toString("latin1", at, at + 4))) return new Map()
    return files
  } catch {
    return new Map()
  }
}

function entryAt(bytes: Buffer, start: number, object: string): IndexedFile {
  const at = (offset: number) => bytes.readUInt32BE(start + offset)
  return {
    object,
    changed: { seconds: at(0), nanoseconds: at(4) },
    modified: { seconds: at(8), nanoseconds: at(12) },
    ino: at(20),
    size: at(36),
  }
}

/**
 * True if git would take the file for unchanged by its stat alone. One that was changed in the moment in which the index
 * was written might have been changed once more: it does not count.
 */
export function isClean(file: IndexedFile, found: Stats, indexWritten: number): boolean {
  return (
    file.size === found.size % 2 ** 32 &&
    file.ino === found.ino % 2 ** 32 &&
    isTime(file.modified, found.mtimeMs) &&
    isTime(file.changed, found.ctimeMs) &&
    found.mtimeMs < indexWritten &&
    found.ctimeMs < indexWritten
  )
}

/** Milliseconds as a number hold a quarter of a microsecond. */
function isTime({ seconds, nanoseconds }: GitTime, ms: number): boolean {
  return Math.abs(seconds * 1000 + nanoseconds / 1e6 - ms) < 0.001
}
