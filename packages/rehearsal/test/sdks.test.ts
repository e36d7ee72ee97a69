import type { Session } from "@sotto/core"
import { expectAppendOnly } from "@sotto/core/testing"
import { expect, onTestFinished, test, vi } from "vitest"
import { type RequestSeen, startRehearsal } from "../src/index.js"
import {
  aiSdkAnthropic,
  aiSdkOpenai,
  anthropicSdk,
  geminiSdk,
  openaiChatSdk,
  openaiSdk,
} from "./support/clients.js"
import { type Client, MID_TURN, openSession, runTurn, STEPS, twentySteps } from "./support/turn.js"

const SDKS: readonly (readonly [string, string, (url: string) => Client])[] = [
  ["@anthropic-ai/sdk", "claude-sonnet-4-5", anthropicSdk],
  ["@anthropic-ai/sdk", "claude-opus-5-5", anthropicSdk],
  ["openai (Responses)", "gpt-5.6", openaiSdk],
  ["openai (Responses)", "gpt-5", openaiSdk],
  ["openai (Chat Completions)", "gpt-5.6", openaiChatSdk],
  ["openai (Chat Completions)", "qwen3-coder", openaiChatSdk],
  ["@google/genai", "gemini-3-pro", geminiSdk],
  ["@google/genai", "gemini-2.5-flash", geminiSdk],
  ["ai with @ai-sdk/anthropic", "claude-sonnet-4-5", aiSdkAnthropic],
  ["ai with @ai-sdk/anthropic", "claude-opus-5-5", aiSdkAnthropic],
  ["ai with @ai-sdk/openai", "gpt-5.6", aiSdkOpenai],
]

test.each(SDKS)(
  "%s on %s completes a turn of 20 steps and pays for nothing twice",
  async (_, model, client) => {
    // The SDK warns of models near their end.
    vi.spyOn(console, "warn").mockImplementation(() => {})
    onTestFinished(() => void vi.restoreAllMocks())
    const rehearsal = await startRehearsal({ script: twentySteps() })
    onTestFinished(() => rehearsal.close())
    const session = openSession(model)
    await runTurn(session, client(rehearsal.url))

    const { requests } = rehearsal
    expect(errors(requests)).toEqual([])
    expect(requests).toHaveLength(STEPS)
    expect(said(session)).toBe("All files are read.")

    expect(session.receipt("mid-turn")).toMatchObject({ state: "delivered", step: 9 })
    expect(requests.map(({ body }) => occurrences(body, MID_TURN))).toEqual([
      ...Array(8).fill(0),
      ...Array(STEPS - 8).fill(1),
    ])

    expectAppendOnly(requests.map(({ body }) => body))
    const missed = requests.flatMap(({ cache }, i) =>
      cache?.missed ? [{ step: i + 1, because: cache.because }] : [],
    )
    expect(missed).toEqual(model.startsWith("claude") ? [{ step: STEPS, because: "tool_choice" }] : [])
    const reads = requests.map(({ cache }) => cache?.read ?? 0)
    expect(cacheReads(session)).toEqual(reads)
    // From the second request on there is always something to read, and ever more of it.
    expect(reads.slice(1, -1).every((read, i) => read > (reads[i] ?? 0))).toBe(true)
  },
)

test("a script that is not met fails the turn, naming what was told", async () => {
  const { steps } = twentySteps()
  const script = steps.map((step, i) => (i === 8 ? { ...step, expect: [{ notTold: MID_TURN }] } : step))
  const rehearsal = await startRehearsal({ script })
  onTestFinished(() => rehearsal.close())
  const { send } = anthropicSdk(rehearsal.url)
  const failed = runTurn(openSession("claude-opus-5-5"), { send })
  await expect(failed).rejects.toThrow(`Step 9 expected not told \\"${MID_TURN}\\"`)
  expect(rehearsal.requests.at(-1)).toMatchObject({ status: 400, error: { fault: "expectation" } })
})

/** What the SDK reported of the cache, as the session logged it. */
function cacheReads(session: Session): readonly number[] {
  return session.log.flatMap((entry) => (entry.type === "replied" ? [entry.reply.usage?.cacheRead ?? 0] : []))
}

function errors(requests: readonly RequestSeen[]) {
  return requests.flatMap(({ error }) => (error ? [error.message] : []))
}

function said(session: Session): string | undefined {
  const last = session.view().at(-1)?.parts.at(-1)
  return last?.type === "text" ? last.text : undefined
}

function occurrences(value: unknown, text: string): number {
  return JSON.stringify(value).split(text).length - 1
}
