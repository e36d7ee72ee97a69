/** A session as it is listed. */
export interface SessionSummary {
  readonly id: string
  readonly cwd: string
  readonly title?: string
  /** What came of it, in a few sentences. */
  readonly summary?: string
  /** The session that started it, of a subagent's. */
  readonly parent?: string
  /** The named workspace that it belongs to. Without one it belongs to its folder on one machine. */
  readonly workspace?: string
  readonly agent: string
  readonly model: string
  /** Milliseconds, by the entries' own times. */
  readonly created: number
  readonly updated: number
  /** What was said by anybody, answers included. */
  readonly messages: number
  /** What is wrong with it, if something is: only `repair` and `delete` can be asked for then. */
  readonly damaged?: string
}
