import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import {
  birthOf,
  dataFolder,
  type Environment,
  IrregularFile,
  isSameProcess,
  privateFolder,
  readPrivate,
  replacePrivate,
} from "@sotto/harness"
import { isSame, newSecret } from "./secrets.js"

/** What a server or proxy that runs says of itself in a file of the folder `run`, for the user's other programs. */
export interface Registration {
  readonly pid: number
  /** When the process began: see `birthOf`. */
  readonly birth: string
  /** The address that it listens on. */
  readonly host: string
  readonly port: number
  /** The key by which it proves that it is the one that wrote the file. It never goes over a connection. */
  readonly secret: string
  readonly startedAt: number
}

/** A registration has a few hundred bytes, and the words of a command. */
const LARGEST = 1_000_000
const MOST_PROCESSES = 2 ** 31 - 1

/** Makes this process known. Returns what takes that back. */
export function register<T extends object>(
  env: Environment,
  name: string,
  about: T & { readonly host: string; readonly port: number; readonly secret: string },
): () => void {
  privateFolder(folderOf(env))
  // A process that was killed leaves its file behind: reading removes it.
  registrations(env, /\.json$/)
  const path = join(folderOf(env), name)
  const own: Registration = {
    ...about,
    pid: process.pid,
    birth: birthOf(process.pid),
    startedAt: Date.now(),
  }
  replacePrivate(path, `${JSON.stringify(own)}\n`)
  return () => {
    // Another server may have registered since.
    const found = readRegistration(path)
    if (typeof found === "object" && isSame(found.secret, own.secret)) rmSync(path, { force: true })
  }
}

/** Lists the registrations with such a name, of processes that live. `refused` hears of a file that is not believed, and why. */
export function registrations(
  env: Environment,
  name: RegExp,
  refused: (reason: string) => void = () => {},
): readonly (Registration & Readonly<Record<string, unknown>>)[] {
  return namesIn(folderOf(env))
    .filter((one) => name.test(one))
    .flatMap((one) => {
      const found = readRegistration(join(folderOf(env), one))
      if (typeof found === "string") refused(found)
      return typeof found === "object" ? [found] : []
    })
}

/**
 * Reads a registration. Undefined if the file does not exist, or if its process has ended: then the file is removed. A
 * text says why the file is not believed: others could have written or read it, or it lacks what a proof needs.
 */
function readRegistration(
  path: string,
): (Registration & Readonly<Record<string, unknown>>) | string | undefined {
  const refused = (why: string) => `${path} is not believed: ${why}.`
  let found: unknown
  try {
    const text = readPrivate(path, LARGEST)
    if (text === undefined) return undefined
    found = JSON.parse(text)
  } catch (error) {
    return refused(error instanceof IrregularFile ? error.message : "it cannot be read, or is damaged")
  }
  if (hasEnded(found)) {
    rmSync(path, { force: true })
    return undefined
  }
  return isRegistration(found) ? found : refused("it is of another version of Sotto, or damaged")
}

function hasEnded(found: unknown): boolean {
  const { pid, birth } = (found ?? {}) as Readonly<Record<string, unknown>>
  if (!isWhole(pid, 1, MOST_PROCESSES)) return false
  return !isSameProcess(Number(pid), typeof birth === "string" ? birth : birthOf(Number(pid)))
}

function isRegistration(found: unknown): found is Registration & Readonly<Record<string, unknown>> {
  if (found === null || typeof found !== "object") return false
  const { pid, birth, host, port, secret, startedAt } = found as Readonly<Record<string, unknown>>
  return (
    isWhole(pid, 1, MOST_PROCESSES) &&
    isWhole(port, 1, 65_535) &&
    typeof birth === "string" &&
    typeof host === "string" &&
    typeof startedAt === "number" &&
    typeof secret === "string" &&
    secret.length === newSecret().length
  )
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most
}

function folderOf(env: Environment): string {
  return join(dataFolder(env), "run")
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
