import type { Capabilities } from "@sotto/core"
import { field, listField, stringField } from "@sotto/core/dialect"
import type { HttpDialectName } from "../call.js"
import { elementsOf } from "../segments/locate.js"
import { contentOf, inResult, replaced, withElement } from "./json-text.js"
import { isReply, roleOf } from "./sheet.js"
import { plainText, type Statement, taggedText } from "./statement.js"

/** A message that goes out for the first time. */
export interface Fresh {
  /** Its index in the original; -1 if the mender wrote it. */
  readonly from: number
  readonly json: string
}

/** Who is spoken to: it decides how the model is told something. */
export interface Recipient {
  readonly dialect: HttpDialectName
  readonly capabilities: Capabilities
  /** The role of the harness's own messages in this conversation. */
  readonly systemRole: "system" | "developer"
}

/** Puts statements into what is new, before its instructions; undefined if nothing there can take them. */
export function told(
  fresh: readonly Fresh[],
  statements: readonly Statement[],
  listener: Recipient,
): readonly Fresh[] | undefined {
  if (statements.length === 0) return fresh
  const { dialect, capabilities } = listener
  const isApart = ({ authority }: Statement) => capabilities.systemMessages && authority === "system"
  const beside = statements.filter((one) => !isApart(one))
  const apart = statements.filter(isApart)
  const last = fresh.at(-1)
  if (
    last !== undefined &&
    isReply(JSON.parse(last.json), dialect) &&
    !fresh.some((one) => isSaid(one, dialect))
  )
    return undefined
  const spoken = beside.length === 0 ? fresh : besideWords(fresh, taggedText(beside), listener)
  return apart.length === 0 ? spoken : withAuthority(spoken, plainText(apart), listener)
}

function roleIn({ json }: Fresh, dialect: HttpDialectName): string {
  return roleOf(JSON.parse(json), dialect)
}

function isSaid(one: Fresh, dialect: HttpDialectName): boolean {
  return roleIn(one, dialect) === "user"
}

function lastSaid(fresh: readonly Fresh[], dialect: HttpDialectName): number {
  return fresh.findLastIndex((one) => isSaid(one, dialect))
}

function besideWords(
  fresh: readonly Fresh[],
  words: string,
  { dialect, capabilities }: Recipient,
): readonly Fresh[] {
  const at = lastSaid(fresh, dialect)
  const host = fresh[at]
  const change = (json: string) => fresh.map((one, i) => (i === at ? { ...one, json } : one))
  switch (dialect) {
    case "anthropic":
      return host === undefined
        ? [...fresh, { from: -1, json: message("user", words) }]
        : change(inAnthropic(host.json, words, capabilities))
    case "gemini":
      return host === undefined
        ? [...fresh, { from: -1, json: JSON.stringify({ role: "user", parts: [{ text: words }] }) }]
        : change(inGemini(host.json, words))
    case "openai":
      return inserted(
        fresh,
        at,
        JSON.stringify({ type: "message", role: "user", content: [{ type: "input_text", text: words }] }),
      )
    case "openai-chat":
      // Some servers want roles to alternate, and some take no lists.
      return host === undefined || fresh.slice(at + 1).some((one) => roleIn(one, dialect) === "tool")
        ? [...fresh, { from: -1, json: JSON.stringify({ role: "user", content: words }) }]
        : change(inChat(host.json, words))
  }
}

function withAuthority(
  fresh: readonly Fresh[],
  words: string,
  { dialect, systemRole }: Recipient,
): readonly Fresh[] {
  if (dialect === "openai")
    return inserted(
      fresh,
      lastSaid(fresh, dialect),
      JSON.stringify({ type: "message", role: systemRole, content: [{ type: "input_text", text: words }] }),
    )
  if (dialect === "openai-chat")
    return inserted(fresh, lastSaid(fresh, dialect), JSON.stringify({ role: systemRole, content: words }))
  const last = fresh.at(-1)
  const content = last && contentOf(last.json)
  if (last === undefined || content === undefined || roleIn(last, dialect) !== "system")
    return [...fresh, { from: -1, json: message("system", words) }]
  // The harness ends with a message of its own: two in a row are refused.
  return [...fresh.slice(0, -1), { ...last, json: firstBlock(last.json, block(words)) }]
}

/** Inserts before the words with this index, or at the end if the index is negative. */
function inserted(fresh: readonly Fresh[], at: number, json: string): readonly Fresh[] {
  const place = at < 0 ? fresh.length : at
  return [...fresh.slice(0, place), { from: -1, json }, ...fresh.slice(place)]
}

function block(words: string): string {
  return JSON.stringify({ type: "text", text: words })
}

function message(role: string, words: string): string {
  return `{"role":${JSON.stringify(role)},"content":[${block(words)}]}`
}

/**
 * Puts the words inside the last tool result where the model would take text after one for a new turn; else before what
 * is said.
 */
function inAnthropic(json: string, words: string, { toolResultReminders }: Capabilities): string {
  const blocks = listField(JSON.parse(json), "content")
  const result = blocks.findLastIndex((one) => stringField(one, "type") === "tool_result")
  const content = contentOf(json)
  if (content === undefined) return json
  if (result < 0) return firstBlock(json, block(words))
  if (!toolResultReminders) return withElement(json, content, result + 1, block(words))
  const span = elementsOf(json, content.start)[result]
  if (span === undefined) return json
  const inner = json.slice(span.start, span.end)
  return replaced(json, span, inResult(inner, block(words)))
}

/** Puts a block before everything else that is said; a bare text becomes a list. */
function firstBlock(json: string, first: string): string {
  const content = contentOf(json)
  if (content === undefined) return json
  if (json[content.start] === "[") return withElement(json, content, 0, first)
  return replaced(
    json,
    content,
    `[${first},{"type":"text","text":${json.slice(content.start, content.end)}}]`,
  )
}

function inGemini(json: string, words: string): string {
  const parts = contentOf(json)
  if (parts === undefined || json[parts.start] !== "[") return json
  const after = listField(JSON.parse(json), "parts").findLastIndex(
    (part) => field(part, "functionResponse") !== undefined,
  )
  return withElement(json, parts, after + 1, JSON.stringify({ text: words }))
}

function inChat(json: string, words: string): string {
  const content = contentOf(json)
  if (content === undefined) return json
  if (json[content.start] === "[") return withElement(json, content, 0, block(words))
  const said = stringField(JSON.parse(json), "content") ?? ""
  return replaced(json, content, JSON.stringify(`${words}\n\n${said}`))
}
