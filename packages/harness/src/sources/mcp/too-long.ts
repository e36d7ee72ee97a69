import { fieldsOf, type McpFields } from "./fields.js"
import type { LongLine } from "./line-splitter.js"

/** Bytes of one message of a server. What is longer is never held as a whole. */
export const LONGEST_MESSAGE = 10_000_000

const MARK = "sotto/too-long"

/**
 * Stands for an answer that was too long to be taken. A result and not an error: after an error the SDK would ask a
 * server that can resume for the same answer again.
 */
export function tooLongAnswer(id: unknown, bytes: number): object {
  return { jsonrpc: "2.0", id, result: { _meta: { [MARK]: bytes } } }
}

/** Tells how long the answer was that this stands for; undefined if it is an answer. */
export function tooLongBy(result: McpFields): number | undefined {
  const bytes = fieldsOf(result._meta)[MARK]
  return typeof bytes === "number" ? bytes : undefined
}

/** Finds the id of the request that a message answers, which stands at one of its ends; ours are numbers. */
export function answeredBy({ start, end }: LongLine): number | undefined {
  const first = /^(?:data:\s*)?\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)/.exec(start)
  const last = /"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(end)
  const found = (first ?? last)?.[1]
  return found === undefined ? undefined : Number(found)
}
