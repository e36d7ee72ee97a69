import type { Entry } from "@sotto/core"
import { type SessionSummary, StoreError } from "@sotto/harness"
import type { SessionList, SessionListItem, SessionState } from "@sotto/inspector"
import { notFound } from "../errors.js"
import type { VisibleSessions } from "../visible-sessions.js"
import { type Activity, type SessionActivity, type SpentSum, sumOf } from "./activity.js"
import { turn } from "./feed.js"
import type { Hub } from "./hub.js"
import { beginning, wordsIn } from "./steps.js"

/** Which sessions of the store are meant. What is absent does not matter. */
export interface CatalogueFilter {
  /** Those that the caller may know of. */
  readonly sessions: VisibleSessions
  /** Each of them stands in the title, the first prompt, the folder or the id. */
  readonly words?: string
  readonly state?: SessionState
  /** All of them. */
  readonly labels?: readonly string[]
  /** All of them, with these values. */
  readonly metadata?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** The session whose subagents' are meant. Without it, those of no subagent are. */
  readonly parent?: string
}

/** What many sessions have used together. */
interface Total extends SpentSum {
  readonly sessions: number
  /** In dollars. Requests to models without a known price are left out. */
  readonly cost: number
}

export interface CatalogueTotals extends Total {
  /** Models that were asked and whose price is not known. */
  readonly unpriced: readonly string[]
  /** Models whose own price is not known, each with the model whose price was taken for it. */
  readonly assumed?: Readonly<Record<string, string>>
  readonly byState: readonly (Total & { readonly state: SessionState })[]
  readonly byLabel: readonly (Total & { readonly label: string })[]
  readonly byModel: readonly (Total & { readonly model: string })[]
}

/** A session of the catalogue, with what it does now. */
interface Found {
  readonly stored: SessionSummary
  readonly now: Activity
}

/** How many sessions are looked at together, before everything else has its turn. */
const TOGETHER = 50

/** Reads lists and totals of the sessions of a store. */
export class CatalogueReader {
  readonly #hub: Hub
  readonly #activity: SessionActivity
  /** By session, for those without a title: reading a log to name a session is done once. */
  readonly #begun = new Map<string, string>()

  constructor(hub: Hub, activity: SessionActivity) {
    this.#hub = hub
    this.#activity = activity
  }

  async list(limit: number, before: string | undefined, filter: CatalogueFilter): Promise<SessionList> {
    const all = await this.#listed(filter)
    const place = before === undefined ? 0 : all.findIndex(({ id }) => id === before) + 1
    if (before !== undefined && place === 0)
      throw notFound(
        `There is no session ${before} to list after.`,
        "Give the id of the last one of the list before.",
      )
    // One more than asked for shows that there are more.
    const found = await this.#matching(all.slice(place), filter, limit + 1)
    const sessions = await Promise.all(found.slice(0, limit).map((one) => this.#item(one)))
    return { sessions, more: found.length > limit }
  }

  /** Gives one session as a list has it. */
  async item(id: string): Promise<SessionListItem> {
    const stored = await this.#hub.store.about(id)
    return await this.#item({ stored, now: await this.#activity.look()(id) })
  }

  /** Adds up what sessions have used, each with those of its subagents. Reads of each what a list of it reads. */
  async totals(filter: CatalogueFilter): Promise<CatalogueTotals> {
    const found = await this.#matching(await this.#listed(filter), filter, Number.POSITIVE_INFINITY)
    const groups = new TotalGroups()
    for (let at = 0; at < found.length; at += TOGETHER) {
      const some = found.slice(at, at + TOGETHER)
      await Promise.all(
        some.map(async ({ stored, now }) => {
          const spent = await this.#activity.spentByModel(stored, "holder" in now)
          groups.add(now.state, stored.labels ?? [], spent)
        }),
      )
      await turn()
    }
    return groups.totals
  }

  /** Lists the sessions that the caller may know of: those of no subagent, or of one session's subagents. */
  async #listed({ parent, sessions }: CatalogueFilter): Promise<readonly SessionSummary[]> {
    const all: SessionSummary[] = []
    for (const stored of await this.#hub.store.list())
      if (stored.parent === parent && (await sessions.has(stored))) all.push(stored)
    return all
  }

  /** Finds sessions that a filter keeps, in order, and no more than `most`. Asks what costs least first. */
  async #matching(
    all: readonly SessionSummary[],
    filter: CatalogueFilter,
    most: number,
  ): Promise<readonly Found[]> {
    const activity = this.#activity.look()
    const { words = "", state } = filter
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
    const found: Found[] = []
    for (const stored of all) {
      if (found.length >= most) break
      if (!isIn(filter, stored) || !(await this.#hasWords(stored, wanted))) continue
      const now = await activity(stored.id)
      if (state === undefined || now.state === state) found.push({ stored, now })
    }
    return found
  }

  async #item({ stored, now }: Found): Promise<SessionListItem> {
    const begun = stored.title === undefined ? await this.#begunWith(stored) : undefined
    const spent = await this.#activity.spentBy(stored, "holder" in now)
    return { ...summaryOf(stored), ...(begun && { begun }), ...now, ...spent }
  }

  /** Looks for words in what names a session. Reads its first prompt only if nothing else has them. */
  async #hasWords(stored: SessionSummary, words: readonly string[]): Promise<boolean> {
    const { title, cwd, id } = stored
    const names = [title, cwd, id].join("\n").toLowerCase()
    const rest = words.filter((word) => !names.includes(word))
    if (rest.length === 0 || title !== undefined) return rest.length === 0
    const begun = (await this.#begunWith(stored))?.toLowerCase() ?? ""
    return rest.every((word) => begun.includes(word))
  }

  /** Reads the beginning of a session's first prompt; undefined before there is one. */
  async #begunWith({ id, damaged }: SessionSummary): Promise<string | undefined> {
    const known = this.#begun.get(id)
    if (known !== undefined || damaged !== undefined) return known
    try {
      for await (const part of this.#hub.store.loadParts(id)) {
        const begun = firstPrompt(part)
        if (begun !== undefined) this.#begun.set(id, begun)
        break
      }
    } catch (error) {
      // A damaged session is listed without a name.
      if (!(error instanceof StoreError)) throw error
    }
    return this.#begun.get(id)
  }
}

/** Checks what the row of a session says by itself. */
function isIn({ labels = [], metadata = {}, cwd }: CatalogueFilter, stored: SessionSummary): boolean {
  if (cwd !== undefined && stored.cwd !== cwd) return false
  if (!labels.every((label) => stored.labels?.includes(label))) return false
  return Object.entries(metadata).every(([name, value]) => stored.metadata?.[name] === value)
}

/** Sessions that have something in common, and what each of them has used of each model. */
interface TotalGroup {
  sessions: number
  readonly used: SpentSum[]
}

/** Adds up sessions by what they do, by their labels and by the models that they asked. */
class TotalGroups {
  readonly #whole: TotalGroup = { sessions: 0, used: [] }
  readonly #states = new Map<SessionState, TotalGroup>()
  readonly #labels = new Map<string, TotalGroup>()
  readonly #models = new Map<string, TotalGroup>()

  /** Adds a session: what it and its subagents have used of each model. */
  add(state: SessionState, labels: readonly string[], spent: ReadonlyMap<string, SpentSum>): void {
    const sums = [...spent.values()]
    extend(this.#whole, sums)
    extend(groupIn(this.#states, state), sums)
    for (const label of labels) extend(groupIn(this.#labels, label), sums)
    for (const [model, sum] of spent) extend(groupIn(this.#models, model), [sum])
  }

  get totals(): CatalogueTotals {
    const isUnpriced = ({ cost }: SpentSum) => cost === undefined
    const named = <Name extends string>(groups: ReadonlyMap<Name, TotalGroup>) =>
      [...groups].sort(([a], [b]) => (a < b ? -1 : 1))
    const { assumed } = sumOf(this.#whole.used)
    return {
      ...totalOf(this.#whole),
      ...(assumed && { assumed }),
      unpriced: named(this.#models).flatMap(([model, { used }]) => (used.some(isUnpriced) ? [model] : [])),
      byState: named(this.#states).map(([state, group]) => ({ state, ...totalOf(group) })),
      byLabel: named(this.#labels).map(([label, group]) => ({ label, ...totalOf(group) })),
      byModel: named(this.#models).map(([model, group]) => ({ model, ...totalOf(group) })),
    }
  }
}

function groupIn<Name>(groups: Map<Name, TotalGroup>, name: Name): TotalGroup {
  const group = groups.get(name) ?? { sessions: 0, used: [] }
  groups.set(name, group)
  return group
}

function extend(group: TotalGroup, used: readonly SpentSum[]): void {
  group.sessions++
  group.used.push(...used)
}

function totalOf({ sessions, used }: TotalGroup): Total {
  const { steps, tokens } = sumOf(used)
  const { cost = 0 } = sumOf(used.filter((one) => one.cost !== undefined))
  return { sessions, steps, tokens, cost }
}

export function summaryOf(stored: SessionSummary) {
  const { id, title, parent, labels, metadata, cwd, model, agent, created, updated } = stored
  return {
    id,
    ...(title !== undefined && { title }),
    ...(parent !== undefined && { parent }),
    ...(labels && { labels }),
    ...(metadata && { metadata }),
    cwd,
    model,
    agent,
    createdAt: created,
    updatedAt: updated,
  }
}

/** Finds the beginning of the first thing that the user said. */
export function firstPrompt(log: readonly Entry[]): string | undefined {
  const said = log.find((entry) => entry.type === "said" && !entry.hidden && entry.origin.kind === "human")
  return said?.type === "said" ? beginning(wordsIn(said.content)) : undefined
}
