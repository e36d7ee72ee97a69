import { capabilitiesOf, type ModelChoice, SottoError } from "@sotto/core"
import * as aiSdk from "@sotto/core/ai-sdk"
import * as anthropic from "@sotto/core/anthropic"
import * as gemini from "@sotto/core/gemini"
import * as openai from "@sotto/core/openai"
import * as chat from "@sotto/core/openai-chat"
import { describe, expect, it } from "vitest"
import { exchange, reopen, request, says, start, work } from "./support/session.js"

describe("a model is taken to accept what its dialect passes on", () => {
  it.each([
    [{ id: "claude-opus-5" }, { systemMessages: true, toolResultReminders: true, toolChanges: true }],
    [
      { id: "claude-opus-5", dialect: "anthropic" },
      { systemMessages: true, toolChanges: true },
    ],
    [
      { id: "claude-opus-5", dialect: "openai-chat" },
      { systemMessages: false, toolResultReminders: false },
    ],
    [
      { id: "claude-opus-5-5", dialect: "openai-chat" },
      { toolChanges: false, tiedReasoning: false, prefill: false },
    ],
    [
      { id: "openrouter/anthropic/claude-sonnet-4-5", dialect: "openai-chat" },
      { toolResultReminders: false },
    ],
    [{ id: "claude-opus-5", dialect: "openai" }, { systemMessages: false }],
    [
      { id: "claude-opus-5", dialect: "ai-sdk" },
      { systemMessages: true, toolChanges: false },
    ],
    [{ id: "gpt-5.6", dialect: "openai-chat" }, { systemMessages: true }],
    [{ id: "gpt-5.6", dialect: "anthropic" }, { systemMessages: false }],
    [
      { id: "gemini-3-pro", dialect: "openai-chat" },
      { systemMessages: false, contextWindow: 1_048_576 },
    ],
    [
      { id: "deepseek-v4", dialect: "openai-chat" },
      { contentParts: false, images: false },
    ],
    [{ id: "claude-opus-5", dialect: "mine" }, { systemMessages: false }],
  ] as const)("%j: %j", (model, expected) => {
    expect(capabilitiesOf(model)).toMatchObject(expected)
  })

  it("reaches the wire: Claude behind a gateway is told as user text", () => {
    const session = start({ model: { id: "anthropic/claude-opus-5", dialect: "openai-chat" } })
    session.say("Go")
    work(session, "c1")
    session.say("And then?")
    session.note({ type: "critical", text: "Be brief." })
    const body = chat.encode(request(session))
    expect(body.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "user"])
    expect(chat.validate(body)).toEqual([])
    expect(body.model).toBe("anthropic/claude-opus-5")
  })

  it("gives way to what the embedding program knows better", () => {
    const model: ModelChoice = {
      id: "claude-opus-5",
      dialect: "openai-chat",
      capabilities: { systemMessages: true },
    }
    expect(start({ model }).capabilities.systemMessages).toBe(true)
  })
})

describe("a request is for one dialect", () => {
  const dialects = { anthropic, openai, "openai-chat": chat, gemini, "ai-sdk": aiSdk }

  it.each(Object.keys(dialects))("%s writes its own, and refuses the others'", (own) => {
    const session = start({ model: { id: "gpt-5.6", dialect: own } })
    session.say("Go")
    for (const [name, { encode, ...rest }] of Object.entries(dialects)) {
      const sent = request(session)
      if (name === own) expect(encode(sent)).toBeDefined()
      else expect(() => encode(sent)).toThrow(new RegExp(`"${own}".*"${name}"`))
      if (name !== own && "encodeBytes" in rest) expect(() => rest.encodeBytes(sent)).toThrow(SottoError)
    }
  })

  it("any dialect writes a request of which nobody has said", () => {
    const session = start({ model: { id: "gpt-5.6" } })
    session.say("Go")
    for (const { encode } of Object.values(dialects)) expect(encode(request(session))).toBeDefined()
  })

  it("is pinned, logged and restored; another one begins an epoch", () => {
    const session = start({ model: { id: "gpt-5.6", dialect: "openai" } })
    session.say("Go")
    exchange(session, says("ok"))
    session.switchModel({ id: "gpt-5.6", dialect: "openai-chat" })
    session.say("On")
    const again = reopen(session)
    for (const one of [session, again]) {
      expect(request(one).pins.dialect).toBe("openai-chat")
      expect(one.log.findLast(({ type }) => type === "step")).toMatchObject({ epoch: { reasons: ["model"] } })
    }
    expect(chat.encode(request(again))).toEqual(chat.encode(request(session)))
  })

  it("a carrier that a gateway refuses is not given up at the provider itself", () => {
    const session = start({ model: { id: "gpt-5.6", dialect: "openai-chat" } })
    session.say("Go")
    request(session)
    session.refuseCarrier("system-message")
    expect(request(session).pins.capabilities.systemMessages).toBe(false)
    exchange(session, says("ok"))
    session.switchModel({ id: "gpt-5.6", dialect: "openai" })
    session.say("On")
    expect(request(session).pins.capabilities.systemMessages).toBe(true)
  })
})
