import {
  type AssistantPart,
  createSession,
  type Entry,
  type Json,
  type Reply,
  type Request,
  restoreSession,
  type Session,
  SottoError,
} from "@sotto/core"
import * as anthropic from "@sotto/core/anthropic"
import * as gemini from "@sotto/core/gemini"
import * as openai from "@sotto/core/openai"
import * as chat from "@sotto/core/openai-chat"
import { describe, expect, it } from "vitest"
import { assistantParams } from "../src/dialects/anthropic/replay.js"
import { options } from "./support/session.js"
import { RESPONSES, STREAMS, type StreamEvent } from "./support/streams.js"

/** Fixed, so that CI mutates the same streams every time. A session that fails is named by its number. */
const SEED = Number(process.env.SOTTO_SEED || 20261118)
/** Streams for each API. SOTTO_RUNS is the number of all four together. */
const RUNS = Math.ceil(Number(process.env.SOTTO_RUNS || 2400) / 4)

const DIALECTS = {
  anthropic: {
    ...anthropic,
    problems: (request: Request) =>
      anthropic.validateSent(anthropic.encode(request), { betas: anthropic.betasOf(request) }),
    models: ["claude-sonnet-4-5", "claude-opus-5-5", "claude-opus-4-8"],
  },
  openai: {
    ...openai,
    problems: (request: Request) => openai.validate(openai.encode(request)),
    models: ["gpt-5.6", "gpt-4.1"],
  },
  "openai-chat": {
    ...chat,
    problems: (request: Request) => chat.validate(chat.encode(request)),
    models: ["gpt-5.6", "deepseek-reasoner", "qwen3-coder"],
  },
  gemini: {
    ...gemini,
    problems: (request: Request) =>
      gemini.validateSent(gemini.encode(request), { model: gemini.modelName(request) }),
    models: ["gemini-3-pro", "gemini-2.5-pro"],
  },
} as const

type Name = keyof typeof DIALECTS

/** Numbers that look random and are the same for the same seed. */
class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  below(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }
}

const nested = (depth: number) => JSON.parse(`${"[".repeat(depth)}1${"]".repeat(depth)}`) as Json

/** What no field is meant to hold, of every type. */
const ODD: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e300,
  "",
  " ",
  "\n\t",
  "\ud800",
  "bad name!",
  "5th",
  "-",
  "é",
  "x".repeat(300),
  "{",
  "null",
  "[]",
  '{"a":1e999}',
  "__proto__",
  "constructor",
  [],
  [[]],
  [null],
  [""],
  [1, "a", {}],
  {},
  { a: 1 },
  { type: "text", text: "" },
  { type: "tool_use", id: "stray", name: "read", input: {} },
  { type: "tool_result", tool_use_id: "stray", content: [] },
  { type: "reasoning", id: "rs_0" },
  { functionCall: { name: "read" } },
  { functionResponse: { name: "read", response: {} } },
  { cache_control: { type: "ephemeral" } },
  JSON.parse('{"__proto__":{"type":"text"}}') as Json,
  nested(30),
  nested(1010),
  JSON.stringify(nested(1010)),
]

/** Words that the APIs have themselves, in places where they do not belong. */
const WORDS = [
  ..."text thinking redacted_thinking tool_use tool_result server_tool_use message reasoning function_call".split(
    " ",
  ),
  ..."function_call_output computer_call image document thought sparkle constructor __proto__ end_turn pause_turn max_tokens".split(
    " ",
  ),
  ..."refusal completed incomplete failed length stop content_filter STOP SAFETY MALFORMED_FUNCTION_CALL".split(
    " ",
  ),
]

type Fields = Record<string, Json>
const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null

/** Every place of an event, as the object that holds it and its name there. */
function places(value: Json, found: [Fields, string][] = []): [Fields, string][] {
  if (isFields(value))
    for (const [name, inner] of Object.entries(value)) {
      found.push([value as Fields, name])
      places(inner, found)
    }
  return found
}

function mutateField(events: Json[], dice: Dice): void {
  const [holder, name] = dice.of(events.flatMap((event) => places(event))) ?? []
  if (holder === undefined || name === undefined) return
  const value = holder[name] as Json
  switch (dice.below(6)) {
    case 0:
      if (Array.isArray(holder)) holder.splice(Number(name), 1)
      else delete holder[name]
      break
    case 1:
      holder[dice.of(["type", "id", "text", "data", "extra", `${name}_`, "content", "name"])] = value
      delete holder[name]
      break
    case 2:
      holder[name] = dice.below(2) === 0 ? [value] : { [name]: value }
      break
    case 3:
      holder[name] = dice.of(WORDS)
      break
    default:
      holder[name] = structuredClone(dice.of(ODD))
  }
}

function mutateEvents(events: Json[], dice: Dice): void {
  const at = dice.below(events.length)
  const event = events[at] as Json
  switch (dice.below(6)) {
    case 0:
      events.splice(at, 1)
      break
    case 1:
      events.splice(at, 0, structuredClone(event))
      break
    case 2:
      events.splice(at, 1)
      events.splice(dice.below(events.length + 1), 0, event)
      break
    case 3:
      events.splice(at)
      break
    case 4:
      events.splice(at, 1 + dice.below(3))
      break
    default:
      events.splice(at, 0, structuredClone(dice.of(ODD)))
  }
}

const written = (events: readonly StreamEvent[]) =>
  events.map((event) => `data: ${event === "[DONE]" ? event : JSON.stringify(event)}\n\n`).join("")

const JUNK = [
  '"',
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "\\",
  "0",
  "-",
  "e9",
  "\n",
  "\n\n",
  "\u0000",
  "\\ud800",
  "null",
  "x",
]

function mutateText(text: string, dice: Dice): string {
  const at = dice.below(text.length)
  const length = 1 + dice.below(dice.of([1, 4, 60]))
  switch (dice.below(4)) {
    case 0:
      return text.slice(0, at) + text.slice(at + length)
    case 1:
      return text.slice(0, at) + dice.of(JUNK) + text.slice(at + dice.below(2))
    case 2:
      return text.slice(0, at) + text.slice(at, at + length).repeat(2) + text.slice(at + length)
    default:
      return text.slice(0, at)
  }
}

/** The data of the events of a stream, as text, after one to three mutations of one kind. */
function mutated(whole: readonly StreamEvent[], dice: Dice): readonly string[] {
  const kind = dice.below(3)
  const times = dice.of([1, 1, 1, 2, 3])
  const events = structuredClone(whole) as Json[]
  for (let i = 0; i < times && kind < 2 && events.length > 0; i++)
    (kind === 0 ? mutateField : mutateEvents)(events, dice)
  let text = written(events)
  for (let i = 0; i < times && kind === 2 && text !== ""; i++) text = mutateText(text, dice)
  return text
    .split(/\n\n/)
    .map((event) => event.replace(/^data: ?/gm, ""))
    .filter((data) => data !== "")
}

interface Outcome {
  streams: number
  taken: number
  requests: number
  readonly invalid: string[]
  readonly thrown: string[]
}

/** Runs one session on mutated streams: three turns with calls, each step answered by the next stream. */
class Run {
  readonly #dialect: (typeof DIALECTS)[Name]
  readonly #session: Session
  readonly #options: ReturnType<typeof options>
  readonly #dice: Dice
  readonly #outcome: Outcome
  readonly #name: Name
  readonly #label: string

  constructor(name: Name, number: number, outcome: Outcome) {
    this.#dice = new Dice(SEED + number * 7919)
    this.#name = name
    this.#dialect = DIALECTS[name]
    this.#outcome = outcome
    const think = this.#dice.of([undefined, "high"] as const)
    const id = this.#dice.of<string>(this.#dialect.models)
    this.#options = options({ model: { id, dialect: name, ...(think && { think }) } })
    this.#session = createSession(this.#options)
    this.#label = `${name} ${number} (${id})`
  }

  go(streams: number): void {
    for (let n = 0; n < streams; n++) {
      if (this.#session.phase === "idle") this.#session.say(`Go ${n}`)
      const request = this.#send()
      if (request === undefined) return
      this.#outcome.streams++
      // Now and then a provider uses the ids of an earlier reply again.
      const ids = this.#dice.below(4) === 0 ? 0 : n + 1
      const reply =
        this.#dice.below(5) === 0
          ? this.#decode(RESPONSES[this.#name](ids))
          : this.#read(mutated(STREAMS[this.#name](ids), this.#dice))
      this.#guard("reply", () => this.#take(request, reply))
    }
    this.#guard("abort", () => this.#session.abort())
    this.#session.say("And now?")
    this.#send()
  }

  /** The request that is due, checked as its provider would, and as a session that was restored would make it. */
  #send(): Request | undefined {
    return this.#guard("request", () => {
      const next = this.#session.next()
      if (next.is !== "request") throw new Error(`expected a request, got ${next.is}`)
      this.#outcome.requests++
      const problems = this.#dialect.problems(next.request).filter(({ severity }) => severity === "error")
      if (problems.length > 0)
        this.#outcome.invalid.push(
          `${this.#label}: ${problems.map(({ path, message }) => `${path}: ${message}`)[0]}`,
        )
      const log: Entry[] = JSON.parse(JSON.stringify(this.#session.log))
      const again = restoreSession(this.#options, log).pending
      const bytes = (one: Request) => Buffer.concat([...this.#dialect.encodeBytes(one)]).toString()
      expect(again.is === "request" && bytes(again.request)).toBe(bytes(next.request))
      expect(JSON.stringify(this.#dialect.encode(next.request))).toBe(bytes(next.request))
      return next.request
    })
  }

  /** The reply, or what had come of it. */
  #read(events: readonly string[]): { readonly reply: Reply; readonly isWhole: boolean } {
    const decoder = this.#dialect.decoder()
    const soFar = () => this.#guard("soFar", () => decoder.soFar()) ?? { parts: [] }
    try {
      for (const event of events) {
        // SDKs hand over objects, and own loops the text.
        decoder.push(this.#dice.below(2) === 0 ? event : event === "[DONE]" ? event : JSON.parse(event))
        if (this.#dice.below(4) === 0) soFar()
      }
      return { reply: decoder.end(), isWhole: true }
    } catch (error) {
      if (!(error instanceof SottoError || error instanceof SyntaxError)) this.#throws("read", error)
      return { reply: soFar(), isWhole: false }
    }
  }

  /** A response that was not streamed. */
  #decode(response: Json): { readonly reply: Reply; readonly isWhole: boolean } {
    const wrapped = [structuredClone(response)]
    for (let i = this.#dice.of([1, 1, 2, 5]); i > 0; i--) mutateField(wrapped, this.#dice)
    try {
      return { reply: this.#dialect.decode(JSON.parse(JSON.stringify(wrapped[0] ?? null))), isWhole: true }
    } catch (error) {
      if (!(error instanceof SottoError)) this.#throws("decode", error)
      return { reply: { parts: [] }, isWhole: false }
    }
  }

  #take(request: Request, { reply, isWhole }: { readonly reply: Reply; readonly isWhole: boolean }): void {
    const session = this.#session
    if (isWhole) {
      this.#outcome.taken++
      session.reply(request.id, reply)
      const next = session.pending
      for (const { id } of next.is === "waiting" ? next.calls : []) session.result(id, `output of ${id}`)
      return
    }
    session.partial(request.id, reply)
    session.abort()
  }

  #guard<T>(where: string, act: () => T): T | undefined {
    try {
      return act()
    } catch (error) {
      this.#throws(where, error)
      return undefined
    }
  }

  /** A reply that came from a decoder has to be taken: here, an error of Sotto's would be one too many. */
  #throws(where: string, error: unknown): void {
    this.#outcome.thrown.push(
      `${this.#label} ${where}: ${error instanceof Error ? error.stack : error}`.slice(0, 900),
    )
  }
}

describe("streams that were mutated at the level of bytes, events and fields", () => {
  it.each(Object.keys(DIALECTS) as readonly Name[])(
    "leave no session of %s with an invalid request, and raise nothing but errors of Sotto's",
    (name) => {
      const outcome: Outcome = { streams: 0, taken: 0, requests: 0, invalid: [], thrown: [] }
      for (let number = 0; outcome.streams < RUNS; number++) new Run(name, number, outcome).go(5)
      const { streams, taken, requests, invalid, thrown } = outcome
      if (process.env.SOTTO_RUNS)
        console.log(
          `${name}: ${streams} streams, ${taken} taken, ${requests} requests, ${invalid.length} invalid, ${thrown.length} thrown`,
        )
      expect({ invalid: [...new Set(invalid)].slice(0, 5), thrown: thrown.slice(0, 3) }).toEqual({
        invalid: [],
        thrown: [],
      })
      expect(taken).toBeGreaterThan(streams / 8)
    },
    600_000,
  )
})

/** A provider's own block that nobody decoded: handed in by hand, or from a log of an older Sotto. */
function forged(name: Name, dice: Dice): AssistantPart {
  const events = structuredClone(STREAMS[name](dice.below(3))) as Json[]
  for (let i = dice.below(3); i > 0; i--) mutateField(events, dice)
  const found = events.flatMap((event) => places(event)).map(([holder, field]) => holder[field] as Json)
  const block = dice.below(4) === 0 ? structuredClone(dice.of(ODD)) : (dice.of(found) ?? null)
  const sent = dice.below(6) === 0 && { sent: dice.of([...found, ...ODD]) }
  const verbatim = JSON.parse(JSON.stringify({ dialect: name, block, ...sent }))
  switch (dice.below(4)) {
    case 0:
      return { type: "text", text: dice.of(["words", "", " "]), verbatim }
    case 1:
      return {
        type: "tool-call",
        id: `c${dice.below(3)}`,
        name: dice.of(["read", "", "5th!"]),
        input: {},
        verbatim,
      }
    default:
      return { type: "reasoning", text: "", signature: dice.of(["", "s"]), verbatim }
  }
}

type Part = Json
const signed = { thoughtSignature: "c2ln" }
const gem = (...parts: readonly Part[]) => ({ candidates: [{ content: { parts }, finishReason: "STOP" }] })
const call = (name: string, args: Json = {}) => ({ functionCall: { name, args } })
const items = (...output: readonly Json[]) => ({ status: "completed", output })
const words = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello." }] }
const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "ZW5j" }
const claude = (...content: readonly Json[]) => ({ content, stop_reason: "end_turn" })
const text = { type: "text", text: "Hello." }

describe("a reply whose form the provider would refuse", () => {
  it.each<[string, Name, Json]>([
    ["a part without anything", "gemini", gem({ text: "a" }, {})],
    ["a part with a signature alone", "gemini", gem({ text: "a" }, signed)],
    ["a part that is a thought of nothing", "gemini", gem({ text: "a" }, { thought: true })],
    ["an unknown part", "gemini", gem({ text: "a" }, { hologram: { data: "x" } })],
    ["a part that is no object", "gemini", gem({ text: "a" }, 5, null, "x", [])],
    ["a signed call with a bad name", "gemini", gem({ ...call("bad name!"), ...signed })],
    ["a call whose name begins with a digit", "gemini", gem(call("5th"))],
    ["a signed call with arguments that are no object", "gemini", gem({ ...call("read", [1]), ...signed })],
    [
      "a signature that is no text",
      "gemini",
      gem({ text: "a", thoughtSignature: 5 }, { ...call("read"), thoughtSignature: null }),
    ],
    ["an image without data", "gemini", gem({ text: "a" }, { inlineData: { mimeType: "image/png" } })],
    [
      "a response that only a client writes",
      "gemini",
      gem({ text: "a" }, { functionResponse: { name: "read" } }),
    ],
    ["reasoning without a summary", "openai", items({ ...thought, summary: null }, words)],
    ["reasoning with a summary of something else", "openai", items({ ...thought, summary: [5] }, words)],
    ["reasoning twice in one reply", "openai", items(thought, thought, words)],
    ["reasoning with an id that is no text", "openai", items({ ...thought, id: 5 }, words)],
    ["reasoning before an unknown item", "openai", items(thought, { type: "hologram", id: "h_1" }, words)],
    [
      "a call that another client would answer",
      "openai",
      items(words, { type: "computer_call", id: "cu_1", call_id: "c" }),
    ],
    ["an item that is no object", "openai", items(words, 5, null)],
    ["redacted thinking without data", "anthropic", claude({ type: "redacted_thinking" }, text)],
    [
      "redacted thinking with a field too many",
      "anthropic",
      claude({ type: "redacted_thinking", data: "x", text: "" }, text),
    ],
    [
      "a result in a reply",
      "anthropic",
      claude({ type: "tool_result", tool_use_id: "x", content: [] }, text),
    ],
    ["a block that is no object", "anthropic", claude(text, 5, null)],
    [
      "blank words inside the provider's own block",
      "anthropic",
      claude({ type: "x_tool_result", content: [{ type: "text", text: "" }] }, text),
    ],
  ])("is kept as it came, and goes back otherwise: %s", (_, name, response) => {
    const { decode, problems, models } = DIALECTS[name]
    for (const id of models) {
      const session = createSession(options({ model: { id, dialect: name } }))
      // The same reply comes three times, with the same ids.
      for (let turn = 0; turn < 3; turn++) {
        if (session.phase === "idle") session.say(`Go ${turn}`)
        const next = session.next()
        if (next.is !== "request") throw new Error(`expected a request, got ${next.is}`)
        expect(problems(next.request).filter(({ severity }) => severity === "error")).toEqual([])
        session.reply(next.request.id, decode(response))
        const pending = session.pending
        for (const { id: callId } of pending.is === "waiting" ? pending.calls : [])
          session.result(callId, "ok")
      }
      const verbatim = session.log.flatMap((entry) =>
        entry.type === "replied" ? entry.reply.parts.flatMap((part) => part.verbatim ?? []) : [],
      )
      const came = places(response).map(([holder, field]) => JSON.stringify(holder[field]))
      for (const { block } of verbatim) expect(came).toContain(JSON.stringify(block))
    }
  })

  it("records what goes back instead, so that another version of Sotto sends the same", () => {
    const part = gemini.decode(gem({ ...call("bad name!"), ...signed })).parts[0]
    expect(part?.verbatim).toEqual({
      dialect: "gemini",
      block: { ...call("bad name!"), ...signed },
      sent: { functionCall: { name: "bad_name_", args: {} }, ...signed },
    })
    expect(gemini.decode(gem({ hologram: {} })).parts[0]?.verbatim?.sent).toBeNull()
    expect(gemini.decode(gem({ ...call("read"), ...signed })).parts[0]?.verbatim).not.toHaveProperty("sent")
  })

  it("sends a search of the provider's back with its result, and never without it", () => {
    const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "a" } }
    const result = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] }
    const sent = (stop_reason: string, ...content: readonly Json[]) =>
      anthropic.decode({ content, stop_reason }).parts.map(({ verbatim }) => verbatim?.sent)
    expect(sent("end_turn", search, result)).toEqual([undefined, undefined])
    expect(sent("end_turn", search, text)).toEqual([null, undefined])
    expect(sent("pause_turn", text, search)).toEqual([undefined, null])
  })

  it("sends what a search proved back with the words that quote it, and drops what proves nothing", () => {
    const quote = {
      type: "web_search_result_location",
      url: "https://a",
      title: null,
      cited_text: "x",
      encrypted_index: "proof",
    }
    const sent = (...citations: readonly Json[]) => {
      const { parts } = anthropic.decode({
        content: [{ type: "text", text: "Words.", citations }],
        stop_reason: "end_turn",
      })
      return parts.flatMap(assistantParams)
    }
    expect(sent(quote)).toEqual([{ type: "text", text: "Words.", citations: [quote] }])
    const { encrypted_index: _, ...unproven } = quote
    expect(sent(unproven, { type: "char_location" }, null, quote)).toEqual([
      { type: "text", text: "Words.", citations: [quote] },
    ])
    expect(sent(unproven)).toEqual([{ type: "text", text: "Words." }])
  })
})

describe("replies that are handed in with blocks of any shape", () => {
  it.each(Object.keys(DIALECTS) as readonly Name[])("go back to %s only in a form that it takes", (name) => {
    const { problems, models } = DIALECTS[name]
    for (let number = 0; number < RUNS; number++) {
      const dice = new Dice(SEED ^ (number * 104_729))
      const session = createSession(options({ model: { id: dice.of<string>(models), dialect: name } }))
      for (let turn = 0; turn < 3; turn++) {
        if (session.phase === "idle") session.say(`Go ${turn}`)
        const next = session.next()
        if (next.is !== "request") throw new Error(`expected a request, got ${next.is}`)
        expect(
          problems(next.request).filter(({ severity }) => severity === "error"),
          `${name} ${number}`,
        ).toEqual([])
        const parts = Array.from({ length: 1 + dice.below(3) }, () => forged(name, dice))
        try {
          session.reply(next.request.id, { parts })
        } catch (error) {
          // Only what no log can hold is refused.
          expect(error).toMatchObject({
            code: "bad-input",
            message: expect.stringContaining("nested more than"),
          })
        }
        const pending = session.pending
        for (const { id } of pending.is === "waiting" ? pending.calls : []) session.result(id, "ok")
      }
    }
  })
})
