import type { Usage } from "@sotto/core"

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

/** A request of a session, or the reply to one: what its account is made from. */
export type UsageRow =
  /** With the model if another one is asked from here on. `isLong`: what is written to the cache is kept for an hour. */
  | { readonly is: "request"; readonly seq: number; readonly model?: string; readonly isLong: boolean }
  | { readonly is: "reply"; readonly seq: number; readonly usage?: Usage }

/** Makes a row of what a database found in the entry of a request or a reply. */
export function usageRow(
  seq: number,
  isRequest: boolean,
  { model, isLong, usage }: { readonly model: unknown; readonly isLong: unknown; readonly usage: unknown },
): UsageRow {
  if (isRequest)
    return {
      ...{ is: "request", seq, isLong: isLong === true || isLong === 1 || isLong === "true" },
      ...(typeof model === "string" && { model }),
    }
  const used = typeof usage === "string" ? (JSON.parse(usage) as Usage | null) : undefined
  return { is: "reply", seq, ...(used && { usage: used }) }
}
