import { existsSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { isInside } from "../../platform/workspace/location.js"
import type { Project } from "../../platform/workspace/project.js"
import { type Answers, readKept, rememberTrust } from "./answers.js"
import { changesBetween, type TrustChange } from "./changes.js"
import { mainWorktree, trustFolder } from "./folder.js"
import { type DigestedItem, digestOf, plainItem, sameness, type TrustItem } from "./item.js"
import { mistakeNotice, survey } from "./survey.js"

/** What the user is asked about a folder. */
export interface TrustQuestion {
  readonly folder: string
  readonly items: readonly TrustItem[]
  /** What changed since the user trusted the folder; undefined if they never did. */
  readonly changes?: readonly TrustChange[]
}

/** How a place is to be treated, and what follows from that. */
export interface FolderTrust {
  readonly folder: string
  readonly trusted: boolean
  /** What is left out because the folder is not trusted. */
  readonly leftOut: readonly TrustItem[]
  /** How that differs from what the user trusted the folder with before, if they did. */
  readonly changes?: readonly TrustChange[]
  /** Digest of the items in effect. When it changes, an epoch ends. Undefined if not trusted. */
  readonly stamp?: string
  readonly notices: readonly string[]
}

export interface TrustOptions {
  /** The user says yes for this once. */
  readonly yes?: boolean
  /** Asks the user; left out, no user is there to ask. True is kept for later times. */
  readonly ask?: (question: TrustQuestion) => Promise<boolean>
}

type Located = Pick<Project, "cwd" | "env">

/** Decides whether the folder is trusted. Asks the user if no answer is known yet and `ask` is given. */
export async function decideTrust(
  place: Located,
  { yes = saysYes(place.env), ask }: TrustOptions = {},
): Promise<FolderTrust> {
  const found = await surveyed(place)
  const { folder, items, answered } = found
  const seen = new Set(answered?.map(sameness))
  const isKnown = answered !== undefined && items.every((item) => seen.has(sameness(item)))
  const { notices } = found
  const trusted: FolderTrust = { folder, notices, trusted: true, leftOut: [], stamp: stampOf(items) }
  if (yes || isKnown) return trusted
  const question = questionOf(found)
  if (items.length > 0 && ask !== undefined && (await ask(question))) {
    await remember(place.env, found)
    return trusted
  }
  const { items: leftOut, changes } = question
  const mistakes = found.mistakes.map(mistakeNotice)
  return {
    folder,
    notices: [...notices, ...mistakes],
    trusted: false,
    leftOut,
    ...(changes && { changes }),
  }
}

/**
 * Trusts this folder, for the user, with what it brings along now. Returns what that is. Throws for a file with a
 * mistake.
 */
export async function trustNow(place: Located): Promise<TrustQuestion> {
  const found = await surveyed(place)
  const [mistake] = found.mistakes
  if (mistake !== undefined) throw mistake.cause
  await remember(place.env, found)
  return questionOf(found)
}

/** Gives the folder's path as answers are kept under it. */
export function folderFor(place: Located): string {
  return known(place).folder
}

/** Finds the trusted repository that this folder is a worktree of. */
export function trustedThrough(folder: string, env: Project["env"]): string | undefined {
  const main = mainWorktree(folder)
  return main !== undefined && readKept(env).answers.has(main) ? main : undefined
}

function known({ cwd, env }: Located) {
  const { answers, problem } = readKept(env)
  const place = { cwd: realpathSync(cwd), env }
  return { ...place, answers, problem, folder: trustFolder(place, (path) => answers.has(path)) }
}

type Found = Awaited<ReturnType<typeof surveyed>>

async function surveyed(place: Located) {
  const { answers, problem, ...here } = known(place)
  const { notices, ...found } = await survey(here)
  return {
    ...found,
    folder: here.folder,
    notices: [...(problem === undefined ? [] : [problem]), ...notices],
    own: answers.get(here.folder)?.items ?? [],
    answered: answersFor(here.folder, answers),
  }
}

/**
 * Keeps the answer. What the user saw in other directories of the folder stays known for as long as it is there and says
 * the same.
 */
async function remember(env: Project["env"], { folder, items, own }: Found): Promise<void> {
  const directories = [...new Set(own.map(directoryOf))].map((directory) => join(folder, directory))
  const there = await Promise.all(
    directories
      .filter((cwd) => isInside(cwd, folder) && existsSync(cwd))
      .map(async (cwd) => (await survey({ cwd, env, folder })).items),
  )
  const current = new Set(there.flat().map(sameness))
  const gone = own.filter((item) => !current.has(sameness(item)))
  rememberTrust(env, folder, items, gone)
}

function directoryOf({ where }: TrustItem): string {
  const [file = ""] = where.split(": ")
  const parts = file.split("/")
  const sotto = parts.indexOf(".sotto")
  return parts.slice(0, sotto < 0 ? -1 : sotto).join("/")
}

function saysYes(env: Project["env"]): boolean {
  return env.SOTTO_TRUST === "1" || env.SOTTO_TRUST === "true"
}

function answersFor(folder: string, known: Answers): readonly DigestedItem[] | undefined {
  const main = mainWorktree(folder)
  const answers = [folder, ...(main === undefined ? [] : [main])].flatMap((path) => known.get(path) ?? [])
  return answers.length === 0 ? undefined : answers.flatMap(({ items }) => items)
}

function questionOf({ folder, items, answered }: Found): TrustQuestion {
  const question = { folder, items: items.map(plainItem) }
  return answered === undefined ? question : { ...question, changes: changesBetween(answered, items) }
}

function stampOf(items: readonly DigestedItem[]): string {
  return items.length === 0 ? "trusted" : digestOf(items.map(({ digest }) => digest))
}
