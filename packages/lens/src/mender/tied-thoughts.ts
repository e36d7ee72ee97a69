import { capabilitiesOf } from "@sotto/core"
import { listField, stringField } from "@sotto/core/dialect"
import { locate, membersOf } from "../segments/locate.js"
import { type Carried, own } from "./carry.js"
import type { Mend } from "./contract.js"
import { contentOf, withMember, withoutElements, withoutMarkers } from "./json-text.js"
import type { Sheet } from "./sheet.js"
import { asWritten } from "./substitute.js"

/** True if the model refuses thinking once anything before it has changed. */
export function tiesThinking({ dialect, model }: Sheet): boolean {
  return dialect === "anthropic" && capabilitiesOf({ id: model, dialect }).tiedReasoning
}

/** A conversation without thinking that was produced under other bytes. */
export interface Unthought {
  readonly sent: readonly Carried[]
  /** True if some is left, because the turn that it belongs to is not over. */
  readonly asksToDrop: boolean
  readonly mends: readonly Mend[]
}

/**
 * Takes the thinking out of all turns that are over. While tools of a turn are being called, its thinking has to come
 * back: there the API is asked to drop what does not fit.
 */
export function withoutThinking(sheet: Sheet): Unthought {
  const messages = sheet.items.map((item) => JSON.parse(item) as unknown)
  const opening = openTurn(messages)
  const mends: Mend[] = []
  let asksToDrop = false
  const sent = asWritten(sheet).flatMap((one): readonly Carried[] => {
    const blocks = listField(messages[one.from], "content")
    if (!blocks.some(isThinking)) return [one]
    if (one.from > opening) {
      asksToDrop = true
      return [one]
    }
    mends.push({
      policy: "thinking",
      path: `${sheet.listName}[${one.from}]`,
      message: "Thinking that was produced under other bytes is left out.",
    })
    const json = sheet.items[one.from] ?? ""
    const content = contentOf(json)
    if (content === undefined || blocks.every(isThinking)) return []
    return [
      { ...one, frozen: own(withoutMarkers(withoutElements(json, content, (i) => isThinking(blocks[i])))) },
    ]
  })
  return { sent, asksToDrop, mends }
}

function isThinking(block: unknown): boolean {
  return /^(?:redacted_)?thinking$/.test(stringField(block, "type") ?? "")
}

/**
 * Finds the index of the message that opened the turn whose tool results come last; past the end if no turn is open.
 */
function openTurn(messages: readonly unknown[]): number {
  const answers = (message: unknown) =>
    listField(message, "content").some((block) => stringField(block, "type") === "tool_result")
  const said = messages.findLastIndex((message) => stringField(message, "role") === "user")
  if (!answers(messages[said])) return messages.length
  return messages.findLastIndex((message) => stringField(message, "role") === "user" && !answers(message))
}

export const ASKS_TO_DROP: Mend = {
  policy: "thinking",
  path: "thinking",
  message:
    "The API is asked to drop thinking that was produced under other bytes and belongs to a turn that goes on.",
}

/**
 * Writes a body that asks the API to drop thinking of other bytes. Such models think adaptively unless told otherwise.
 */
export function askingToDrop(body: string): string {
  const binding = '{"prefix_mismatch_behavior":"drop_block"}'
  const place = locate(body, "thinking")
  if (place !== undefined && body[place.start] === "{")
    return withMember(body, place.start, "block_binding", binding)
  const at = body.indexOf("{")
  if (membersOf(body, at).length === 0) return body
  return withMember(body, at, "thinking", `{"type":"adaptive","block_binding":${binding}}`)
}
