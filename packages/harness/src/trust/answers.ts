import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { configFolder } from "../folders.js"
import { reasonOf } from "../reason.js"
import { readRegularText } from "../workspace/regular-file.js"
import type { Brought } from "./item.js"

type Environment = Readonly<Record<string, string | undefined>>

/** What the user has said of one folder: that they trust it, and what it brought along at the time. */
interface Answer {
  /** Milliseconds. */
  readonly at: number
  readonly items: readonly Brought[]
}

/** By the folder's path without links. */
export type Answers = ReadonlyMap<string, Answer>

const LONGEST = 16_000_000
/** Milliseconds: a writer that died has left its lock. */
const STALE = 10_000
const LONGEST_WAIT = 5_000
const PAUSE = 10

/** The user's own file with the answers. */
export function trustFile(env: Environment): string {
  return join(configFolder(env), "trust.json")
}

/** Every answer there is. A file that cannot be read holds none: what is in doubt is not trusted. */
export function readAnswers(env: Environment): Answers {
  try {
    const text = readRegularText(trustFile(env), LONGEST)
    return text === undefined ? new Map() : parse(text)
  } catch {
    return new Map()
  }
}

/** The user trusts the folder with these items. What was said of the same files before is replaced. */
export function rememberTrust(env: Environment, folder: string, items: readonly Brought[]): void {
  change(env, (answers) => {
    const files = new Set(items.map(fileOf))
    const kept = (answers.get(folder)?.items ?? []).filter((item) => !files.has(fileOf(item)))
    answers.set(folder, { at: Date.now(), items: [...kept, ...items] })
  })
}

/** Whether there was an answer to take back. */
export function forgetTrust(env: Environment, folder: string): boolean {
  if (!readAnswers(env).has(folder)) return false
  change(env, (answers) => answers.delete(folder))
  return true
}

function fileOf({ where }: Brought): string {
  return where.split(": ")[0] ?? where
}

function parse(text: string): Answers {
  const { folders } = JSON.parse(text) as { readonly folders?: Readonly<Record<string, unknown>> }
  return new Map(
    Object.entries(folders ?? {}).flatMap(([folder, given]): [string, Answer][] => {
      const { at, items } = (given ?? {}) as Partial<Answer>
      if (typeof at !== "number" || !Array.isArray(items)) return []
      return [[folder, { at, items: items.filter(isItem) }]]
    }),
  )
}

function isItem(item: unknown): item is Brought {
  const { what, where, detail, digest } = (item ?? {}) as Record<string, unknown>
  return [what, where, detail, digest].every((field) => typeof field === "string")
}

/** One writer at a time, from reading to writing, so that two answers given at once are both kept. */
function change(env: Environment, edit: (answers: Map<string, Answer>) => void): void {
  const path = trustFile(env)
  const folder = configFolder(env)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    locked(`${path}.lock`, () => {
      const answers = new Map(readAnswers(env))
      edit(answers)
      const text = JSON.stringify({ version: 1, folders: Object.fromEntries(answers) }, null, 2)
      replace(path, `${text}\n`)
    })
  } catch (cause) {
    throw new TrustError(`The answer cannot be kept in ${path}: ${reasonOf(cause)}. Make it writable.`)
  }
}

function locked(path: string, work: () => void): void {
  const until = Date.now() + LONGEST_WAIT
  for (;;) {
    try {
      closeSync(openSync(path, "wx", 0o600))
      break
    } catch (cause) {
      if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause
    }
    const held = statSync(path, { throwIfNoEntry: false })
    if (held !== undefined && Date.now() - held.mtimeMs > STALE) rmSync(path, { force: true })
    else if (Date.now() > until) throw new Error(`another process holds ${path}`)
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE)
  }
  try {
    work()
  } finally {
    rmSync(path, { force: true })
  }
}

function replace(path: string, text: string): void {
  const beside = `${path}.${process.pid}.tmp`
  const file = openSync(beside, "w", 0o600)
  try {
    chmodSync(beside, 0o600)
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(beside, path)
}

/** An answer that could not be kept. */
export class TrustError extends Error {
  override readonly name = "TrustError"
}
