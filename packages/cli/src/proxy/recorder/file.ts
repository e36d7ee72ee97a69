import {
  closeSync,
  constants,
  createReadStream,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
  writeSync,
} from "node:fs"
import { fileReason } from "@sotto/harness"
import { openSource, UnknownSource } from "@sotto/lens/sources"
import { UsageError } from "../../usage.js"

const OWNER_ONLY = 0o600
const ADD = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT
// A link leads where another user may have decided, and a pipe may wait for ever.
const STRAIGHT = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Throws a UsageError unless the file can be added to: it is missing, empty, or a recording already, and the user's own. */
export async function checkRecording(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) throw new UsageError(`--record ${path}: that is a folder. Name a file.`)
  if (found?.isSymbolicLink()) throw new UsageError(`--record ${path}: that is a link. Name the file itself.`)
  if (found !== undefined && !found.isFile() && !found.isCharacterDevice())
    throw new UsageError(`--record ${path}: that is not a regular file. Name another file.`)
  if (found?.isFile() && !isOurs(found))
    throw new UsageError(`--record ${path}: that file belongs to another user. Name another file.`)
  if (found?.isFile() && found.size > 0) await checkContent(path)
  try {
    closeSync(openSync(path, ADD | STRAIGHT, OWNER_ONLY))
  } catch (error) {
    throw new UsageError(`--record ${path} cannot be written: ${fileReason(error)}`)
  }
}

function isOurs({ uid }: Stats): boolean {
  return process.getuid === undefined || process.getuid() === uid
}

async function checkContent(path: string): Promise<void> {
  const other = new UsageError(
    `--record ${path}: this file is there already and is no recording of calls. Name another file; nothing was changed.`,
  )
  const stream = createReadStream(path, { encoding: "utf8" })
  try {
    const { format } = await openSource(path, stream)
    if (format !== "calls") throw other
  } catch (error) {
    throw error instanceof UnknownSource ? other : error
  } finally {
    stream.destroy()
  }
}

/**
 * A recording that is added to, one whole line at a time. A line that the disk does not take is taken back, so that
 * what can be read stays so.
 */
export class RecordingFile {
  readonly #file: number
  /** False for a device or a pipe. */
  readonly #isRegular: boolean

  constructor(path: string) {
    this.#file = openSync(path, ADD | STRAIGHT, OWNER_ONLY)
    const found = fstatSync(this.#file)
    this.#isRegular = found.isFile()
    if (!this.#isRegular) return
    if (isOurs(found) && (found.mode & 0o077) !== 0) fchmodSync(this.#file, OWNER_ONLY)
    if (found.size > 0 && !this.#endsWithLine(found.size)) this.#write(Buffer.from("\n"))
  }

  /** Writes a line, with its end. Throws what the disk says. */
  add(line: Uint8Array): void {
    const before = this.#isRegular ? fstatSync(this.#file).size : 0
    try {
      this.#write(line)
    } catch (error) {
      this.#takeBack(before, line)
      throw error
    }
  }

  close(): void {
    closeSync(this.#file)
  }

  /** Takes back only our own part of a line: another program may have added to the file meanwhile. */
  #takeBack(before: number, line: Uint8Array): void {
    try {
      const { size } = fstatSync(this.#file)
      if (this.#isRegular && size > before && size - before < line.length) ftruncateSync(this.#file, before)
    } catch {
      // What is left is half a line, which every reader passes over.
    }
  }

  #write(bytes: Uint8Array): void {
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written)
  }

  /**
   * Tells whether the last line is complete: a program that wrote here before may have been killed in the middle of a
   * line.
   */
  #endsWithLine(size: number): boolean {
    const last = Buffer.alloc(1)
    readSync(this.#file, last, 0, 1, size - 1)
    return last[0] === 0x0a
  }
}
