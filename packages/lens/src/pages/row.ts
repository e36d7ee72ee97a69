import { redact } from "@sotto/core/secrets"
import { assumedIn, type Prices } from "../money/prices.js"
import { wordsOf } from "../segments/words.js"
import type { KeptCall } from "./kept.js"
import type { CallRow } from "./page.js"
import { replyIn } from "./reply.js"

/** How much of a text a list shows. */
const BEGINNING = 160

export function rowOf(
  kept: KeptCall,
  place: Pick<CallRow, "thread" | "call">,
  mends: number,
  prices: Prices | undefined,
): CallRow {
  const { n, call, strand, model, tokens, kinds, break: found } = kept
  const { at, ms } = call
  const price = prices?.(model)
  const known = new Set(kept.before === undefined ? [] : kept.before.tail.map(({ hash }) => hash))
  const reminders = kept.tail
    .filter(({ hash }) => !known.has(hash))
    .flatMap((segment) => segment.reminders.map(({ kind, tokens }) => ({ kind, tokens })))
  const { said, tools } = answerOf(kept)
  const asked = askedIn(kept)
  const failed = failureOf(kept)
  return {
    n,
    ...place,
    ...(at !== undefined && { at }),
    ...(ms !== undefined && { ms }),
    dialect: strand.dialect,
    model,
    tokens,
    ...(price && { money: moneyOf(tokens, price), ...assumedIn(price) }),
    kinds,
    reminders,
    tools,
    ...(said && { said }),
    ...(asked && { asked }),
    ...(found && { break: { cause: found.cause, lostTokens: found.lostTokens } }),
    ...(mends > 0 && { mends }),
    ...(failed && { failed }),
  }
}

export function moneyOf(
  { sent, read, written, output = 0 }: CallRow["tokens"],
  price: NonNullable<ReturnType<Prices>>,
) {
  const plain = Math.max(0, sent - read - written)
  const tokens =
    plain * price.input + read * price.cacheRead + written * price.cacheWrite + output * (price.output ?? 0)
  return tokens / 1e6
}

function answerOf({ call, strand }: KeptCall): Pick<CallRow, "said" | "tools"> {
  const parts = replyIn(call.response, strand.dialect)?.parts ?? []
  const said = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ")
  const tools = parts.flatMap((part) =>
    part.type === "tool-call"
      ? [{ id: part.id, name: part.name, about: beginning(JSON.stringify(part.input)) }]
      : [],
  )
  return { ...(said !== "" && { said: beginning(said) }), tools }
}

function askedIn({ tail }: KeptCall): string | undefined {
  const words = tail
    .filter(({ kind, role, isReminder }) => kind === "text" && role === "user" && !isReminder)
    .map((segment) =>
      segment.reminders.reduce((rest, reminder) => rest.replace(reminder.text, ""), wordsOf(segment)).trim(),
    )
    .filter((text) => text !== "")
    .at(-1)
  return words === undefined ? undefined : beginning(words)
}

function failureOf({ call: { response, error } }: KeptCall): string | undefined {
  if (response !== undefined && (response.status ?? 200) >= 400) return `status ${response.status}`
  return error
}

function beginning(text: string): string {
  const line = redact(text.slice(0, BEGINNING * 4))
    .replaceAll(/\s+/g, " ")
    .trim()
  return line.length > BEGINNING ? `${line.slice(0, BEGINNING)}…` : line
}
