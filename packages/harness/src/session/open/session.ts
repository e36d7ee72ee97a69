import { randomUUID } from "node:crypto"
import {
  type Agent,
  createSession,
  type Entry,
  forkLog,
  type Message,
  restoreSession,
  type Session,
  type SessionOptions,
} from "@sotto/core"
import type { PriceLookup } from "@sotto/core/economy"
import type { Access } from "../../execution/permissions/access.js"
import { policyOf } from "../../execution/permissions/policy.js"
import { judgeBy } from "../../execution/permissions/rules.js"
import { priceIn } from "../../models/model-facts.js"
import { checkSelectable, forEngine, modelOf } from "../../settings/agents/selection.js"
import { settingsFor } from "../../sources/reminders/describe.js"
import { restoring } from "../../store/read.js"
import type { Store } from "../../store/store.js"
import { tryLog } from "../../store/trial.js"
import { economyIn } from "../limits/economy.js"
import { Meter } from "../limits/meter.js"
import { subagentAccounts, sumOfAccounts } from "../limits/tree-account.js"
import { Durability } from "../loop/durability.js"
import { LogWriter } from "../loop/log-writer.js"
import { LONGEST_TITLE } from "../summaries/titles.js"
import type { OpenOptions } from "./options.js"
import type { LoggedSession } from "./phases.js"
import type { ProjectRuntime } from "./project-runtime.js"
import { toolDefinitions } from "./tools.js"

/** Opens a session of the store, new or as it was left. */
export async function openSession(options: OpenOptions): Promise<LoggedSession> {
  const store = () => options.workplace.store()
  const writer = new LogWriter(store)
  const durability = new Durability(store, writer)
  const session = await sessionFor(options, durability, writer)
  return { options, session, durability, meter: await meterFor(options, session) }
}

/** Makes the meter. A session that goes on knows from the store what its subagents have cost. */
async function meterFor({ workplace, session: id, parent }: OpenOptions, session: Session): Promise<Meter> {
  const { config } = workplace
  const priceOf: PriceLookup = (model) => priceIn(config, model)
  const stored = id === undefined ? [] : await subagentAccounts(workplace.store(), id, priceOf)
  const before = sumOfAccounts(stored)
  return new Meter({ limits: config.limits, priceOf, session, parent: parent?.meter, before })
}

async function sessionFor(options: OpenOptions, durability: Durability, writer: LogWriter): Promise<Session> {
  const { workplace, parent } = options
  const { cwd, now } = workplace
  const store = workplace.store()
  /** Entries of a new session, until the store has it. */
  const first: Entry[] = []
  const settings = settingsOf(options, (entries) => {
    if (writer.session === undefined) first.push(...entries)
    else writer.append(entries)
  })
  if (options.session === undefined) {
    const { session, copied } = begun(options, settings)
    const workspace = workplace.workspace()
    const place = { cwd, ...(workspace !== undefined && { workspace }) }
    await store.create({ ...options.about, ...place, ...(parent && { parent: parent.id }) }, [
      ...copied,
      ...first,
    ])
    durability.open(session.id, copied.length + first.length)
    return session
  }
  for (const { message } of await store.lost(options.session)) options.emit({ type: "error", message })
  const session = await restored(store, options.session, settings, durability)
  session.recover()
  tellOfResuming(session, now())
  if (options.model !== undefined) session.switchModel(settings.model)
  if (options.agent !== undefined) session.switchAgent(options.agent)
  return session
}

/** Begins a session: a new one, or a copy of the parent's. `copied` are the entries that it has from there. */
function begun(
  { parent, fork }: OpenOptions,
  settings: SessionOptions,
): { readonly session: Session; readonly copied: readonly Entry[] } {
  const copied = parent && fork && forkLog(parent.session.log, undefined, randomUUID())
  if (copied === undefined) return { session: createSession(settings), copied: [] }
  const session = restoreSession(settings, copied)
  // What waits in the parent's inbox is for the parent, and so are the results of its other calls.
  for (const { id } of session.queue()) session.cancel(id)
  const { pending } = session
  for (const { id } of pending.is === "waiting" ? pending.calls : [])
    session.result(id, id === fork?.call ? forkedText(fork.prompt) : OTHERS_CALL)
  return { session, copied }
}

const OTHERS_CALL = "Another copy of you sees to this call, and to what comes of it."

function forkedText(prompt: string): string {
  return `You are a copy of the agent that made this call: you know all that it knows, and it does not see what you do. Do only the following, hand nothing on, and end with a report, which is what it will read.\n\n${prompt}`
}

/** Gives the engine what the project's configuration and the caller want. */
function settingsOf(
  options: Pick<OpenOptions, "workplace" | "parent" | "agent" | "model">,
  onAppend: (entries: readonly Entry[]) => void,
): SessionOptions {
  const { workplace, parent } = options
  const { config, now } = workplace
  const agent = options.agent ?? config.agent
  if (parent === undefined && agent !== undefined) checkSelectable(workplace.agents, agent)
  const chosen = workplace.agents.find(({ name }) => name === agent)
  const economy = economyIn(config)
  return {
    agents: workplace.agents
      .map((one) => forEngine(parent === undefined ? one : asChild(one, agent)))
      .map((one) => (maySearch(one, options) ? one : withoutSearch(one))),
    ...(agent !== undefined && { agent }),
    model: workplace.modelNamed(options.model ?? (chosen && modelOf(chosen))),
    tools: toolDefinitions(workplace),
    rules: workplace.rules,
    reminders: settingsFor(workplace.rules, config.reminders),
    budget: config.budget,
    ...(config.system && { system: config.system }),
    ...(config.channelsWake !== undefined && { channelsWake: config.channelsWake }),
    ...(config.snip !== undefined && { snip: config.snip }),
    ...(config.nonce !== undefined && { nonce: config.nonce }),
    ...(parent && { cacheKey: parent.cacheKey }),
    ...(economy && { economy }),
    now,
    newId: randomUUID,
    onAppend,
  }
}

/** A conversation that was held elsewhere. */
export interface HeldConversation {
  readonly title?: string
  readonly messages: readonly Message[]
}

/**
 * Stores a new session of the project that begins with a conversation that was held elsewhere: its id. The session is
 * made by the engine and restored once before anything is stored, so that it is stored whole or not at all.
 */
export async function storeTranscript(
  workplace: ProjectRuntime,
  transcript: HeldConversation,
): Promise<string> {
  const log: Entry[] = []
  const session = createSession(settingsOf({ workplace }, (entries) => log.push(...entries)))
  session.importMessages(transcript.messages)
  tryLog(log)
  const store = workplace.store()
  const title = titleOf(transcript.title ?? "")
  const workspace = workplace.workspace()
  const about = { ...(title !== "" && { title }), ...(workspace !== undefined && { workspace }) }
  await store.create({ cwd: workplace.cwd, ...about }, log)
  await store.release(session.id)
  return session.id
}

/** Makes a title that every list can show and every export can hold: one short line. */
function titleOf(given: string): string {
  const line = given.replace(/[\s\p{Cc}]+/gu, " ").trim()
  return [...line].slice(0, LONGEST_TITLE).join("")
}

const SEARCH: Access = { permission: "search", target: "*" }

/** True if the agent's rules, and those of the agent it works for, allow the provider's search: nobody can be asked. */
function maySearch(agent: Agent, { workplace, parent }: Pick<OpenOptions, "workplace" | "parent">): boolean {
  if (!workplace.config.web?.search) return true
  const judges = [judgeBy(policyOf(workplace.sourcesOf(agent))), ...(parent ? [parent.gate.judge] : [])]
  return judges.every((judge) => judge(SEARCH) === "allow")
}

/** Denies the search in the agent's own rules, by which the engine leaves it out of what is offered. */
function withoutSearch({ permission = [], ...agent }: Agent): Agent {
  return { ...agent, permission: [...permission, { permission: "search", pattern: "*", action: "deny" }] }
}

/**
 * Makes the called agent a subagent: one that serves users and agents alike is a subagent where it works for another.
 */
function asChild(agent: Agent, called: string | undefined): Agent {
  return agent.name === called ? { ...agent, mode: "subagent" } : agent
}

/** Restores a session. Gives one that cannot be restored back to the store, so that it can be repaired. */
async function restored(
  store: Store,
  id: string,
  settings: SessionOptions,
  durability: Durability,
): Promise<Session> {
  const log = await store.open(id)
  durability.open(id, log.length)
  try {
    return restoring(store, id, () => restoreSession(settings, log))
  } catch (error) {
    await store.release(id)
    throw error
  }
}

/**
 * Tells of resuming: what was true while the user was there may not be true any more. Facts that changed meanwhile are
 * told by their sources.
 */
function tellOfResuming(session: Session, now: number): void {
  const last = session.log.findLast(({ type }) => type !== "recovered")
  if (last === undefined || !session.log.some(({ type }) => type === "step")) return
  // Acting without asking is allowed by a user who watches.
  if (session.fact("auto") === true) session.observe("auto", false)
  const minutes = Math.floor((now - last.at) / 60_000)
  if (minutes >= 1) session.note({ type: "session.resumed", away: spanOf(minutes) })
}

function spanOf(minutes: number): string {
  const units = [
    ["week", 7 * 24 * 60],
    ["day", 24 * 60],
    ["hour", 60],
  ] as const
  const [unit, size] = units.find(([, length]) => minutes >= 2 * length) ?? (["minute", 1] as const)
  const count = Math.floor(minutes / size)
  return `${count} ${unit}${count === 1 ? "" : "s"}`
}
