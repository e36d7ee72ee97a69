import { randomUUID } from "node:crypto"
import {
  createSession,
  type Entry,
  restoreSession,
  type Session,
  type SessionOptions,
  type ToolDefinition,
} from "@sotto/core"
import { isFileFact } from "../files/facts.js"
import type { OpenOptions } from "./opening.js"

/** A session of the store, new or as it was left. Every entry is on disk before it takes effect. */
export function openSession(options: OpenOptions, tools: readonly ToolDefinition[], fresh: Entry[]): Session {
  const { workplace, parent } = options
  const { config, cwd, now } = workplace
  const store = workplace.store()
  const agent = options.agent ?? config.agent
  const own = workplace.agents.find(({ name }) => name === agent)?.model
  const model = workplace.modelNamed(options.model ?? own)
  let id: string | undefined
  const settings: SessionOptions = {
    agents: workplace.agents,
    ...(agent !== undefined && { agent }),
    model,
    tools,
    rules: workplace.rules,
    reminders: config.reminders,
    budget: config.budget,
    ...(config.system && { system: config.system }),
    ...(config.channelsWake !== undefined && { channelsWake: config.channelsWake }),
    ...(config.snip !== undefined && { snip: config.snip }),
    ...(config.nonce !== undefined && { nonce: config.nonce }),
    now,
    newId: randomUUID,
    onAppend: (entries) => {
      const [first] = entries
      if (id !== undefined && entries.every(isFileFact)) store.appendLater(id, entries)
      else if (id !== undefined) store.append(id, entries)
      else if (first?.type === "opened") {
        id = first.id
        store.create({ cwd, ...(parent && { parent: parent.id }) }, entries)
      }
      fresh.push(...entries)
    },
  }
  if (options.session === undefined) return createSession(settings)
  id = options.session
  const session = restoreSession(settings, store.open(options.session))
  session.recover()
  if (options.model !== undefined) session.switchModel(model)
  if (options.agent !== undefined) session.switchAgent(options.agent)
  return session
}

/** The model that the session works with now. */
export function modelOf(session: Session): string {
  const chosen = session.log.findLast((entry) => entry.type === "model" || entry.type === "opened")
  return chosen?.type === "model" || chosen?.type === "opened" ? chosen.model.id : ""
}
