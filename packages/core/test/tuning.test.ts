import type { Agent, ModelChoice, ModelSettings, Request, SessionOptions } from "@sotto/core"
import { SottoError, THINK_LEVELS } from "@sotto/core"
import * as aiSdk from "@sotto/core/ai-sdk"
import * as anthropic from "@sotto/core/anthropic"
import * as gemini from "@sotto/core/gemini"
import { takesLevels } from "@sotto/core/models"
import * as openai from "@sotto/core/openai"
import * as chat from "@sotto/core/openai-chat"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { exchange, reopen, request, says, start, work } from "./support/session.js"

const MODELS: Readonly<Record<string, readonly string[]>> = {
  anthropic: [
    ...["claude-3-5-sonnet-20241022", "claude-3-7-sonnet-20250219", "claude-3-haiku-20240307"],
    ...[
      "claude-opus-4-20250514",
      "claude-opus-4-1",
      "claude-sonnet-4-5",
      "claude-haiku-4-5",
      "claude-opus-4-6",
    ],
    ...[
      "claude-opus-4-7",
      "claude-opus-4-8",
      "claude-sonnet-5",
      "claude-opus-5-5",
      "claude-fable-5-2",
      "glm-4.7",
    ],
  ],
  openai: [
    ...["gpt-4.1", "gpt-5", "gpt-5-mini", "gpt-5-pro", "gpt-5-codex", "gpt-5.1", "gpt-5.1-codex-max"],
    ...["gpt-5.2-chat-latest", "gpt-5.4-pro", "gpt-5.6", "o1-mini", "o3", "o4-mini", "qwen3"],
  ],
  "openai-chat": [
    ...["gpt-4o", "gpt-5", "gpt-5.1", "gpt-5.6", "o3", "qwen3-coder", "deepseek-chat", "deepseek-v4-pro"],
    ...["anthropic/claude-opus-5", "openai/gpt-5.6", "gpt-oss-120b", "mistral-large"],
  ],
  gemini: [
    ...["gemini-1.5-pro", "gemini-2.0-flash", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite"],
    ...["gemini-3-pro", "gemini-3-flash", "gemini-3.1-pro", "gemini-3.5-flash", "gemma-3"],
  ],
  "ai-sdk": ["claude-sonnet-4-5", "claude-opus-5-5", "gpt-5", "gpt-5.6", "gpt-4.1", "gemini-3-pro", "qwen3"],
}

function encoded(dialect: string, sent: Request, options: Parameters<typeof anthropic.encode>[1] = {}) {
  const { model } = sent.pins
  switch (dialect) {
    case "anthropic":
      return {
        body: anthropic.encode(sent, options),
        problems: anthropic.validate(anthropic.encode(sent, options)),
      }
    case "openai":
      return { body: openai.encode(sent, options), problems: openai.validate(openai.encode(sent, options)) }
    case "openai-chat":
      return { body: chat.encode(sent, options), problems: chat.validate(chat.encode(sent, options)) }
    case "gemini": {
      const body = gemini.encode(sent, options)
      return { body, problems: gemini.validateSent(body, { model }) }
    }
    default:
      return { body: aiSdk.encode(sent, options), problems: aiSdk.validate(aiSdk.encode(sent, options)) }
  }
}

function first(model: ModelChoice, agent: Partial<Agent> = {}, more: Partial<SessionOptions> = {}): Request {
  const session = start({ model, agents: [{ name: "build", ...agent }], ...more })
  session.say("Go")
  return request(session)
}

const bodyOf = (dialect: string, id: string, agent: Partial<Agent>): object =>
  encoded(dialect, first({ id, dialect }, agent)).body

describe("whatever an agent asks for", () => {
  const cases = Object.entries(MODELS).flatMap(([dialect, ids]) => ids.map((id) => [dialect, id] as const))
  const tuning = fc.record(
    {
      temperature: fc.constantFrom(0, 0.3, 1, 1.7, 2),
      topP: fc.constantFrom(0, 0.5, 0.96, 1),
      think: fc.constantFrom(...THINK_LEVELS),
      variant: fc.constantFrom("high", "off", "turbo"),
    },
    { requiredKeys: [] },
  )
  const maxTokens = fc.option(fc.constantFrom(20, 500, 1_500, 3_000), { nil: undefined })

  it.each(cases)("%s: %s would accept the request, in and after a tool turn", (dialect, id) => {
    fc.assert(
      fc.property(tuning, tuning, tuning, maxTokens, (agent, model, given, most) => {
        const session = start({
          model: { id, dialect, ...model },
          agents: [{ name: "build", ...agent }],
        })
        const options = { ...given, ...(most !== undefined && { maxTokens: most }) }
        session.say("Go")
        const sent = [work(session, "c1"), exchange(session, says("done"))]
        session.say("More")
        for (const one of [...sent, request(session)]) {
          const { problems } = encoded(dialect, one, options)
          expect(problems.filter(({ severity }) => severity === "error")).toEqual([])
        }
      }),
      { numRuns: 25 },
    )
  })
})

describe("a thinking level, as each provider spells it", () => {
  it.each([
    [
      "anthropic",
      "claude-opus-5-5",
      "high",
      { thinking: { type: "adaptive" }, output_config: { effort: "high" } },
    ],
    ["anthropic", "claude-opus-5-5", "off", { output_config: { effort: "low" } }],
    ["anthropic", "claude-opus-5", "off", { thinking: { type: "disabled" } }],
    ["anthropic", "claude-sonnet-4-5", "high", { thinking: { type: "enabled", budget_tokens: 20_480 } }],
    ["anthropic", "claude-opus-4-1", "max", { thinking: { budget_tokens: 30_976 }, max_tokens: 32_000 }],
    ["openai", "gpt-5.6", "max", { reasoning: { effort: "xhigh" } }],
    ["openai", "gpt-5", "off", { reasoning: { effort: "minimal" } }],
    ["openai", "gpt-5.1-codex", "off", { reasoning: { effort: "low" } }],
    ["openai-chat", "gpt-5.6", "off", { reasoning_effort: "none" }],
    ["openai-chat", "qwen3", "max", { reasoning_effort: "high" }],
    ["openai-chat", "deepseek-v4-pro", "off", { thinking: { type: "disabled" } }],
    ["openai-chat", "deepseek-v4-pro", "low", { thinking: { type: "enabled" } }],
    ["gemini", "gemini-3-pro", "off", { generationConfig: { thinkingConfig: { thinkingLevel: "LOW" } } }],
    [
      "gemini",
      "gemini-3.5-flash",
      "off",
      { generationConfig: { thinkingConfig: { thinkingLevel: "MINIMAL" } } },
    ],
    ["gemini", "gemini-2.5-flash", "off", { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }],
    ["gemini", "gemini-2.5-pro", "off", { generationConfig: { thinkingConfig: { thinkingBudget: 128 } } }],
    ["ai-sdk", "claude-opus-5-5", "high", { providerOptions: { anthropic: { effort: "high" } } }],
    [
      "ai-sdk",
      "claude-sonnet-4-5",
      "low",
      { providerOptions: { anthropic: { thinking: { budgetTokens: 4_096 } } } },
    ],
    ["ai-sdk", "gpt-5.6", "low", { providerOptions: { openai: { reasoningEffort: "low" } } }],
    [
      "ai-sdk",
      "gemini-3-pro",
      "high",
      { providerOptions: { google: { thinkingConfig: { thinkingLevel: "high" } } } },
    ],
  ] as const)("%s, %s, %s", (dialect, id, think, fields) => {
    expect(bodyOf(dialect, id, { think })).toMatchObject(fields)
  })

  it.each([
    ["anthropic", "claude-3-5-sonnet-20241022"],
    ["openai", "gpt-4.1"],
    ["gemini", "gemini-2.0-flash"],
  ])("%s: %s, which does not think, is not asked to", (dialect, id) => {
    expect(JSON.stringify(bodyOf(dialect, id, { think: "high" }))).not.toMatch(/"thinking|"reasoning"|effort/)
  })
})

it.each(
  ["anthropic", "openai", "gemini"].flatMap((dialect) =>
    (MODELS[dialect] ?? []).map((id) => [dialect, id] as const),
  ),
)("%s: the catalogue says of %s whether a level changes what is sent", (dialect, id) => {
  const changes =
    JSON.stringify(bodyOf(dialect, id, { think: "high" })) !== JSON.stringify(bodyOf(dialect, id, {}))
  expect(takesLevels(id)).toBe(changes)
})

describe("how words are chosen", () => {
  it.each([
    ["anthropic", "claude-sonnet-4-5", { temperature: 0.2 }, { temperature: 0.2 }],
    ["anthropic", "claude-sonnet-4-5", { temperature: 1.7 }, { temperature: 1 }],
    ["openai", "gpt-4.1", { temperature: 0.2, topP: 0.8 }, { temperature: 0.2, top_p: 0.8 }],
    ["openai-chat", "qwen3", { temperature: 0.2, topP: 0.8 }, { temperature: 0.2, top_p: 0.8 }],
    ["gemini", "gemini-3-pro", { topP: 0.8 }, { generationConfig: { topP: 0.8 } }],
    ["ai-sdk", "gpt-4.1", { temperature: 0.2 }, { temperature: 0.2 }],
  ])("%s, %s: %j is sent as %j", (dialect, id, agent, fields) => {
    expect(bodyOf(dialect, id, agent)).toMatchObject(fields)
  })

  it.each([
    ["anthropic", "claude-opus-5-5"],
    ["openai", "gpt-5"],
    ["openai-chat", "gpt-5"],
    ["openai-chat", "anthropic/claude-opus-5"],
    ["ai-sdk", "claude-opus-5-5"],
  ])("%s: %s refuses to be told, so that nothing is said", (dialect, id) => {
    const body = bodyOf(dialect, id, { temperature: 0.2, topP: 0.5 })
    expect(Object.keys(body)).not.toContain("temperature")
    expect(Object.keys(body)).not.toContain("top_p")
  })
})

describe("who decides", () => {
  const model: ModelChoice = { id: "claude-sonnet-4-5", temperature: 0.1, think: "off" }

  it("the request over the agent over the model", () => {
    const sent = first(model, { temperature: 0.2 })
    expect(anthropic.encode(first(model))).toMatchObject({ temperature: 0.1, thinking: { type: "disabled" } })
    expect(anthropic.encode(sent)).toMatchObject({ temperature: 0.2 })
    expect(anthropic.encode(sent, { temperature: 0.3 })).toMatchObject({ temperature: 0.3 })
    expect(anthropic.encode(sent, { think: "low" })).toMatchObject({ thinking: { budget_tokens: 4_096 } })
  })

  it("the user's own choice for the model over all of them, until it is taken back", () => {
    const agents: readonly Agent[] = [{ name: "build", think: "low" }]
    const session = start({ agents, model: { id: "gpt-5.6" } })
    session.switchModel({ id: "gpt-5.6", override: { think: "high" } })
    expect(session.tuning).toEqual({ think: "high" })
    session.say("Go")
    expect(openai.encode(request(session))).toMatchObject({ reasoning: { effort: "high" } })
    session.abort()
    const again = reopen(session, { agents, model: { id: "gpt-5.6" } })
    expect(again.tuning).toEqual({ think: "high" })
    again.switchModel({ id: "gpt-5.6" })
    expect(again.tuning).toEqual({ think: "low" })
    const wrong = { think: "hard" } as unknown as ModelSettings
    expect(() => again.switchModel({ id: "gpt-5.6", override: wrong })).toThrow(SottoError)
  })

  it("a variant is one of the model's, else a level, else nothing", () => {
    const varied: ModelChoice = {
      id: "gpt-5.6",
      variants: { fast: { think: "low", options: { service_tier: "flex" } } },
    }
    expect(openai.encode(first(varied, { variant: "fast" }))).toMatchObject({
      reasoning: { effort: "low" },
      service_tier: "flex",
    })
    expect(openai.encode(first(varied, { variant: "high" }))).toMatchObject({ reasoning: { effort: "high" } })
    expect(openai.encode(first(varied, { variant: "high", think: "low" }))).toMatchObject({
      reasoning: { effort: "low" },
    })
    expect(openai.encode(first(varied, { variant: "other" })).reasoning).toBeUndefined()
  })

  it("options are fields of the body, and keep what Sotto says in the same one", () => {
    const options = { service_tier: "flex", reasoning: { summary: "auto" } }
    expect(openai.encode(first({ id: "gpt-5.6" }, { think: "high", options }))).toMatchObject({
      service_tier: "flex",
      reasoning: { effort: "high", summary: "auto" },
    })
    const config = { generationConfig: { seed: 1 } }
    expect(gemini.encode(first({ id: "gemini-3-pro" }, { think: "high", options: config }))).toMatchObject({
      generationConfig: { seed: 1, thinkingConfig: { thinkingLevel: "HIGH" } },
    })
  })

  it("thinking gives way to a call that is forced", () => {
    const extra = { tool_choice: { type: "any" } }
    expect(
      anthropic.encode(first({ id: "claude-sonnet-4-5" }, { think: "high" }), { extra }).thinking,
    ).toBeUndefined()
  })

  it.each([{ temperature: 3 }, { topP: -1 }, { think: "hard" }])(
    "%j is refused where it is given",
    (wrong) => {
      const agents = [{ name: "build", ...wrong }] as Agent[]
      expect(() => start({ agents })).toThrow(SottoError)
      expect(() => start({ model: { id: "gpt-5", ...wrong } as ModelChoice })).toThrow(SottoError)
      expect(() => start().switchModel({ id: "gpt-5", ...wrong } as ModelChoice)).toThrow(SottoError)
    },
  )
})

describe("within an epoch", () => {
  const agents: readonly Agent[] = [
    { name: "build", temperature: 0.2 },
    { name: "careful", temperature: 0.9 },
    { name: "deep", think: "high" },
    { name: "other", model: "claude-haiku-4-5" },
  ]
  const opened = (model: ModelChoice = { id: "claude-sonnet-4-5", dialect: "anthropic" }) => {
    const session = start({ agents, model })
    session.say("Go")
    exchange(session, says("ok"))
    return session
  }
  const reasons = (session: ReturnType<typeof opened>) => {
    session.say("On")
    const sent = exchange(session, says("ok"))
    const step = session.log.findLast(({ type }) => type === "step")
    return { sent, reasons: step?.type === "step" ? step.epoch?.reasons : undefined }
  }

  it("a temperature follows the agent without costing the cache", () => {
    const session = opened()
    session.switchAgent("careful")
    const { sent, reasons: why } = reasons(session)
    expect(why).toBeUndefined()
    expect(anthropic.encode(sent)).toMatchObject({ temperature: 0.9 })
  })

  it("another thinking level, which providers key their caches on, begins an epoch", () => {
    const session = opened()
    session.switchAgent("deep")
    const { sent, reasons: why } = reasons(session)
    expect(why).toEqual(["agent"])
    expect(sent.pins.think).toBe("high")
    session.switchModel({
      id: "claude-sonnet-4-5",
      dialect: "anthropic",
      options: { metadata: { user_id: "u" } },
    })
    expect(reasons(session).reasons).toEqual(["model"])
  })

  it("an agent brings its model along, and takes it away again", () => {
    const session = opened()
    session.switchAgent("other")
    expect(session.model).toBe("claude-haiku-4-5")
    const { sent, reasons: why } = reasons(session)
    expect(why).toEqual(["model"])
    expect(sent.pins).toMatchObject({ model: "claude-haiku-4-5", dialect: "anthropic" })
    session.switchAgent("build")
    expect(session.model).toBe("claude-sonnet-4-5")
    session.switchAgent("other")
    session.switchModel({ id: "claude-opus-5" })
    expect(session.model).toBe("claude-opus-5")
    session.switchAgent("build")
    expect(session.model).toBe("claude-opus-5")
  })

  it("the first agent's own model is the one to start with", () => {
    const session = start({ agents, agent: "other" })
    expect(session.model).toBe("claude-haiku-4-5")
    session.switchAgent("build")
    expect(session.model).toBe("claude-sonnet-4-5")
  })

  it("a restored session asks in the same words", () => {
    const session = start({
      agents,
      agent: "other",
      model: { id: "claude-sonnet-4-5", temperature: 0.4, think: "low" },
    })
    session.say("Go")
    const sent = request(session)
    const changed = agents.map((agent) => ({ ...agent, temperature: 0, think: "max" }) as const)
    const again = request(reopen(session, { agents: changed, model: { id: "gpt-5" } }))
    expect(anthropic.encode(again)).toEqual(anthropic.encode(sent))
  })
})
