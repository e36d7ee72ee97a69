import { closeSync, createReadStream, openSync, readdirSync, readSync, statSync } from "node:fs"
import { basename, join, relative } from "node:path"
import { Readable } from "node:stream"
import { constants, createGunzip } from "node:zlib"
import {
  fileReason,
  type OpencodeSession,
  opencodeSessions,
  openExistingStore,
  readRegularText,
  reasonOf,
  storePlace,
} from "@sotto/harness"
import { UsageError } from "../usage.js"

/** Something to be read, by the name that the user knows it by. */
export interface Named {
  readonly name: string
  /** Bytes, where that is known. */
  readonly size?: number
  /**
   * True if the user named just this. A folder may hold anything, so a file of it that is not a source is passed over.
   */
  readonly isAsked: boolean
  /** Its text, in pieces. `onBytes` hears how far it is read. */
  open(onBytes: (bytes: number) => void): AsyncIterable<string>
}

const MB = 1024 * 1024
const PIECE = 256 * 1024
/** What is compressed, and standard input, may have no end, or one that is out of all proportion to where it comes from. */
const LARGEST_UNPACKED = 2_048 * MB

/** Finds what an argument of `sotto check` names: standard input, a file, a folder, or a session of Sotto. */
export async function namedBy(argument: string): Promise<readonly Named[]> {
  const isThere = argument === "-" || statSync(argument, { throwIfNoEntry: false }) !== undefined
  return isThere ? recordingsAt(argument) : [await storedSession(argument)]
}

/** Finds the recordings in a file, a folder or standard input. */
export function recordingsAt(argument: string): readonly Named[] {
  if (argument === "-") return [standardInput()]
  const found = statSync(argument, { throwIfNoEntry: false })
  if (found === undefined) throw unknownSource(argument)
  if (!found.isDirectory()) {
    refuseIrregular(argument)
    return file(argument, true)
  }
  const storage = opencodeStorageIn(argument)
  if (storage !== undefined) return sessionsOf(shown(argument), true, storedSessions(storage))
  const files = filesIn(argument).flatMap((path) => file(path, false))
  if (files.length === 0)
    throw new UsageError(
      `${argument} holds no file that could be a recording: .jsonl, .json, .har, .gz or opencode.db.`,
    )
  return files
}

/** Refuses a pipe, a socket or a device, also behind a link: to read it may wait, or grow, for ever. */
export function refuseIrregular(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found !== undefined && !found.isFile() && !found.isDirectory())
    throw new UsageError(
      `${path} is not a regular file. Give a file, or for \`sotto check\` send it to standard input: sotto check - < ${path}`,
    )
}

function standardInput(): Named {
  const name = "stdin"
  return {
    name,
    isAsked: true,
    open: (onBytes) => decoded(bounded(unpacked(process.stdin), name, LARGEST_UNPACKED), onBytes),
  }
}

function file(path: string, isAsked: boolean): readonly Named[] {
  const name = shown(path)
  const { size } = statSync(path)
  const start = beginningOf(path)
  if (start.toString("latin1").startsWith("SQLite format 3"))
    return sessionsOf(name, isAsked, databaseSessions(path, name))
  const isCompressed = isGzip(start)
  const open: Named["open"] = (onBytes) => {
    const bytes = createReadStream(path, { highWaterMark: PIECE })
    const most = isCompressed ? LARGEST_UNPACKED : Number.POSITIVE_INFINITY
    return decoded(bounded(unpacked(bytes), name, most), onBytes)
  }
  return [{ name, isAsked, open, ...(!isCompressed && { size }) }]
}

/** Makes each session a source: opencode keeps many in one place. */
function sessionsOf(name: string, isAsked: boolean, sessions: readonly OpencodeSession[]): readonly Named[] {
  return sessions.map(({ id, messages }) => ({
    name: `${name}:${id}`,
    isAsked,
    open: () => lines(messages()),
  }))
}

function databaseSessions(path: string, name: string): readonly OpencodeSession[] {
  try {
    return opencodeSessions(path)
  } catch (error) {
    throw new UsageError(`${name} is no database of opencode, or a damaged one: ${reasonOf(error)}`)
  }
}

async function storedSession(id: string): Promise<Named> {
  const store = await openExistingStore(storePlace(process.env))
  try {
    const all = (await store?.list()) ?? []
    if (store !== undefined && all.some((one) => one.id === id)) {
      const log = await store.exportJsonl(id)
      return { name: id, isAsked: true, open: () => lines(log) }
    }
  } finally {
    await store?.close()
  }
  throw unknownSource(id)
}

function unknownSource(name: string): UsageError {
  return new UsageError(
    `There is no file, folder or session "${name}". Give the path of a recording, or an id that \`sotto sessions\` lists.`,
  )
}

function beginningOf(path: string): Buffer {
  const start = Buffer.alloc(16)
  const file = openSync(path, "r")
  try {
    return start.subarray(0, readSync(file, start, 0, start.length, 0))
  } finally {
    closeSync(file)
  }
}

function isGzip(start: Buffer): boolean {
  return start[0] === 0x1f && start[1] === 0x8b
}

/**
 * Reads the bytes themselves, or what is compressed in them. Of an archive that is cut off, what is there is read: its
 * last line is damaged then.
 */
async function* unpacked(bytes: Readable): AsyncGenerator<Buffer> {
  const pieces = (bytes as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  const first = await pieces.next()
  if (first.done) return
  const all = async function* () {
    yield first.value
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value
  }
  if (!isGzip(first.value)) {
    yield* all()
    return
  }
  yield* Readable.from(all()).pipe(
    createGunzip({ finishFlush: constants.Z_SYNC_FLUSH, chunkSize: PIECE }),
  ) as AsyncIterable<Buffer>
}

/** Ends with an error that names the source if it has more bytes than `most`. */
async function* bounded(bytes: AsyncIterable<Buffer>, name: string, most: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const piece of bytes) {
    size += piece.length
    if (size > most) throw new UsageError(`${name} has more than ${most / MB / 1024} GB, which is the limit.`)
    yield piece
  }
}

async function* decoded(
  bytes: AsyncIterable<Buffer>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<string> {
  const utf8 = new TextDecoder()
  for await (const piece of bytes) {
    onBytes(piece.length)
    yield utf8.decode(piece, { stream: true })
  }
}

async function* lines(all: Iterable<string>): AsyncGenerator<string> {
  for (const line of all) yield `${line}\n`
}

function shown(path: string): string {
  const near = relative(process.cwd(), path)
  return near === "" || near.startsWith("..") ? path : near
}

const SOURCE = /\.(jsonl|ndjson|json|har)(\.gz)?$|^opencode[\w-]*\.db$/
const PASSED_OVER = new Set(["node_modules", ".git"])

/** Lists the files of a folder and those below it that may be recordings or session files. Links are not followed. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry): readonly string[] => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return PASSED_OVER.has(entry.name) ? [] : filesIn(path)
      return entry.isFile() && SOURCE.test(entry.name) ? [path] : []
    })
}

/** Finds where older versions of opencode keep sessions: a folder for messages and one for their parts. */
function opencodeStorageIn(folder: string): string | undefined {
  return [folder, join(folder, "storage")].find((path) =>
    ["message", "part"].every((name) => statSync(join(path, name), { throwIfNoEntry: false })?.isDirectory()),
  )
}

/** Lists the sessions of such a folder. The names of messages and parts sort by time. */
function storedSessions(storage: string): readonly OpencodeSession[] {
  return namesIn(join(storage, "message")).map((id) => ({
    id,
    *messages() {
      for (const name of namesIn(join(storage, "message", id))) {
        const info = textOf(join(storage, "message", id, name))
        const own = join(storage, "part", basename(name, ".json"))
        const parts = namesIn(own).map((part) => textOf(join(own, part)))
        yield `{"info":${info},"parts":[${parts.join(",")}]}`
      }
    },
  }))
}

function namesIn(folder: string): readonly string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  return readdirSync(folder).sort()
}

/** Messages and parts are small: even a picture has a few megabytes. */
const LARGEST = 64 * 1024 * 1024

/** Reads a file of JSON as one line. */
function textOf(path: string): string {
  try {
    return (readRegularText(path, LARGEST) ?? "").replaceAll("\n", " ").trim()
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${fileReason(error)}.`)
  }
}
