import type { Entry } from "@sotto/core"
import type { ScriptStep } from "@sotto/rehearsal"
import { afterEach, describe, expect, it, vi } from "vitest"
import { OpenQuestions } from "../src/index.js"
import { opened } from "./conversation-support.js"

const MINUTE = 60_000
const FILE = "a line of a file\n".repeat(2_000)
const ASKS: readonly ScriptStep[] = [
  { calls: [{ name: "read", input: { path: "long.txt" } }] },
  { calls: [{ name: "question", input: { question: "Left or right?" } }] },
  { text: "Left, then." },
]
const KEEPS = '{"economy":{"keepWarm":true}}'
const CLAUDE = "anthropic/claude-sonnet-5-5"

/** A session whose agent has asked the user something, and waits for the answer. */
async function asking(model: string, config = KEEPS, steps = ASKS) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] })
  let answer: ((words: string) => void) | undefined
  const questions = new OpenQuestions(
    ({ id }) => {
      answer = (words) => questions.answer(id, words)
    },
    () => true,
  )
  const found = await opened({
    steps,
    model,
    questions,
    emit: () => undefined,
    files: { "long.txt": FILE, "sotto.json": config },
  })
  found.conversation.say("Ask me.")
  const done = found.conversation.wake()
  await vi.waitFor(() => expect(answer).toBeDefined())
  const { rehearsal, conversation } = found
  return {
    ...found,
    sent: () => rehearsal.requests.length,
    bills: () => conversation.session.log.filter((entry) => entry.type === "billed"),
    /** The user says nothing for so long. */
    async waits(minutes: number) {
      for (let passed = 0; passed < minutes; passed++) {
        const before = [rehearsal.requests.length, conversation.session.log.length]
        await vi.advanceTimersByTimeAsync(MINUTE)
        if (rehearsal.requests.length > (before[0] ?? 0) && steps === ASKS)
          await vi.waitFor(() => expect(conversation.session.log.length).toBeGreaterThan(before[1] ?? 0))
        else await new Promise((resolve) => setImmediate(resolve))
      }
    },
    async answers() {
      answer?.("Left.")
      await done
    },
  }
}

const usageOf = (log: readonly Entry[]) => {
  const last = log.findLast((entry) => entry.type === "replied")
  return last?.type === "replied" ? last.reply.usage : undefined
}

afterEach(() => void vi.useRealTimers())

describe("a cache that would expire while the user is asked something", () => {
  it("is used again shortly before, in a request that asks for no words", async () => {
    const session = await asking(CLAUDE)
    const before = session.sent()
    await session.waits(4)
    expect(session.sent()).toBe(before)
    await session.waits(1)
    await vi.waitFor(() => expect(session.bills()).toHaveLength(1))
    expect(session.bills()).toMatchObject([{ purpose: "warm", way: "side" }])
    expect(session.bills()[0]?.usage?.cacheRead).toBeGreaterThan(5_000)
    const { body, problems } = session.rehearsal.requests.at(-1) ?? {}
    expect(problems).toEqual([])
    expect(body).toMatchObject({ max_tokens: 1 })
    await session.answers()
    expect(usageOf(session.conversation.session.log)?.cacheRead).toBeGreaterThan(5_000)
  })

  it("is asked of OpenAI with its own word for it, from GPT-5.6 on, and costs no output", async () => {
    const session = await asking("openai/gpt-5.6")
    const before = session.sent()
    await session.waits(28)
    expect(session.sent()).toBe(before)
    await session.waits(2)
    await vi.waitFor(() => expect(session.bills()).toHaveLength(1))
    expect(session.rehearsal.requests.at(-1)).toMatchObject({
      problems: [],
      body: { prompt_cache_options: { mode: "explicit", prewarm: true } },
    })
    expect(session.bills()[0]?.usage).toMatchObject({ output: 0 })
    await session.answers()
  })

  it("is let go when keeping it would cost more than writing it again", async () => {
    const session = await asking(CLAUDE)
    const { rates, tokens = 0 } = session.conversation.session.economy ?? {}
    if (rates === undefined) throw new Error("there is no account")
    await session.waits(240)
    const spent = session.bills().length * rates.read * tokens
    expect(session.bills().length).toBeGreaterThan(10)
    expect(spent).toBeLessThan((rates.write - rates.read) * tokens)
    const kept = session.bills().length
    await session.waits(60)
    expect(session.bills()).toHaveLength(kept)
    await session.answers()
  })

  it("is let go after the machine has slept for longer than the cache lives", async () => {
    const session = await asking(CLAUDE)
    const before = session.sent()
    vi.setSystemTime(Date.now() + 20 * MINUTE)
    await session.waits(10)
    expect(session.sent()).toBe(before)
    await session.answers()
  })

  it("is let go after a failure, which is of no concern to the session", async () => {
    // The stand-in refuses what does not hold the user's answer.
    const last: ScriptStep = { text: "Left, then.", expect: [{ told: "Left." }] }
    const session = await asking(CLAUDE, KEEPS, [...ASKS.slice(0, 2), last])
    const before = session.sent()
    await session.waits(30)
    expect(session.sent()).toBe(before + 1)
    expect(session.bills()).toEqual([])
    await session.answers()
    expect(session.conversation.session.phase).toBe("idle")
  })

  it.each([
    ["unless the user wants it", CLAUDE, '{"economy":{"keepWarm":false}}'],
    ["by default", CLAUDE, "{}"],
    ["where the provider promises no lifetime", "google/gemini-3-pro", KEEPS],
    [
      "beyond the user's limits",
      CLAUDE,
      '{"economy":{"keepWarm":true},"limits":{"session":{"tokens":10000}}}',
    ],
  ])("is not kept %s", async (_, model, config) => {
    const session = await asking(model, config)
    const before = session.sent()
    await session.waits(70)
    expect(session.sent()).toBe(before)
    await session.answers()
  })
})
