import { existsSync, mkdirSync, renameSync } from "node:fs"
import { join } from "node:path"
import { reasonOf } from "../../platform/text/errors.js"
import { printable } from "../../platform/text/printable.js"
import type { Environment } from "../../platform/workspace/folders.js"
import { configFolder } from "../../platform/workspace/folders.js"
import { replacePrivate, whileLocked } from "../../platform/workspace/private-files.js"
import { readRegularText } from "../../platform/workspace/regular-file.js"
import { type DigestedItem, sameness } from "./item.js"

/** What the user has said of one folder: that they trust it, and what it brought along at the time. */
interface TrustAnswer {
  /** Milliseconds. */
  readonly at: number
  readonly items: readonly DigestedItem[]
}

/** By the folder's path without links. */
export type Answers = ReadonlyMap<string, TrustAnswer>

const LONGEST = 16_000_000
const DAMAGED = ".damaged-"

/** Gives the path of the user's own file with the answers. */
export function trustFile(env: Environment): string {
  return join(configFolder(env), "trust.json")
}

/** The file with the answers, as it was found. */
interface AnswerFile {
  readonly answers: Answers
  /** Why the file cannot be used, for people. There are no answers then: what is in doubt is not trusted. */
  readonly problem?: string
}

/** Reads every answer there is. */
export function readAnswers(env: Environment): Answers {
  return readKept(env).answers
}

/** Reads the answers about trust that were kept. */
export function readKept(env: Environment): AnswerFile {
  const path = trustFile(env)
  try {
    const text = readRegularText(path, LONGEST)
    if (text !== undefined) return { answers: parse(text) }
    if (!existsSync(path)) return { answers: new Map() }
    throw new Error("it is a folder")
  } catch (cause) {
    const why = `${path} cannot be used: ${reasonOf(cause)}.`
    const rest = `No folder is trusted until you mend it. The next answer moves it to ${path}${DAMAGED}….`
    return { answers: new Map(), problem: `${why} ${rest}` }
  }
}

/** Remembers that the user trusts the folder with these items. Items that `gone` names are forgotten. */
export function rememberTrust(
  env: Environment,
  folder: string,
  items: readonly DigestedItem[],
  gone: readonly DigestedItem[] = [],
): void {
  change(env, (answers) => {
    const replaced = new Set([...items, ...gone].map(sameness))
    const kept = (answers.get(folder)?.items ?? []).filter((item) => !replaced.has(sameness(item)))
    answers.set(folder, { at: Date.now(), items: [...kept, ...items] })
  })
}

/** Forgets the answer for a folder. True if there was one to take back. */
export function forgetTrust(env: Environment, folder: string): boolean {
  if (!readAnswers(env).has(folder)) return false
  change(env, (answers) => answers.delete(folder))
  return true
}

/** Throws for anything that this file did not write: an answer that is only half there does not count. */
function parse(text: string): Answers {
  const found: unknown = JSON.parse(text)
  const folders = isRecord(found) ? found.folders : undefined
  if (!isRecord(folders)) throw new Error('it has no "folders"')
  return new Map(
    Object.entries(folders).map(([folder, given]): [string, TrustAnswer] => {
      if (!isAnswer(given)) throw new Error(`what it says of ${printable(folder)} is damaged`)
      return [folder, given]
    }),
  )
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function isAnswer(value: unknown): value is TrustAnswer {
  if (!isRecord(value)) return false
  return typeof value.at === "number" && Array.isArray(value.items) && value.items.every(isItem)
}

function isItem(item: unknown): item is DigestedItem {
  if (!isRecord(item)) return false
  const { what, where, detail, digest, rules = [] } = item
  const texts = [what, where, detail, digest].every((field) => typeof field === "string")
  return texts && Array.isArray(rules) && rules.every((rule) => typeof rule === "string")
}

/**
 * Changes the answers with one writer at a time, from reading to writing, so that two answers given at once are both
 * kept.
 */
function change(env: Environment, edit: (answers: Map<string, TrustAnswer>) => void): void {
  const path = trustFile(env)
  const folder = configFolder(env)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    whileLocked(`${path}.lock`, () => {
      const { answers: known, problem } = readKept(env)
      if (problem !== undefined) renameSync(path, `${path}${DAMAGED}${timestamp()}`)
      const answers = new Map(known)
      edit(answers)
      const text = JSON.stringify({ version: 1, folders: Object.fromEntries(answers) }, null, 2)
      replacePrivate(path, `${text}\n`)
    })
  } catch (cause) {
    throw new TrustError(`The answer cannot be kept in ${path}: ${reasonOf(cause)}. Make it writable.`)
  }
}

function timestamp(): string {
  return new Date().toISOString().replaceAll(/[-:.]/g, "")
}

/** An answer that could not be kept. */
export class TrustError extends Error {
  override readonly name = "TrustError"
}
