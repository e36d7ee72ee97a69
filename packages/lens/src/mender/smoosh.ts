import { listField, stringField } from "@sotto/core/dialect"
import { membersOf } from "../segments/locate.js"
import { holdsInResult } from "../segments/reminders/recognise.js"
import { blocksIn, contentOf, inResult, markerIn, replaced, withMember } from "./json-text.js"

/**
 * Moves the reminders that follow tool results in a message of Anthropic's API into the last of these results. The outcome
 * depends on the message alone. Only the first `most` blocks are looked at: a message that was sent already may have got
 * more since, and what was sent must stay.
 *
 * Only what stands in the tags of `RESULT_TAGS` moves. Other tags may hold words of a user, such as the arguments of a
 * command, and inside of a result they would read like the tool's.
 */
export function smooshed(json: string, most = Number.POSITIVE_INFINITY): string {
  const message: unknown = JSON.parse(json)
  const content = contentOf(json)
  const blocks = listField(message, "content")
  const spans = blocksIn(json)
  if (content === undefined || stringField(message, "role") !== "user" || spans.length !== blocks.length)
    return json
  const isResult = (block: unknown, i: number) => i < most && stringField(block, "type") === "tool_result"
  const first = blocks.findIndex(isResult)
  const host = blocks.findLastIndex(isResult)
  if (first < 0 || hasReference(blocks[host])) return json
  const isMoved = (i: number) => i > first && i < most && isReminder(blocks[i])

  const moved: string[] = []
  const kept = new Map<number, string>()
  let lastKept = first
  for (const [i, { start, end }] of spans.entries()) {
    const block = json.slice(start, end)
    if (isMoved(i)) {
      const [marker] = markerIn(block, 0)
      moved.push(marker === undefined ? block : replaced(block, marker, ""))
      kept.set(lastKept, withMarkerOf(kept.get(lastKept) ?? "", block))
    } else {
      kept.set(i, block)
      lastKept = i
    }
  }
  if (moved.length === 0) return json
  kept.set(host, inResult(kept.get(host) ?? "", ...moved))
  return replaced(json, content, `[${[...kept.values()].join(",")}]`)
}

function isReminder(block: unknown): boolean {
  return stringField(block, "type") === "text" && holdsInResult(stringField(block, "text") ?? "")
}

/** True if a result refers to tools: no document says whether it may hold text too. */
function hasReference(result: unknown): boolean {
  return listField(result, "content").some((block) => stringField(block, "type") === "tool_reference")
}

const MARKER = "cache_control"

/**
 * Gives the cache marker of a block that moves to the block before it that stays: it ends the same stretch of the request
 * there. One that stands there already stays as it is.
 */
function withMarkerOf(block: string, moved: string): string {
  const own = (json: string) => membersOf(json).find(({ name }) => name === MARKER)
  const marker = own(moved)
  if (marker === undefined || own(block) !== undefined) return block
  return withMember(block, 0, MARKER, moved.slice(marker.start, marker.end))
}
