import type { Aside, Entry } from "@sotto/core"
import { diagnosesIn } from "@sotto/core/economy"
import { asidesOf, type Config, loadConfig, priceIn } from "@sotto/harness"
import type {
  BreakList,
  LedgerCell,
  LedgerPart,
  QueuedMessage,
  RowsPart,
  SearchAnswer,
  SessionDetail,
  StepPage,
  StepRow,
  ToldReminder,
  ToolsAnswer,
  ViewMessage,
} from "@sotto/inspector"
import type { HttpDialectName } from "@sotto/lens"
import { createPages, type PageOptions } from "@sotto/lens/pages"
import { wordedDiagnosis } from "../../output/diagnosis.js"
import { fullName, ownModels } from "../../traffic/prices.js"
import { notFound } from "../errors.js"
import { SessionActivity } from "./activity.js"
import { CatalogueReader, firstPrompt, summaryOf } from "./catalogue-reader.js"
import { type Feed, turn } from "./feed.js"
import type { Hub } from "./hub.js"
import { Steps, wordsIn } from "./steps.js"

/** What can be read of sessions, in the shapes of the inspector's contract. */
export class SessionReader {
  readonly #hub: Hub
  readonly #activity: SessionActivity
  readonly #steps = new WeakMap<Feed, Steps>()
  /** The sessions of the store, as lists and totals show them. */
  readonly catalogue: CatalogueReader
  #configured: Pick<Config, "model" | "models" | "update"> = { models: {} }

  constructor(hub: Hub) {
    this.#hub = hub
    this.#activity = new SessionActivity(hub, this.prices)
    this.catalogue = new CatalogueReader(hub, this.#activity)
  }

  /** What the user's configuration says of models. */
  get configured(): Pick<Config, "model" | "models" | "update"> {
    return this.#configured
  }

  /** Loads the user's own prices. A mistake in the configuration does not keep the user from looking. */
  async loadPrices(): Promise<void> {
    this.#configured = await loadConfig({ cwd: process.cwd(), env: process.env }).catch(() =>
      ownModels(process.env),
    )
  }

  readonly prices = (model: string) => {
    return priceIn(this.#configured, fullName(this.#configured, model))
  }

  async detail(id: string): Promise<SessionDetail> {
    const feed = await this.#hub.feed(id)
    const activity = this.#activity.look()
    const about = await this.#hub.store.about(id)
    const steps = await this.#stepsOf(id, feed)
    const { session, seq } = feed.following
    const runner = this.#hub.runner(id)
    const begun = firstPrompt(session.log)
    return {
      ...summaryOf(about),
      ...(begun && { begun }),
      ...(await activity(id)),
      ...(await this.#activity.spentIn(feed)),
      model: session.model,
      agent: session.agent,
      seq,
      dialect: steps.dialectOf(steps.length),
      dialects: steps.dialects,
      turns: steps.turns,
      agents: runner?.agents ?? [session.agent],
      queue: queueOf(session),
      canSteer: true,
      breaks: steps.pages.breaks().filter(({ cause }) => cause !== "compacted").length,
    }
  }

  async queue(id: string): Promise<readonly QueuedMessage[]> {
    return queueOf((await this.#hub.feed(id)).following.session)
  }

  async log(
    id: string,
    from: number,
    limit: number | undefined,
  ): Promise<{ readonly entries: readonly Entry[]; readonly total: number }> {
    const { log } = (await this.#hub.feed(id)).following.session
    return { entries: log.slice(from, limit === undefined ? undefined : from + limit), total: log.length }
  }

  async asides(
    id: string,
    step: number | undefined,
  ): Promise<{ readonly asides: readonly (Aside & { readonly n?: number })[] }> {
    const feed = await this.#hub.feed(id)
    const { session } = feed.following
    const asked =
      step === undefined ? undefined : stepIn(await this.#stepsOf(id, feed), id, step).asked.request
    const all = asidesOf(session)
    return {
      asides:
        asked === undefined ? all : all.filter((one) => one.turn === asked.turn && one.step === asked.step),
    }
  }

  /** Gives rows as soon as they are read: of a long session the rest of the log may come later. */
  async rows(id: string, from: number, limit: number): Promise<RowsPart<StepRow>> {
    const feed = await this.#hub.begunFeed(id)
    if (feed.isWhole) await feed.refresh()
    const steps = await this.#stepsOf(id, feed, from + limit - 1)
    const told = new Map<string, { readonly kind: string; readonly tokens: number }[]>()
    const { session } = feed.following
    for (const { turn, step, kind, tokens } of asidesOf(session)) {
      const known = told.get(`${turn}.${step}`)
      if (known) known.push({ kind, tokens })
      else told.set(`${turn}.${step}`, [{ kind, tokens }])
    }
    // The lens recognises reminders by their words; the session knows which rule spoke.
    const rows = steps
      .rows(from, limit)
      .map((row) => ({ ...row, reminders: told.get(`${row.turn}.${row.step}`) ?? [] }))
    return {
      rows,
      total: steps.length,
      ...(!(feed.isWhole && steps.hasAllOf(session.log)) && { more: true }),
    }
  }

  async breaks(id: string): Promise<BreakList> {
    return { breaks: (await this.steps(id)).pages.breaks() }
  }

  async search(id: string, text: string, limit: number): Promise<SearchAnswer> {
    const hits = (await this.steps(id)).pages.search(text, limit + 1)
    return { hits: hits.slice(0, limit), more: hits.length > limit }
  }

  async ledger(id: string, from: number, limit: number): Promise<LedgerPart> {
    const feed = await this.#hub.feed(id)
    const { session } = feed.following
    const steps = await this.#stepsOf(id, feed)
    const cells = cellsBy(session.ledger())
    const newest = cells.at(-1)?.cells ?? []
    const switched = new Map(
      session.log.flatMap((entry) => (entry.type === "kind" ? [[entry.kind, entry.on]] : [])),
    )
    const isRule = ({ kind }: LedgerCell) => kind !== "guard" && kind !== "cache"
    const kinds = new Map<string, { on: boolean; spoke: number; tokens: number; kept: number }>()
    for (const { kind, outcome } of newest.filter(isRule))
      kinds.set(kind, {
        ...{ on: switched.get(kind) ?? outcome !== "disabled" },
        ...{ spoke: 0, tokens: 0, kept: 0 },
      })
    for (const cell of cells.flatMap((one) => one.cells).filter(isRule)) {
      const { kind, outcome, tokens = 0 } = cell
      if (outcome === "nothing" || outcome === "disabled") continue
      const known = kinds.get(kind) ?? { on: switched.get(kind) ?? true, spoke: 0, tokens: 0, kept: 0 }
      kinds.set(kind, known)
      if (outcome === "spoke") {
        known.spoke++
        known.tokens += tokens
      } else known.kept++
    }
    const shown = cells.slice(from - 1, from - 1 + limit).map(({ turn, step, cells: own }) => ({
      n: steps.numberOf(turn, step),
      turn,
      step,
      cells: own.filter(({ outcome, neutralised }) => outcome !== "nothing" || neutralised !== undefined),
    }))
    return {
      kinds: [...kinds]
        .map(([kind, counts]) => ({ kind, ...counts }))
        .sort((a, b) => (a.kind < b.kind ? -1 : 1)),
      steps: shown,
      total: cells.length,
    }
  }

  async request(
    id: string,
    n: number,
    options: PageOptions & { readonly dialect?: HttpDialectName; readonly body: boolean },
  ): Promise<StepPage & { readonly body?: unknown }> {
    const feed = await this.#hub.feed(id)
    const steps = await this.#stepsOf(id, feed)
    const step = stepIn(steps, id, n)
    const { session } = feed.following
    const { dialect = steps.dialectOf(n), body, ...how } = options
    const page = steps.page(n, how, dialect)
    if (page === undefined) throw unknownStep(id, n, steps.length)
    const { turn, step: place } = step.asked.request
    const told = asidesOf(session).filter((one) => one.turn === turn && one.step === place)
    const sent = body ? steps.body(n, dialect) : undefined
    const { request, reply } = step.asked
    const diagnosis = reply?.diagnostics && diagnosesIn(session.log).find((one) => one.request === request.id)
    return {
      ...page,
      dialect,
      told: told.map((aside) => toldReminder(aside, session.log, step.entry.seq)),
      view: viewOf(session.log, step.entry, step.asked.reply?.parts ?? []),
      ledger: cellsBy(session.ledger()).find((one) => one.turn === turn && one.step === place)?.cells ?? [],
      ...(diagnosis && { diagnosis: wordedDiagnosis(diagnosis) }),
      ...(sent !== undefined && { body: sent }),
    }
  }

  async tools(id: string, n: number, whole: string | undefined): Promise<ToolsAnswer> {
    const steps = await this.steps(id)
    stepIn(steps, id, n)
    return { tools: steps.tools(n, whole) }
  }

  /** Gives the body of a request, in the dialect in which it was sent or in another. */
  async body(id: string, n: number, dialect?: HttpDialectName): Promise<unknown> {
    const steps = await this.steps(id)
    stepIn(steps, id, n)
    return steps.body(n, dialect)
  }

  async steps(id: string): Promise<Steps> {
    return await this.#stepsOf(id, await this.#hub.feed(id))
  }

  /** Reads the steps of a session, all of them or the first ones, in slices. */
  async #stepsOf(id: string, feed: Feed, most = Number.POSITIVE_INFINITY): Promise<Steps> {
    const known =
      this.#steps.get(feed) ?? new Steps(id, createPages({ prices: this.prices, validates: false }))
    this.#steps.set(feed, known)
    while (known.length < most) {
      const { isWhole } = feed
      if (known.take(feed.following.session.log) && isWhole) break
      // Rejects if the log cannot be read to its end.
      await Promise.race([turn(), ...(isWhole ? [] : [feed.whole])])
    }
    return known
  }

  /** Tells a reader of events what the session does, from now on. Returns what stops that. */
  watch(id: string, tell: Parameters<SessionActivity["watch"]>[1]): () => void {
    return this.#activity.watch(id, tell)
  }

  /** Has readers of events told soon, because something has come to a log. */
  changed(): void {
    this.#activity.soon()
  }
}

/** Finds a step. Throws `not-found` for an unknown one. */
function stepIn(steps: Steps, id: string, n: number) {
  const step = steps.step(n)
  if (step === undefined) throw unknownStep(id, n, steps.length)
  return step
}

function queueOf(session: Feed["following"]["session"]): readonly QueuedMessage[] {
  const times = new Map(session.log.flatMap((entry) => (entry.type === "said" ? [[entry.id, entry.at]] : [])))
  return session.queue().map(({ id: message, content, delivery, origin }) => ({
    id: message,
    text: wordsIn(content),
    delivery,
    origin,
    at: times.get(message) ?? 0,
  }))
}

function cellsBy(rows: readonly (LedgerCell & { readonly turn: number; readonly step: number })[]) {
  const steps: { readonly turn: number; readonly step: number; readonly cells: LedgerCell[] }[] = []
  for (const { turn, step, ...cell } of rows) {
    const last = steps.at(-1)
    if (last !== undefined && last.turn === turn && last.step === step) last.cells.push(cell)
    else steps.push({ turn, step, cells: [cell] })
  }
  return steps
}

function toldReminder(
  { turn: _, step: __, ...aside }: Aside,
  log: readonly Entry[],
  seq: number,
): ToldReminder {
  return {
    ...aside,
    rule: aside.kind.replaceAll("_", " "),
    source: "standard",
    reason: reasonFor(aside, log, seq),
  }
}

/** Finds why a rule spoke, as far as the log tells: what was noted or observed since the step before. */
function reasonFor({ kind, key }: Pick<Aside, "kind" | "key">, log: readonly Entry[], seq: number): string {
  if (kind === "queued_command") return "a message arrived while the agent worked"
  const step = log[seq]
  const before = log.slice(0, seq).findLastIndex(({ type }) => type === "step")
  for (const entry of log.slice(before + 1, seq).toReversed()) {
    if (entry.type === "noted" && key !== "" && Object.values(entry.signal).includes(key))
      return entry.signal.type
    if (entry.type === "observed" && (entry.key === key || entry.key.endsWith(`:${key}`)))
      return `${entry.key} changed`
  }
  if (step?.type === "step" && step.epoch) return `an epoch began: ${step.epoch.reasons.join(", ")}`
  const noted = log
    .slice(before + 1, seq)
    .flatMap((entry) => (entry.type === "noted" ? [entry.signal.type] : []))
  return noted.length > 0
    ? `since the step before: ${[...new Set(noted)].join(", ")}`
    : "its cadence or condition held"
}

function viewOf(
  log: readonly Entry[],
  step: Extract<Entry, { type: "step" }>,
  reply: readonly {
    readonly type: string
    readonly text?: string
    readonly name?: string
    readonly id?: string
  }[],
): readonly ViewMessage[] {
  const before = log.slice(0, step.seq).findLastIndex(({ type }) => type === "step")
  const results = log
    .slice(before + 1, step.seq)
    .flatMap((entry): ViewMessage[] =>
      entry.type === "result" ? [{ id: entry.callId, role: "tool", text: wordsIn(entry.output) }] : [],
    )
  const ids = step.delivered.map(({ id }) => id)
  const said = log
    .slice(0, step.seq)
    .flatMap((entry): ViewMessage[] =>
      entry.type === "said" && ids.includes(entry.id) && !entry.hidden && entry.origin.kind === "human"
        ? [{ id: entry.id, role: "user", text: wordsIn(entry.content) }]
        : [],
    )
  const answered = reply.flatMap((part, i): ViewMessage[] => {
    if (part.type === "text")
      return [{ id: `${step.request}.${i}`, role: "assistant", text: part.text ?? "" }]
    return part.type === "tool-call"
      ? [{ id: part.id ?? `${i}`, role: "assistant", text: "", ...(part.name && { name: part.name }) }]
      : []
  })
  return [...results, ...said, ...answered]
}

function unknownStep(id: string, n: number, total: number) {
  return notFound(
    `Session ${id} has no request ${n}.`,
    `It has ${total}, counted from 1; one is listed once it was answered.`,
  )
}
