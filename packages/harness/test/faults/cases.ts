import { gzipSync } from "node:zlib"
import { type Answer, body, cut, stream, type TurnResult } from "./server.js"
import type { Api, Event } from "./wire.js"

/** One fault, and what has to come of it. */
export interface Case {
  readonly group: string
  readonly fault: string
  readonly answers: readonly Answer[]
  readonly expected: Partial<TurnResult> & Pick<TurnResult, "reason" | "requests">
  /** A part of what the user is told. */
  readonly tells?: string
  /** Silence is not borne for long. */
  readonly isQuiet?: boolean
}

/** Calls in all, before a failure that may pass is taken as one. */
const ATTEMPTS = 8
/** Sizes in which a summary is asked for, each smaller than the one before. */
const SUMMARIES = 4
const WORDS = "Some words to say."
const done = { reason: "done", said: "Done." } as const

export function casesOf(api: Api): readonly Case[] {
  return [
    ...statuses(api),
    ...cuts(api),
    ...stops(api),
    ...overflows(api),
    ...malformed(api),
    ...repeated(api),
    ...reordered(api),
    ...sizes(api),
    ...silences(api),
    ...strangers(api),
  ]
}

function good(api: Api): Answer {
  return stream(api.reply("Done."))
}

function statuses(api: Api): readonly Case[] {
  const group = "HTTP status"
  const failing = (status: number, headers = {}) =>
    body(status, api.error(status, `It is ${status}.`), headers)
  const lasting = [400, 401, 403, 404, 422].map(
    (status): Case => ({
      group,
      fault: `${status}`,
      answers: [failing(status)],
      expected: { reason: "error", requests: 1 },
      tells: `The provider answered ${status}: It is ${status} (${api.model} at `,
    }),
  )
  const passing = [408, 409, 429, 500, 502, 503, 504, 529].flatMap((status): Case[] => [
    {
      group,
      fault: `${status}, once`,
      answers: [failing(status), good(api)],
      expected: { ...done, requests: 2, retries: 1 },
    },
    {
      group,
      fault: `${status}, always`,
      answers: [failing(status)],
      expected: { reason: "error", requests: ATTEMPTS, retries: ATTEMPTS - 1 },
      tells: `The provider answered ${status}: It is ${status} (${api.model} at `,
    },
  ])
  return [
    ...lasting,
    ...passing,
    {
      group,
      fault: "429, once, with `retry-after: 1`",
      answers: [failing(429, { "retry-after": "1" }), good(api)],
      expected: { ...done, requests: 2 },
    },
    {
      group,
      fault: "429 with `retry-after: 999`",
      answers: [failing(429, { "retry-after": "999" })],
      expected: { reason: "error", requests: 1 },
    },
    {
      group,
      fault: "413, always",
      answers: [failing(413)],
      expected: { reason: "overflow", requests: 1 + SUMMARIES },
    },
    {
      group,
      fault: "an error in mid-stream, once",
      answers: [stream([...api.reply(WORDS).slice(0, 3), api.errorEvent("Overloaded.")]), good(api)],
      expected: { ...done, requests: 2, retries: 1 },
    },
  ]
}

/** A reply of words and a call, then the answer to the call's result. */
function working(api: Api, first: readonly Answer[]): readonly Answer[] {
  return [...first, stream(api.reply(WORDS, { call: "whole" })), good(api)]
}

/** After how many events the reply is known to be whole, if the connection breaks then; Gemini's never is. */
function wholeAfter(api: Api, count: number): number {
  if (api.name === "gemini") return Number.POSITIVE_INFINITY
  // A finish_reason ends it; figures and "[DONE]" only follow.
  return api.name === "openai-chat" ? count - 2 : count
}

function cuts(api: Api): readonly Case[] {
  const events = api.reply(WORDS, { call: "whole" })
  const broken = Array.from({ length: events.length + 1 }, (_, count): Case => {
    const isWhole = count >= wholeAfter(api, events.length)
    return {
      group: "the connection breaks",
      fault: `after event ${count} of ${events.length}`,
      answers: isWhole
        ? [cut(events.slice(0, count)), good(api)]
        : working(api, [cut(events.slice(0, count))]),
      expected: { ...done, requests: isWhole ? 2 : 3, calls: 1 },
    }
  })
  const short = Array.from({ length: events.length - 1 }, (_, i): Case => {
    const count = i + 1
    const isWhole = api.name === "openai-chat" && count >= events.length - 2
    return {
      group: "the stream ends as if it were complete",
      fault: `after event ${count} of ${events.length}`,
      answers: isWhole
        ? [stream(events.slice(0, count)), good(api)]
        : working(api, [stream(events.slice(0, count))]),
      expected: { ...done, requests: isWhole ? 2 : 3, calls: 1 },
    }
  })
  const last = events.at(-1) ?? ""
  return [
    ...broken,
    ...short,
    {
      group: "the stream ends as if it were complete",
      fault: "inside the first event",
      answers: [stream([(events[0] ?? "").slice(0, 30)]), good(api)],
      expected: { ...done, requests: 2 },
    },
    {
      group: "the connection breaks",
      fault: "inside the last event, always",
      answers: [cut([...events.slice(0, api.name === "openai-chat" ? -3 : -1), last.slice(0, 8)])],
      expected: { reason: "error", requests: ATTEMPTS, calls: 0 },
      tells: "connection was lost",
    },
  ]
}

function stops(api: Api): readonly Case[] {
  const group = "the model stops"
  const plain = Object.entries(api.stops).map(([stop, reason]): Case => {
    const reply = stream(api.reply(WORDS, { stop }))
    if (stop === "pause_turn")
      return { group, fault: stop, answers: [reply, good(api)], expected: { ...done, requests: 2 } }
    const requests = reason === "overflow" || stop === "MALFORMED_FUNCTION_CALL" ? 2 : 1
    return { group, fault: stop, answers: [reply], expected: { reason, requests } }
  })
  const pauses = Object.hasOwn(api.stops, "pause_turn")
    ? [
        {
          group,
          fault: "pause_turn, always",
          answers: [stream(api.reply(WORDS, { stop: "pause_turn" }))],
          expected: { reason: "error" as const, requests: 21 },
          tells: "paused again and again",
        },
      ]
    : []
  const limit = Object.entries(api.stops).find(([, reason]) => reason === "length")?.[0] ?? ""
  const refusal = Object.entries(api.stops).find(([, reason]) => reason === "refused")?.[0]
  const inCall = stream(api.reply(WORDS, { stop: limit, call: "cut" }))
  return [
    ...plain,
    ...pauses,
    // Gemini sends its calls whole.
    ...(api.name === "gemini"
      ? []
      : [
          {
            group,
            fault: `${limit} inside a call, once`,
            answers: [inCall, good(api)],
            expected: { ...done, requests: 2, calls: 0 },
            tells: "inside a call of glob",
          },
          {
            group,
            fault: `${limit} inside a call, always`,
            answers: [inCall],
            expected: { reason: "length", requests: 2, calls: 0 },
            tells: "inside a call of glob",
          },
        ]),
    ...(refusal === undefined
      ? []
      : [
          {
            group,
            fault: `${refusal} after a call`,
            answers: [stream(api.reply(WORDS, { stop: refusal, call: "whole" }))],
            expected: { reason: "refused", requests: 1, calls: 0 },
          },
        ]),
  ]
}

function overflows(api: Api): readonly Case[] {
  const group = "the conversation is too long"
  const { status, message } = api.overflow
  const full = body(status, api.error(status, message))
  return [
    {
      group,
      fault: `${status}, once`,
      answers: [full, stream(api.reply("A summary.")), good(api)],
      expected: { ...done, requests: 3 },
    },
    {
      group,
      fault: `${status}, and again after a compaction`,
      answers: [full, stream(api.reply("A summary.")), full],
      expected: { reason: "overflow", requests: 3 },
      tells: "start a new session",
    },
    {
      group,
      fault: `${status}, always`,
      answers: [full],
      expected: { reason: "overflow", requests: 1 + SUMMARIES },
      tells: "could not be compacted",
    },
  ]
}

function inserted(events: readonly Event[], at: number, event: Event): readonly Event[] {
  return [...events.slice(0, at), event, ...events.slice(at)]
}

function malformed(api: Api): readonly Case[] {
  const group = "an event that is not JSON"
  const bad = 'data: {"type":"content_block_delta","index":0,\n\n'
  const events = api.reply(WORDS, { call: "whole" })
  return [
    ...Array.from({ length: events.length }, (_, i): Case => {
      const at = i + 1
      return {
        group,
        fault: `after event ${at} of ${events.length}`,
        answers: working(api, [stream(inserted(events, at, bad))]),
        expected: { ...done, requests: 3, calls: 1 },
      }
    }),
    {
      group,
      fault: "before everything",
      answers: [stream([bad, ...events])],
      expected: { reason: "error", requests: 1, calls: 0 },
      tells: "not a message",
    },
    {
      group,
      fault: "in every reply",
      answers: [stream(inserted(events, 2, bad))],
      expected: { reason: "error", requests: ATTEMPTS, calls: 0 },
      tells: "cannot be read",
    },
    ...["null", "42", '"text"', "[1]", "{}"].map(
      (data): Case => ({
        group: "an event that is JSON, and no event",
        fault: `\`${data}\``,
        answers: working(api, [stream(inserted(events, 2, `data: ${data}\n\n`))]),
        expected: { ...done, requests: 3, calls: 1 },
      }),
    ),
  ]
}

/** Events that may come twice without breaking the structure: deltas that nothing numbers, figures, pings, ends. */
const REPEATABLE: Readonly<Record<string, RegExp>> = {
  anthropic: /"(ping|text_delta|input_json_delta|message_delta|message_stop)"/,
  openai: /"response\.(created|output_text\.delta|function_call_arguments\.delta)"/,
  "openai-chat": /./,
  gemini: /"text"/,
}

function repeated(api: Api): readonly Case[] {
  const events = api.reply(WORDS, { call: "whole" })
  return events.map((event, i): Case => {
    const isTaken = REPEATABLE[api.name]?.test(event) ?? false
    const twice = stream(inserted(events, i, event))
    return {
      group: "an event comes twice",
      fault: `event ${i + 1} of ${events.length}`,
      answers: isTaken ? [twice, good(api)] : working(api, [twice]),
      expected: { ...done, requests: isTaken ? 2 : 3, calls: 1 },
    }
  })
}

function reordered(api: Api): readonly Case[] {
  const group = "events come in another order"
  const events = [...api.reply(WORDS, { call: "whole" })]
  const swapped = (at: number) => {
    const [one = "", two = ""] = events.slice(at, at + 2)
    return stream([...events.slice(0, at), two, one, ...events.slice(at + 2)])
  }
  const end = { anthropic: events.length - 3, openai: events.length - 2, "openai-chat": events.length - 4 }[
    api.name
  ]
  if (end === undefined)
    return [
      {
        group,
        fault: "the reason to stop before the last piece",
        answers: [swapped(events.length - 2), good(api)],
        expected: { ...done, requests: 2, calls: 1 },
      },
    ]
  const cases: Case[] = [
    {
      group,
      fault: "the reason to stop before the last piece",
      answers: working(api, [swapped(end)]),
      expected: { ...done, requests: 3, calls: 1 },
    },
  ]
  if (api.name !== "openai-chat")
    cases.push({
      group,
      fault: "a piece before what it is a piece of",
      answers: working(api, [
        stream([events[0] ?? "", events[3] ?? "", ...events.slice(1, 3), ...events.slice(4)]),
      ]),
      expected: { ...done, requests: 3, calls: 1 },
    })
  return cases
}

function sizes(api: Api): readonly Case[] {
  const group = "size"
  const long = `${"x".repeat(90)} `
  return [
    {
      group,
      fault: "an event that is too large",
      answers: [stream(api.reply("x".repeat(250_000)))],
      expected: { reason: "error", requests: 1 },
      tells: "an event of more than",
    },
    {
      group,
      fault: "a line that never ends",
      answers: [stream([`data: ${"x".repeat(250_000)}`])],
      expected: { reason: "error", requests: 1 },
      tells: "an event of more than",
    },
    {
      group,
      fault: "a reply that is too large, of small events",
      answers: [
        stream(
          Array.from({ length: 3_000 }, () => api.reply(long)[api.name === "anthropic" ? 2 : 0] ?? "").concat(
            `: ${"x".repeat(150_000)}\n\n`.repeat(3),
          ),
        ),
      ],
      expected: { reason: "error", requests: 1 },
    },
    {
      group,
      fault: "in pieces of 7 bytes",
      answers: [{ is: "pieces", events: api.reply("Done."), size: 7 }],
      expected: { ...done, requests: 1 },
    },
  ]
}

function silences(api: Api): readonly Case[] {
  const group = "silence"
  const events = api.reply(WORDS)
  const quiet = { group, isQuiet: true }
  return [
    {
      ...quiet,
      fault: "from the beginning, always",
      answers: [{ is: "silence", events: [] }],
      expected: { reason: "error", requests: 2 },
      tells: "sent nothing for",
    },
    {
      ...quiet,
      fault: "in mid-stream, always",
      answers: [{ is: "silence", events: events.slice(0, 3) }],
      expected: { reason: "error", requests: 2 },
      tells: "sent nothing for",
    },
    {
      group,
      fault: "after the end, the connection staying open",
      answers: [{ is: "silence", events: api.reply("Done.") }],
      // Gemini's stream has no end but that of its body.
      ...(api.name === "gemini"
        ? { isQuiet: true, expected: { reason: "error", requests: 2 } }
        : { expected: { ...done, requests: 1 } }),
    },
  ]
}

/** Answers with a good status that are no messages, and messages in a strange dress. */
function strangers(api: Api): readonly Case[] {
  const group = "200, and something else"
  const events = api.reply("Done.")
  const dressed = (type: string, content: string | Uint8Array, headers = {}): Answer => ({
    is: "body",
    status: 200,
    type,
    body: content,
    headers,
  })
  const login = "<html><body><h1>Log in</h1></body></html>"
  const wrong = (fault: string, answer: Answer, tells: string): Case => ({
    group,
    fault,
    answers: [answer],
    expected: { reason: "error", requests: 1 },
    tells,
  })
  const fine = (fault: string, answer: Answer): Case => ({
    group,
    fault,
    answers: [answer],
    expected: { ...done, requests: 1 },
  })
  const whole = Buffer.from(events.join(""))
  return [
    wrong("`{}`", body(200, {}), "not a message: {}"),
    wrong('`{"message":"Forbidden"}`', body(200, { message: "Forbidden" }), "Forbidden"),
    wrong("an error", body(200, api.error(400, "Not today.")), `Not today (${api.model} at `),
    wrong("`null`", dressed("application/json", "null"), "not a message: null"),
    wrong("`[]`", body(200, []), "not a message: []"),
    wrong("half of a JSON", dressed("application/json", '{"content": ['), "not a message"),
    wrong("an empty body", dressed("application/json", ""), "an empty body"),
    wrong("an empty stream", stream([]), "an empty body"),
    wrong("a page to log in with", dressed("text/html", login), "not a message: Log in"),
    wrong("a page that says it is a stream", dressed("text/event-stream", login), "not a message: Log in"),
    wrong(
      "text that says it is gzip",
      dressed("text/event-stream", whole, { "content-encoding": "gzip" }),
      "It is not gzip",
    ),
    wrong("gzip that does not say so", dressed("text/event-stream", gzipSync(whole)), "not a message"),
    wrong(
      "an unknown compression",
      dressed("text/event-stream", whole, { "content-encoding": "zap" }),
      "zap",
    ),
    fine("gzip", dressed("text/event-stream", gzipSync(whole), { "content-encoding": "gzip" })),
    fine("a stream that says it is JSON", dressed("application/json", whole)),
    fine("a stream that says it is text", dressed("text/plain", whole)),
  ]
}
