import { expect, it } from "vitest"
import type { HarnessEvent } from "../src/index.js"
import { opened } from "./conversation-support.js"

const AGENTS = {
  agents: {
    build: { think: "low", temperature: 0.3, topP: 0.8, options: { sandbox: "off" } },
    explore: { think: "high" },
  },
  models: {
    "openai/gpt-4.1": { options: { service_tier: "flex" }, variants: { fast: { temperature: 0 } } },
  },
}

const text = (config: object) => ({ "sotto.json": JSON.stringify(config) })

async function bodies(config: object, model: string, more: Partial<Parameters<typeof opened>[0]> = {}) {
  const events: HarnessEvent[] = []
  const { rehearsal, conversation, workplace, end } = await opened({
    steps: [{ text: "Done." }, { text: "Done." }, { text: "Done." }],
    emit: (event) => events.push(event),
    files: text(config),
    ...more,
  })
  conversation.switchModel(workplace.modelNamed(model))
  conversation.say("Go")
  await end()
  expect(rehearsal.requests.map(({ status }) => status)).toEqual(rehearsal.requests.map(() => 200))
  expect(events.filter(({ type }) => type === "error")).toEqual([])
  return {
    rehearsal,
    conversation,
    end,
    body: () => rehearsal.requests.at(-1)?.body as Record<string, unknown>,
  }
}

it.each([
  ["anthropic/claude-opus-5-5", { thinking: { type: "adaptive" }, output_config: { effort: "low" } }],
  ["anthropic/claude-sonnet-4-5", { thinking: { type: "enabled", budget_tokens: 4_096 } }],
  ["openai/gpt-5.6", { reasoning: { effort: "low" } }],
  ["openai-chat/gpt-5.6", { reasoning_effort: "low" }],
  [
    "google/gemini-3-pro",
    { generationConfig: { temperature: 0.3, thinkingConfig: { thinkingLevel: "LOW" } } },
  ],
  ["openai/gpt-4.1", { temperature: 0.3, top_p: 0.8, service_tier: "flex" }],
])("%s is asked as the agent's settings say", async (model, fields) => {
  const { body } = await bodies(AGENTS, model)
  expect(body()).toMatchObject(fields)
  expect(JSON.stringify(body())).not.toContain('"sandbox"')
})

it("what sotto.json says of thinking holds where neither the agent nor the model's settings say", async () => {
  const config = { think: "high", models: { "openai/gpt-5.6": { think: "medium" } } }
  const { conversation, end, body } = await bodies(config, "openai/gpt-5.5")
  expect(body()).toMatchObject({ reasoning: { effort: "high" } })
  const { body: own } = await bodies(config, "openai/gpt-5.6")
  expect(own()).toMatchObject({ reasoning: { effort: "medium" } })
  conversation.switchAgent("plan")
  conversation.say("On")
  await end()
  expect(body()).toMatchObject({ reasoning: { effort: "high" } })
})

it("an agent in Markdown may think and plan", async () => {
  const files = {
    "sotto.json": "{}",
    ".sotto/agents/architect.md": "---\nthink: max\nvariant: low\nplanning: true\n---\nYou draw.",
  }
  const { conversation, end, body } = await bodies({}, "openai/gpt-5.6", { files })
  conversation.switchAgent("architect")
  conversation.say("On")
  await end()
  expect(body()).toMatchObject({ reasoning: { effort: "xhigh" } })
  expect(JSON.stringify(body())).toContain("Plan mode is active")
})

it("a Claude model behind a gateway is spoken to as the gateway takes it", async () => {
  const { rehearsal, conversation, end } = await bodies({}, "openai-chat/anthropic/claude-opus-5")
  conversation.remind("Be brief.")
  conversation.say("On")
  await end()
  const sent = rehearsal.requests.at(-1)?.body as { messages: { role: string }[] }
  expect(sent.messages.filter(({ role }) => role === "system" || role === "developer")).toHaveLength(1)
})
