import { stringField } from "@sotto/core/dialect"
import { exactJson } from "../segments/json.js"
import { asSmooshed, type Carried } from "./carry.js"
import { blocksIn, markerOf, replaced, withMarker } from "./json-text.js"
import { partOf, type Sheet } from "./sheet.js"
import type { Substitute } from "./substitute.js"

/** The parts of a body that may differ from the original's, as text. */
export interface ComposedParts {
  readonly tools: string | undefined
  readonly system: string | undefined
  /** Messages at the top that are the system prompt, and the conversation. */
  readonly items: readonly string[]
}

export function partsOf(
  sheet: Sheet,
  substitute: Pick<Substitute, "tools" | "system" | "head" | "sent">,
): ComposedParts {
  const held = (part: "tools" | "system") => {
    const now = partOf(sheet, part)
    const first = substitute[part]
    return now === undefined || first === undefined ? now : remarked(first, now)
  }
  const above = sheet.items.slice(0, sheet.head)
  const head = substitute.head?.map((item, i) => remarked(item, above[i])) ?? above
  return {
    tools: held("tools"),
    system: held("system"),
    items: [...head, ...substitute.sent.map((one) => itemText(one, sheet))],
  }
}

function itemText(one: Carried, { items }: Sheet): string {
  const now = items[one.from]
  const moved = now === undefined ? undefined : asSmooshed(now, one)
  return one.frozen === undefined ? (moved ?? "") : remarked(one.frozen, moved)
}

/** Writes the body with these parts. What is the same keeps its bytes, the white space around it included. */
export function compose(sheet: Sheet, { tools, system, items }: ComposedParts): string {
  const isSame = items.length === sheet.items.length && items.every((item, i) => item === sheet.items[i])
  const changes = [
    ...(sheet.tools && tools !== undefined ? [{ span: sheet.tools, text: tools }] : []),
    ...(sheet.system && system !== undefined ? [{ span: sheet.system, text: system }] : []),
    ...(isSame ? [] : [{ span: sheet.list, text: `[${items.join(",")}]` }]),
  ]
  return changes
    .sort((a, b) => b.span.start - a.span.start)
    .reduce((body, { span, text }) => replaced(body, span, text), sheet.text)
}

/** Puts the harness's cache markers of a message on what goes out in its place. */
function remarked(held: string, now: string | undefined): string {
  if (now === undefined || !now.includes('"cache_control"')) return held
  const targets = blocksIn(held).map(({ start, end }) => JSON.parse(held.slice(start, end)) as unknown)
  return blocksIn(now).reduce((json, block) => {
    const marker = markerOf(now, block)
    if (marker === undefined) return json
    const wanted = exactJson(JSON.parse(now.slice(block.start, block.end)), true)
    const same = targets.findIndex((one) => exactJson(one, true) === wanted)
    const index =
      same >= 0 ? same : targets.findLastIndex((one) => !/thinking$/.test(stringField(one, "type") ?? ""))
    return withMarker(json, Math.max(0, index), marker)
  }, held)
}
