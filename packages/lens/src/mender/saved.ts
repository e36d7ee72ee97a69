import { field, jsonIn, listField, stringField } from "@sotto/core/dialect"
import type { HttpDialectName } from "../call.js"
import { number } from "../segments/json.js"
import { slotsOf } from "../segments/slots.js"
import { snapshotOf, spacingOf } from "../segments/snapshot.js"
import { Strand } from "../threads/strand.js"
import type { Carried } from "./carry.js"
import { sheetOf } from "./sheet.js"
import { freshSubstitute, type Substitute } from "./substitute.js"

const VERSION = 1
const MOST_THREADS = 32
/** In characters, over all threads. */
const LONGEST = 16_000_000

/** Writes what has to survive a restart, the newest strand first. */
export function savedText(substitutes: readonly Substitute[]): string {
  let length = 0
  const kept = substitutes.slice(0, MOST_THREADS).filter((substitute, i) => {
    length += substitute.original.text.length
    return i === 0 || length <= LONGEST
  })
  return JSON.stringify({ version: VERSION, threads: kept.map(writtenSubstitute) })
}

function writtenSubstitute(substitute: Substitute): unknown {
  const { strand, original, path, tools, system, head, sent, spoken, unsaid } = substitute
  const { marks, formerMarks, isMended, asksToDrop, isRefused } = substitute
  return {
    dialect: original.dialect,
    path,
    body: original.text,
    ...(tools !== undefined && { tools }),
    ...(system !== undefined && { system }),
    ...(head !== undefined && { head }),
    sent,
    // Counted from 0, as earlier versions wrote it.
    step: strand.calls - 1,
    spoken: [...spoken],
    unsaid: [...unsaid],
    marks,
    formerMarks,
    isMended,
    asksToDrop,
    isRefused,
  }
}

/** Reads the strands of a text that `savedText` wrote, the oldest first. Leaves out what is damaged. */
export function restored(saved: string | undefined, source: string): readonly Substitute[] {
  const state = jsonIn(saved)
  if (field(state, "version") !== VERSION) return []
  return listField(state, "threads")
    .toReversed()
    .flatMap((one) => {
      try {
        return substituteOf(one, source)
      } catch {
        return []
      }
    })
}

const DIALECTS: readonly string[] = ["anthropic", "openai", "openai-chat", "gemini"]

function substituteOf(value: unknown, source: string): readonly Substitute[] {
  const dialect = stringField(value, "dialect") ?? ""
  const body = stringField(value, "body")
  const path = stringField(value, "path") ?? ""
  if (!DIALECTS.includes(dialect) || body === undefined) return []
  const sheet = sheetOf({ dialect: dialect as HttpDialectName, path, body })
  if (sheet === undefined) return []
  const sent = listField(value, "sent").map(carriedOf)
  const head = field(value, "head")
  if (sent.includes(undefined) || (head !== undefined && !isTexts(head))) return []
  const slots = slotsOf(sheet.body, sheet.dialect, sheet.model === "" ? undefined : sheet.model)
  const tip = snapshotOf(slots, sheet.dialect, spacingOf(body))
  const strand = new Strand({ source, number: 0, body: sheet.body }, sheet.model, 0, tip, undefined, false)
  strand.calls = number(value, "step") + 1
  return [
    {
      ...freshSubstitute(strand, sheet, path),
      tools: stringField(value, "tools"),
      system: stringField(value, "system"),
      head: head as readonly string[] | undefined,
      sent: sent as readonly Carried[],
      spoken: new Map(listField(value, "spoken").filter(isCount)),
      unsaid: new Set(listField(value, "unsaid").filter((one) => typeof one === "string")),
      marks: numbersIn(value, "marks"),
      formerMarks: numbersIn(value, "formerMarks"),
      isMended: field(value, "isMended") === true,
      asksToDrop: field(value, "asksToDrop") === true,
      isRefused: field(value, "isRefused") === true,
    },
  ]
}

function carriedOf(value: unknown): Carried | undefined {
  const from = field(value, "from")
  const frozen = field(value, "frozen")
  if (typeof from !== "number") return undefined
  if (frozen !== undefined) {
    if (typeof frozen !== "string") return undefined
    JSON.parse(frozen)
  } else if (from < 0) return undefined
  const withheld = listField(value, "withheld").filter((one) => typeof one === "string")
  const smooshed = number(value, "smooshed")
  return {
    from,
    ...(frozen !== undefined && { frozen }),
    ...(withheld.length > 0 && { withheld }),
    ...(smooshed > 0 && { smooshed }),
  }
}

function numbersIn(value: unknown, name: string): readonly number[] {
  return listField(value, name).filter((one) => typeof one === "number")
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string")
}

function isCount(value: unknown): value is [string, number] {
  return Array.isArray(value) && typeof value[0] === "string" && typeof value[1] === "number"
}
