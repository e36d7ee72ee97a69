import { field, jsonIn, stringField } from "@sotto/core/dialect"
import type { SourceFormat, SourceItem } from "../call.js"
import { betasIn, callIn } from "./calls.js"
import { elementsAt } from "./elements.js"
import { endpointOf, isRequestBody } from "./endpoint.js"
import { type Recognised, recognise, type SourceLayout, TRIED } from "./format.js"
import { isObject, numberOf, timeOf } from "./json.js"
import { linesOf, type SourceLine } from "./lines.js"
import { claudeCodeItems } from "./sessions/claude-code.js"
import { codexItems } from "./sessions/codex.js"
import { geminiCliItems } from "./sessions/gemini-cli.js"
import { opencodeItems } from "./sessions/opencode.js"
import { piItems } from "./sessions/pi.js"
import { sottoItems } from "./sotto.js"

/** A recording of calls, or a session file of an agent. */
export interface TrafficSource {
  readonly name: string
  readonly format: SourceFormat
  /** Read as they are asked for. Can be gone through once. */
  readonly items: AsyncIterable<SourceItem>
}

/** Nothing that the lens reads. */
export class UnknownSource extends Error {
  override readonly name = "UnknownSource"
}

/** Characters of a text in which nothing is recognised: more of it is not kept to look further. */
const LONGEST_UNKNOWN = 256 * 1024 * 1024

/**
 * Recognises a source by its content. The text comes in pieces of any size; no more of it is kept than the line or
 * entry that is being read, and of a session file the conversation. Throws UnknownSource.
 */
export async function openSource(name: string, chunks: AsyncIterable<string>): Promise<TrafficSource> {
  const rest = chunks[Symbol.asyncIterator]()
  let beginning = ""
  let found: Recognised | undefined
  let lines = 0
  for (;;) {
    const { value, done } = await rest.next()
    if (!done) beginning += value
    // Until a line is complete there is rarely more to see than before, and after enough of them only at the end.
    if (done || beginning.length === value.length || (value.includes("\n") && lines < TRIED)) {
      found = recognise(beginning, done === true)
      lines = linesIn(beginning)
    }
    if (found !== undefined)
      return { name, format: found.format, items: itemsOf(name, found, again(beginning, rest)) }
    if (done || beginning.length > LONGEST_UNKNOWN) throw new UnknownSource(complaint(name, beginning))
  }
}

/** Counts the complete lines of a text, up to `TRIED`. */
function linesIn(text: string): number {
  let lines = 0
  for (let end = text.indexOf("\n"); end !== -1 && lines < TRIED; end = text.indexOf("\n", end + 1)) lines++
  return lines
}

/** Yields the calls of a source, and what of it is damaged. */
export async function* readCalls(name: string, chunks: AsyncIterable<string>): AsyncGenerator<SourceItem> {
  yield* (await openSource(name, chunks)).items
}

async function* again(beginning: string, rest: AsyncIterator<string>): AsyncGenerator<string> {
  yield beginning
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

function itemsOf(
  name: string,
  { format, layout }: Recognised,
  chunks: AsyncIterable<string>,
): AsyncIterable<SourceItem> {
  if (format === "har") return harItems(name, chunks)
  const lines = laidOut(layout, chunks)
  switch (format) {
    case "bodies":
    case "calls":
      return callItems(name, lines)
    case "sotto":
      return sottoItems(name, lines)
    case "claude-code":
      return claudeCodeItems(name, lines)
    case "codex":
      return codexItems(name, lines)
    case "pi":
      return piItems(name, lines)
    case "opencode":
      return opencodeItems(name, lines)
    case "gemini-cli":
      return geminiCliItems(name, lines)
  }
}

/** Yields the lines, the elements or the document that a text consists of. */
export function laidOut(layout: SourceLayout, chunks: AsyncIterable<string>): AsyncIterable<SourceLine> {
  switch (layout.is) {
    case "lines":
      return linesOf(chunks)
    case "list":
      return elementsAt(chunks, layout.path)
    case "document":
      return document(chunks)
  }
}

async function* document(chunks: AsyncIterable<string>): AsyncGenerator<SourceLine> {
  const pieces: string[] = []
  for await (const chunk of chunks) pieces.push(chunk)
  yield { number: 1, text: pieces.join("").replace(/^\uFEFF/, "") }
}

async function* callItems(source: string, lines: AsyncIterable<SourceLine>): AsyncGenerator<SourceItem> {
  for await (const line of lines) {
    const item = callIn(source, line)
    if (item !== undefined) yield item
  }
}

function complaint(name: string, text: string): string {
  if (text.trim() === "")
    return `${name} is empty. It should hold recorded requests, or the session of an agent.`
  return (
    `${name} has no format that Sotto can read. It should be JSONL of request bodies or of calls, a HAR file, a log of Sotto, ` +
    "or a session file of Claude Code, Codex, pi, opencode or Gemini CLI."
  )
}

async function* harItems(source: string, chunks: AsyncIterable<string>): AsyncGenerator<SourceItem> {
  for await (const { number, text } of elementsAt(chunks, ["log", "entries"])) {
    const entry = jsonIn(text)
    const found = isObject(entry) ? callOf(source, number, entry) : "is damaged"
    if (typeof found === "string")
      yield { type: "damage", damage: { source, number, message: `It ${found}.` } }
    else if (found !== undefined) yield found
  }
}

/** Returns undefined for a call to something other than a model, and a text to say what is wrong with it. */
function callOf(source: string, number: number, entry: object): SourceItem | string | undefined {
  const request = field(entry, "request")
  const url = stringField(request, "url") ?? ""
  const endpoint = endpointOf(url)
  if (endpoint === undefined || stringField(request, "method")?.toUpperCase() !== "POST") return undefined
  const text = contentOf(field(request, "postData"))
  if (text === undefined) return "has no request body"
  const body = jsonIn(text)
  if (!isRequestBody(body)) return "has a request body that is not JSON"
  const response = field(entry, "response")
  const status = numberOf(response, "status")
  const reply = contentOf(field(response, "content"))
  const at = timeOf(field(entry, "startedDateTime"))
  const ms = numberOf(entry, "time")
  const betas = betasIn(field(request, "headers"))
  const call = {
    source,
    number,
    ...endpoint,
    path: url.replace(/^[a-z]+:\/\/[^/]+/i, "").replace(/([?&]key=)[^&]*/, "$1…"),
    body,
    text,
    ...(at !== undefined && { at }),
    ...(ms !== undefined && { ms }),
    ...(betas && { betas }),
    ...(status !== undefined &&
      status > 0 && { response: { status, ...(reply !== undefined && { text: reply }) } }),
  }
  return { type: "call", call }
}

/** Decodes the text of a body. Some programs write it in base64, whatever it is. */
function contentOf(content: unknown): string | undefined {
  const text = stringField(content, "text")
  if (text === undefined || stringField(content, "encoding") !== "base64") return text
  try {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
    return new TextDecoder().decode(bytes)
  } catch {
    return undefined
  }
}
