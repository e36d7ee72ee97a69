import type { Body } from "@sotto/core/anthropic"
import { expect, onTestFinished, test, vi } from "vitest"
import { type Rehearsal, type ScriptStep, startRehearsal } from "../src/index.js"
import { anthropicSdk, openaiChatSdk, openaiSdk } from "./support/clients.js"
import { type Client, MID_TURN, openSession, runTurn, STEPS, twentySteps } from "./support/turn.js"

test("on a model without system messages, reminders are inside the last tool result, and none is beside one", async () => {
  const { requests } = await play("claude-sonnet-4-5", anthropicSdk)
  const { messages } = lastBody(requests)
  expect(messages.filter(({ role }) => role === "system")).toEqual([])
  const withResults = messages.flatMap(({ content }) =>
    content.some(({ type }) => type === "tool_result") ? [content] : [],
  )
  expect(withResults).toHaveLength(STEPS - 1)
  for (const content of withResults) expect(content.map(({ type }) => type)).toEqual(["tool_result"])
  const carried = withResults.flatMap(([result], i) =>
    textsIn(result).includes("<system-reminder>") ? [i + 2] : [],
  )
  expect(carried).toEqual([9, 13, STEPS])
})

test("on a model with them, they are system messages without tags, directly after the results", async () => {
  const { requests } = await play("claude-opus-5-5", anthropicSdk)
  const { messages } = lastBody(requests)
  expect(textsIn(messages)).not.toContain("system-reminder")
  const told = messages.flatMap(({ role, content }, i) =>
    role === "system" ? [{ after: messages[i - 1]?.role, text: textsIn(content) }] : [],
  )
  expect(new Set(told.map(({ after }) => after))).toEqual(new Set(["user"]))
  for (const words of ["while you were working", "from plan to build", "last step"])
    expect(told.filter(({ text }) => text.includes(words))).toHaveLength(1)
})

const REFUSING: readonly (readonly [string, string, (url: string) => Client])[] = [
  ["Anthropic", "claude-opus-5-5", anthropicSdk],
  ["OpenAI Responses", "gpt-5.6", openaiSdk],
  ["OpenAI Chat Completions", "gpt-5.6", openaiChatSdk],
]

test.each(REFUSING)(
  "%s: a server that answers 400 to them is told another way, and nothing is lost",
  async (_, model, client) => {
    const { requests } = await play(model, client, { fail: [{ refuse: "system" }] })
    const refused = requests.filter(({ status }) => status !== 200)
    expect(refused).toHaveLength(1)
    expect(refused[0]?.status).toBe(400)
    expect(requests).toHaveLength(STEPS + 1)
    const last = textsIn(requests.at(-1)?.body)
    for (const words of [MID_TURN, "while you were working", "from plan to build", "last step"])
      expect(last.split(words)).toHaveLength(2)
  },
)

async function play(
  model: string,
  client: (url: string) => Client,
  first: Partial<ScriptStep> = {},
): Promise<Rehearsal> {
  vi.spyOn(console, "warn").mockImplementation(() => {})
  onTestFinished(() => void vi.restoreAllMocks())
  const rehearsal = await startRehearsal({ script: twentySteps(first) })
  onTestFinished(() => rehearsal.close())
  const session = openSession(model)
  await runTurn(session, client(rehearsal.url))
  expect(session.receipt("mid-turn")).toMatchObject({ state: "delivered", step: 9 })
  return rehearsal
}

function lastBody(requests: Rehearsal["requests"]): Body {
  return requests[requests.length - 1]?.body as Body
}

function textsIn(value: unknown): string {
  return JSON.stringify(value)
}
