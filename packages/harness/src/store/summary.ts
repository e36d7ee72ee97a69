import type { Row } from "./database.js"

/** A session as it is listed. */
export interface SessionSummary {
  readonly id: string
  readonly cwd: string
  readonly title?: string
  /** What came of it, in a few sentences. */
  readonly summary?: string
  /** The session that started it, of a subagent's. */
  readonly parent?: string
  readonly agent: string
  readonly model: string
  /** Milliseconds, by the entries' own times. */
  readonly created: number
  readonly updated: number
  /** What was said by anybody, answers included. */
  readonly messages: number
}

export function summaryOf(row: Row): SessionSummary {
  const { id, cwd, title, summary, parent, agent, model, created, updated, messages } = row
  return {
    ...{ id: String(id), cwd: String(cwd), agent: String(agent), model: String(model) },
    ...(title !== null && { title: String(title) }),
    ...(summary !== null && { summary: String(summary) }),
    ...(parent !== null && { parent: String(parent) }),
    ...{ created: Number(created), updated: Number(updated), messages: Number(messages) },
  }
}
