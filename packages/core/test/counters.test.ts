import {
  defineRule,
  dynamic,
  estimateTokens,
  pastOf,
  type Rule,
  restoreSession,
  type Session,
  type SessionOptions,
  type TokenCounter,
} from "@sotto/core"
import { describe, expect, it } from "vitest"
import { exchange, options, request, says, spoke, start, steps, told, turn, work } from "./support/session.js"

let calls = 0
const COUNTERS: Readonly<Record<string, TokenCounter>> = {
  "throws on a special token": (text) => {
    if (text.includes("<|endoftext|>") || text.includes("<\\|endoftext|>"))
      throw new Error("disallowed special token")
    return text.length
  },
  "always throws": () => {
    throw Object.create(null)
  },
  "gives NaN": () => Number.NaN,
  "gives less than nothing": () => -5,
  "gives too much": () => Number.MAX_VALUE,
  "gives infinity": () => Number.POSITIVE_INFINITY,
  "gives a fraction": (text) => text.length / 3,
  "gives a text": (text) => String(text.length) as never,
  "gives a bigint": (text) => BigInt(text.length) as never,
  "gives nothing": () => undefined as never,
  "gives a promise": (text) => Promise.resolve(text.length) as never,
  "gives a promise that fails": () => Promise.reject(new Error("no tokenizer")) as never,
  "contradicts itself": () => (calls++ % 2 === 0 ? 100_000 : 0),
}

const chatty: Rule = defineRule({
  kind: "chatty",
  decide: ({ step }) => [{ forms: [{ line: `${step} ${"many words ".repeat(100)}` }] }],
})

const over = (countTokens: TokenCounter): Partial<SessionOptions> => ({
  countTokens,
  rules: [chatty],
  budget: { perStep: 120, share: 0.5 },
})

describe.each(Object.entries(COUNTERS))("a counter that %s", (_, countTokens) => {
  it("keeps memory and disk together, and every request as it was sent", () => {
    const durable: string[] = []
    const session = start({
      ...over(countTokens),
      onAppend: (entries) => durable.push(...entries.map((entry) => JSON.stringify(entry))),
    })
    session.say("<|endoftext|> and more", { origin: { kind: "channel", server: "s" }, delivery: "passive" })
    session.say("<|endoftext|>")
    for (const id of ["c1", "c2", "c3"]) {
      work(session, id, "<|endoftext|>")
      session.compact("so far", { tail: 20 })
    }
    const sent = request(session)
    expect(session.log.map((entry) => JSON.stringify(entry))).toEqual(durable)
    const log = durable.map((line) => JSON.parse(line))
    for (const counter of [countTokens, estimateTokens, undefined, () => 7]) {
      const twin = restoreSession(options(counter ? over(counter) : {}), log)
      expect(JSON.stringify(twin.next())).toBe(JSON.stringify({ is: "request", request: sent }))
    }
    const { tokens, head } = session.context
    expect(Number.isSafeInteger(tokens) && Number.isSafeInteger(head)).toBe(true)
    for (const row of session.ledger())
      if (row.tokens !== undefined) expect(Number.isSafeInteger(row.tokens)).toBe(true)
    session.reply(sent.id, says("done"))
    expect(session.phase).toBe("idle")
  })
})

describe("a counter", () => {
  it("that fails is replaced by the estimate for that text only", () => {
    const session = start({
      countTokens: (text) => {
        if (text.includes("poison")) throw new Error("cannot")
        return 0
      },
      tools: [],
      rules: [],
    })
    session.say("sweet")
    exchange(session, says("sweet"))
    expect(session.context.tokens).toBe(0)
    session.say("poison")
    request(session)
    expect(session.context.tokens).toBe(estimateTokens("poison"))
  })
})

type Decided = () => unknown

const WRONG: readonly (readonly [string, Decided, RegExp])[] = [
  ["nothing", () => undefined, /utterances should be a list and is missing/],
  ["a promise", async () => [], /promise/],
  ["a promise that fails", () => Promise.reject(new Error("later")), /promise/],
  ["a text", () => "Hello", /utterances should be a list/],
  ["null in a list", () => [null], /utterances\.0 should be an object, not null/],
  ["a form without a line", () => [{ forms: [{}] }], /utterances\.0\.forms\.0\.line/],
  ["a form by its text", () => [{ forms: ["Hello"] }], /utterances\.0\.forms\.0 should be an object/],
  [
    "a body without text",
    () => form({ source: "s", trust: "user" }),
    /body\.text should be a text and is missing/,
  ],
  ["a body without a source", () => form({ text: "s", trust: "user" }), /body\.source/],
  [
    "a body of the wrong trust",
    () => form({ text: "s", source: "s", trust: "harness" }),
    /body\.trust should be "user" or "untrusted"/,
  ],
  [
    "a body with an unknown tag",
    () => form({ text: "s", source: "s", trust: "user", tag: "b" }),
    /body\.tag/,
  ],
  [
    "attributes that are no texts",
    () => form({ text: "s", source: "s", trust: "user", attributes: { a: 1 } }),
    /body\.attributes\.a/,
  ],
  [
    "media that are none",
    () => form({ text: "s", source: "s", trust: "user", media: [{ type: "text", text: "" }] }),
    /body\.media\.0\.type/,
  ],
  ["a key that is no text", () => [{ key: 5, forms: [{ line: "a" }] }], /utterances\.0\.key/],
  ["an until that is no text", () => [{ until: 5 }], /utterances\.0\.until/],
  [
    "a memo of infinity",
    () => [{ forms: [{ line: "a" }], memo: Number.POSITIVE_INFINITY }],
    /memo should be plain data, not Infinity/,
  ],
  ["a memo of a bigint", () => [{ memo: 1n }], /memo should be plain data, not a bigint/],
  ["a memo with a date", () => [{ memo: { at: new Date(0) } }], /memo\.at should be plain data, not a Date/],
  ["values that are no texts", () => [{ forms: [{ line: "a" }], values: { a: 1 } }], /values\.a/],
  [
    "what cannot be read",
    () => [
      {
        get forms() {
          throw new Error("not today")
        },
      },
    ],
    /forms cannot be read: not today/,
  ],
  [
    "an error that cannot be read",
    () => {
      throw Object.create(null)
    },
    /cannot be read/,
  ],
  [
    "an error without words",
    () => {
      throw Object.assign(new Error("x"), { message: 5 })
    },
    /^5$/,
  ],
]

const form = (body: object) => [{ forms: [{ line: "a", body }] }]

describe("a rule that returns or throws", () => {
  it.each(WRONG)("%s has failed, and the turn goes on", (_, decide, error) => {
    const broken = { kind: "broken", decide } as unknown as Rule
    const fine = defineRule({ kind: "fine", decide: () => [{ forms: [{ line: "All is well." }] }] })
    const rules = [broken, fine]
    const session = start({ rules })
    session.say("Go")
    const sent = request(session)
    const row = session.ledger().find(({ kind }) => kind === "broken")
    expect(row).toMatchObject({ outcome: "failed", error: expect.stringMatching(error) })
    expect(spoke(session)).toEqual(["fine"])
    expect(told(sent)).toContain("All is well.")
    const twin = restoreSession(options({ rules }), JSON.parse(JSON.stringify(session.log)))
    expect(JSON.stringify(twin.next())).toBe(JSON.stringify({ is: "request", request: sent }))
    session.reply(sent.id, says("done"))
    expect(session.phase).toBe("idle")
  })

  it("cannot change what it told afterwards", () => {
    const memo = { seen: ["a"] }
    const memos: unknown[] = []
    const mine = defineRule({
      kind: "mine",
      decide: (moment) => {
        memos.push(JSON.stringify(moment.memo()))
        memo.seen.push("later")
        return moment.step === 1 ? [{ forms: [{ line: "a" }], memo }] : []
      },
    })
    const session = start({ rules: [mine] })
    steps(session, 1)
    memo.seen.push("after")
    steps(session, 1)
    expect(memos).toEqual([undefined, '{"seen":["a","later"]}'])
  })

  it("a key that cannot be had does not stop what waits", () => {
    const mine = defineRule({
      kind: "mine",
      signals: ["x"],
      keyOf: () => {
        throw new Error("no key")
      },
      decide: () => [{ until: "then" }],
    })
    const session = start({ rules: [mine] })
    session.note(dynamic({ type: "x" }))
    expect(() => turn(session)).not.toThrow()
    expect(session.ledger()).toContainEqual(expect.objectContaining({ kind: "mine", outcome: "throttled" }))
  })
})

describe("a restore", () => {
  const told = (session: Session) => ({
    context: session.context,
    past: pastOf(session, 40),
    ledger: session.ledger(),
  })

  it("asks no counter: what it said is in the log", () => {
    const session = start({ ...over((text) => text.length), tools: [], snip: true })
    for (const words of ["Begin.", "Go on.", "And again."]) {
      session.say(words)
      work(session, words, `found ${words}`)
      exchange(session, says("done"))
    }
    session.say("Stop me.")
    request(session)
    session.abort()
    session.compact("so far", { tail: 400 })
    session.say("After it.")
    request(session)
    const asked: string[] = []
    const other: TokenCounter = (text) => {
      asked.push(text)
      return 1_000_000
    }
    const twin = restoreSession(options({ ...over(other), tools: [], snip: true }), session.log)
    expect(told(twin)).toEqual(told(session))
    expect(asked).toEqual([])
    const estimated = restoreSession(options({ ...over(() => 1), tools: [], snip: true }), session.log)
    expect(estimated.context).toEqual(session.context)
  })

  it("counts what the counter said, and not the estimate", () => {
    const words = "word ".repeat(400)
    const measured = (countTokens: TokenCounter | undefined) => {
      const session = start({ rules: [], ...(countTokens && { countTokens }) })
      session.say("Begin.")
      work(session, "c1", words)
      exchange(session, says(words))
      return session.context.tokens
    }
    const plain = measured(undefined)
    expect(measured((text) => 10 * estimateTokens(text))).toBeGreaterThan(8 * plain)
    expect(measured(() => 0)).toBe(0)
  })
})
