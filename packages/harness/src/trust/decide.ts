import { realpathSync } from "node:fs"
import type { Place } from "../config/places.js"
import { type Answers, readAnswers, rememberTrust } from "./answers.js"
import { mainWorktree, trustFolder } from "./folder.js"
import { type Brought, digestOf, plainItem, sameness, type TrustItem } from "./item.js"
import { survey } from "./survey.js"

/** What the user is asked about a folder. */
export interface TrustQuestion {
  readonly folder: string
  readonly items: readonly TrustItem[]
  /** What the user has not seen yet, where they trusted the folder before; what they saw instead, if it replaces that. */
  readonly changes?: readonly TrustChange[]
}

export interface TrustChange {
  readonly is: "new" | "changed" | "gone"
  readonly item: TrustItem
  readonly before?: TrustItem
}

/** How a place is to be treated, and what follows from that. */
export interface Trust {
  readonly folder: string
  readonly trusted: boolean
  /** What is left out because the folder is not trusted. */
  readonly leftOut: readonly TrustItem[]
  /** How that differs from what the user trusted the folder with before, if they did. */
  readonly changes?: readonly TrustChange[]
  /** The same for as long as the same is in effect: when it changes, an epoch ends. Undefined if not trusted. */
  readonly stamp?: string
  readonly notices: readonly string[]
}

export interface Deciding {
  /** The user says yes for this once. */
  readonly yes?: boolean
  /** Asks the user; left out, nobody is there to ask. True is kept for later times. */
  readonly ask?: (question: TrustQuestion) => Promise<boolean>
}

type Located = Pick<Place, "cwd" | "env">

/** Finds out whether the user trusts the folder, and asks where that is open and somebody is there. */
export async function decideTrust(
  place: Located,
  { yes = saysYes(place.env), ask }: Deciding = {},
): Promise<Trust> {
  const { folder, items, notices, answered } = surveyed(place)
  const seen = new Set(answered?.map(sameness))
  const isKnown = answered !== undefined && items.every((item) => seen.has(sameness(item)))
  const common = { folder, notices }
  if (yes || isKnown) return { ...common, trusted: true, leftOut: [], stamp: stampOf(items) }
  if (items.length > 0 && ask !== undefined && (await ask(questionOf(folder, items, answered)))) {
    rememberTrust(place.env, folder, items)
    return { ...common, trusted: true, leftOut: [], stamp: stampOf(items) }
  }
  const { changes } = questionOf(folder, items, answered)
  return { ...common, trusted: false, leftOut: items.map(plainItem), ...(changes && { changes }) }
}

/** The user trusts this folder with what it brings along now. Returns what that is. */
export function trustNow(place: Located): TrustQuestion {
  const { folder, items, answered } = surveyed(place)
  rememberTrust(place.env, folder, items)
  return questionOf(folder, items, answered)
}

/** The folder's path as answers are kept under it. */
export function folderFor(place: Located): string {
  return known(place).folder
}

function known({ cwd, env }: Located) {
  const answers = readAnswers(env)
  const place = { cwd: realpathSync(cwd), env }
  return { ...place, answers, folder: trustFolder(place, (path) => answers.has(path)) }
}

function surveyed(place: Located) {
  const { answers, ...here } = known(place)
  return { folder: here.folder, ...survey(here), answered: answersFor(here.folder, answers) }
}

/** `SOTTO_TRUST=1`. */
function saysYes(env: Place["env"]): boolean {
  return env.SOTTO_TRUST === "1" || env.SOTTO_TRUST === "true"
}

/** What the user has seen of the folder, or of the repository that this is a worktree of. */
function answersFor(folder: string, known: Answers): readonly Brought[] | undefined {
  const main = mainWorktree(folder)
  const answers = [folder, ...(main === undefined ? [] : [main])].flatMap((path) => known.get(path) ?? [])
  return answers.length === 0 ? undefined : answers.flatMap(({ items }) => items)
}

function questionOf(
  folder: string,
  items: readonly Brought[],
  answered: readonly Brought[] | undefined,
): TrustQuestion {
  const question = { folder, items: items.map(plainItem) }
  if (answered === undefined) return question
  const [now, seen] = [new Set(items.map(sameness)), new Set(answered.map(sameness))]
  const fresh = items.filter((item) => !seen.has(sameness(item)))
  const stale = answered.filter((item) => !now.has(sameness(item)))
  const replaced = new Map(stale.map((item) => [placeOf(item), item]))
  const before = (item: Brought) => replaced.get(placeOf(item))
  const changes = fresh.map((item): TrustChange => {
    const old = before(item)
    return old === undefined
      ? { is: "new", item: plainItem(item) }
      : { is: "changed", item: plainItem(item), before: plainItem(old) }
  })
  const places = new Set(fresh.map(placeOf))
  const gone = stale.filter((item) => !places.has(placeOf(item)))
  return {
    ...question,
    changes: [...changes, ...gone.map((item) => ({ is: "gone", item: plainItem(item) }) as const)],
  }
}

function placeOf({ what, where }: TrustItem): string {
  return `${what} ${where}`
}

function stampOf(items: readonly Brought[]): string {
  return items.length === 0 ? "trusted" : digestOf(items.map(({ digest }) => digest))
}
