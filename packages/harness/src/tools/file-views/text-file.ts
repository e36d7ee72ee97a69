import { randomBytes } from "node:crypto"
import { readFileSync, type Stats, statSync } from "node:fs"
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { basename, dirname, extname, join } from "node:path"
import { reasonOf, ToolError } from "../../platform/text/errors.js"
import { editDistance } from "../../platform/text/text.js"
import type { Location } from "../../platform/workspace/location.js"

const NAME = /^\.sotto-(?:(\d+)-)?[0-9a-f]{12}\.tmp$/
/** A process of another container may have a number that is free here; no process takes this long to write a file. */
const LONGEST_MS = 10 * 60_000

/** True for the name of a file that is being written, and takes the place of another one in a moment. */
export function isTemporary(name: string): boolean {
  return NAME.test(name)
}

const tidied = new Set<string>()

/** Makes a new name beside a file that is to be replaced. It says which process writes it. */
export function temporaryIn(folder: string): string {
  return join(folder, `.sotto-${process.pid}-${randomBytes(6).toString("hex")}.tmp`)
}

/** Removes what writers that died have left in a folder, once for each folder. */
async function removeLeftovers(folder: string, now = Date.now()): Promise<void> {
  if (tidied.has(folder)) return
  tidied.add(folder)
  const names = await readdir(folder).catch((): string[] => [])
  for (const name of names) {
    const found = NAME.exec(name)
    if (found === null || (found[1] !== undefined && isAlive(Number(found[1])))) continue
    const path = join(folder, name)
    const age = await stat(path).then(
      ({ mtimeMs }) => now - mtimeMs,
      () => 0,
    )
    if (age > LONGEST_MS) await rm(path, { force: true }).catch(() => {})
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

export const BOM = "\uFEFF"
const LARGEST = 100_000_000
/** Read at once: handing it to a thread would take longer. */
const SMALL = 256 * 1024

const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

export interface Decoded {
  /** With its byte order mark, so that it encodes to the same bytes. */
  readonly text: string
  readonly encoding: "utf-8" | "utf-16le" | "windows-1252"
}

/** A file's bytes, and its stat from before they were read. */
export interface ReadFile {
  readonly bytes: Uint8Array
  readonly stat: Stats
}

export async function readWhole(place: Location): Promise<ReadFile> {
  const stat = await atOnce(place, () => statSync(place.path))
  return { bytes: await readBytes(place, stat), stat }
}

async function readBytes(place: Location, found: Stats): Promise<Uint8Array> {
  if (found.isDirectory())
    throw new ToolError(`${place.relative} is a directory. Use glob to see what is in it.`)
  if (!found.isFile()) throw new ToolError(`${place.relative} is not a regular file: it cannot be read.`)
  if (found.size > LARGEST)
    throw new ToolError(
      `${place.relative} has ${found.size} bytes, too many to read. Use grep, or bash with head or tail.`,
    )
  if (found.size > SMALL) return readFile(place.path).catch((cause) => failed(place, cause))
  return atOnce(place, () => readFileSync(place.path))
}

async function atOnce<T>(place: Location, look: () => T): Promise<T> {
  try {
    return look()
  } catch (cause) {
    return failed(place, cause)
  }
}

/** Reads the bytes at a place, or undefined if nothing is there. */
export async function bytesIfAny(place: Location): Promise<Uint8Array | undefined> {
  const found = await stat(place.path).catch(() => undefined)
  return found === undefined ? undefined : (await readWhole(place)).bytes
}

/** Bytes as text; undefined if they are something else. */
export function decode(bytes: Uint8Array): Decoded | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe)
    return { text: new TextDecoder("utf-16le").decode(bytes), encoding: "utf-16le" }
  if (bytes.includes(0)) return undefined
  try {
    return { text: UTF_8.decode(bytes), encoding: "utf-8" }
  } catch {
    const controls = bytes
      .subarray(0, 8192)
      .filter((byte) => byte < 32 && !(byte >= 8 && byte <= 13) && byte !== 27)
    if (controls.length > 0) return undefined
    return { text: new TextDecoder("windows-1252").decode(bytes), encoding: "windows-1252" }
  }
}

/**
 * Replaces a file in one step: no reader ever sees half of it. Its permissions stay unless others are given, and missing
 * folders are made.
 */
export async function writeWhole(path: string, content: string | Uint8Array, given?: number): Promise<void> {
  const folder = dirname(path)
  const mode =
    given ??
    (await stat(path).then(
      (found) => found.mode & 0o7777,
      () => undefined,
    ))
  const temporary = temporaryIn(folder)
  try {
    await mkdir(folder, { recursive: true })
    await removeLeftovers(folder)
    await writeFile(temporary, content, { flag: "wx" })
    if (mode !== undefined) await chmod(temporary, mode)
    await rename(temporary, path)
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => {})
    throw new ToolError(`${path} was not written: ${reasonOf(cause)}.`, { cause })
  }
}

async function failed(place: Location, cause: unknown): Promise<never> {
  if (!isMissing(cause))
    throw new ToolError(`${place.relative} cannot be read: ${reasonOf(cause)}.`, { cause })
  const near = await nearNames(place.path)
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "Use glob to find it."
  throw new ToolError(`There is no file ${place.relative}. ${hint}`)
}

function isMissing(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ENOTDIR")
}

/** Names beside a missing file that may have been meant. */
async function nearNames(path: string): Promise<readonly string[]> {
  const wanted = basename(path).toLowerCase()
  const names = await readdir(dirname(path)).catch((): string[] => [])
  return names
    .map((name) => ({ name, distance: nameDistance(wanted, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(2, wanted.length / 4))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ name }) => name)
}

function nameDistance(a: string, b: string): number {
  const sameStem = basename(a, extname(a)) === basename(b, extname(b))
  return sameStem ? Math.min(1, editDistance(a, b)) : editDistance(a, b)
}
