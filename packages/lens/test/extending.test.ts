import { createSession, requestsIn, type Usage } from "@sotto/core"
import { describe, expect, it } from "vitest"
import type { HttpDialectName } from "../src/call.js"
import { type CallPage, createPages } from "../src/pages/index.js"
import { DIALECTS, sottoCall } from "../src/sources/index.js"

const MODELS: Readonly<Record<HttpDialectName, string>> = {
  anthropic: "claude-opus-5-5",
  openai: "gpt-5.6",
  "openai-chat": "gpt-5.6",
  gemini: "gemini-3-pro",
}

/** A session of many steps with reminders, parallel calls, a compaction and, at one step, a cache that did not hold. */
function logOf(dialect: HttpDialectName, reports: boolean, missesAt = -1) {
  let time = 0
  let id = 0
  const session = createSession({
    agents: [
      { name: "build", steps: 100 },
      { name: "plan", planning: true },
    ],
    model: { id: MODELS[dialect], dialect },
    tools: [{ name: "read", description: "Reads a file.", inputSchema: { type: "object" } }],
    now: () => (time += 1_000),
    newId: () => `id-${id++}`,
  })
  let cached = 0
  session.say("Look at everything, please.")
  for (let i = 0; i < 30; i++) {
    if (i === 7) session.say("And hurry up.")
    if (i === 11) session.switchAgent("plan")
    if (i === 13) session.note({ type: "file.edited", path: "a.ts", actor: "ann" })
    if (i === 20) session.compact("Everything was looked at.")
    const next = session.next()
    if (next.is !== "request") throw new Error(`${i}: ${next.is}`)
    const calls = i % 5 === 0 ? [0, 1] : [0]
    const total = 5_000 + i * 700
    const read = i === missesAt || i === 20 ? 0 : cached
    const usage: Usage = { input: 0, output: 20, cacheRead: read, cacheWrite: total - read }
    cached = total
    session.reply(next.request.id, {
      parts: [
        { type: "text", text: `Step ${i}.` },
        ...calls.map((n) => ({
          type: "tool-call" as const,
          id: `c${i}-${n}`,
          name: "read",
          input: { path: `${i}.ts` },
        })),
      ],
      ...(reports && { usage }),
    })
    const waiting = session.next()
    if (waiting.is === "waiting")
      for (const call of waiting.calls) session.result(call.id, `Content of ${i}. `.repeat(60))
  }
  return session.log
}

function pagesOf(dialect: HttpDialectName, how: "push" | "extend", ...session: [boolean, number?]) {
  const pages = createPages({ validates: false })
  let pins: unknown
  let number = 0
  for (const asked of requestsIn(logOf(dialect, ...session))) {
    const call = { ...sottoCall("session", ++number, asked), ms: 500 }
    if (how === "extend" && asked.request.pins === pins) pages.extend(call)
    else pages.push(call)
    pins = asked.request.pins
  }
  return pages
}

describe.each(DIALECTS)("a session in %s, taken by what is new in each request", (dialect) => {
  it.each([true, false])(
    "has the same rows, pages and breaks as one that is read whole (usage: %s)",
    (reports) => {
      const [whole, fast] = [pagesOf(dialect, "push", reports), pagesOf(dialect, "extend", reports)]
      expect(fast.length).toBe(30)
      const bare = (pages: typeof whole) =>
        // What is predicted without a report is estimated otherwise.
        pages.rows(1, 100).map(({ tokens, ...row }) => (reports ? { ...row, tokens } : row))
      expect(bare(fast)).toEqual(bare(whole))
      expect(fast.breaks()).toEqual(whole.breaks())
      for (const n of [1, 2, 8, 12, 14, 20, 21, 22, 30]) {
        const parts = (page: CallPage | undefined) => {
          const { row: _, segments = [], ...rest } = page ?? {}
          // A marker moves on, and a page shows it where it was when the segment was new.
          return { ...rest, segments: segments.map(({ marked: _, ...segment }) => segment) }
        }
        expect(parts(fast.page(n)), `${n}`).toEqual(parts(whole.page(n)))
      }
      expect(fast.search("content of 17", 5)).toEqual(whole.search("content of 17", 5))
    },
  )
})

it("a cache that did not hold is found all the same", () => {
  const [whole, fast] = [pagesOf("anthropic", "push", true, 16), pagesOf("anthropic", "extend", true, 16)]
  expect(fast.breaks().map(({ n, cause }) => ({ n, cause }))).toContainEqual({ n: 17, cause: "not-cached" })
  expect(fast.breaks()).toEqual(whole.breaks())
})
