import { describe, expect, it } from "vitest"
import { ModelSetupError } from "../src/models/error.js"
import { defaultModel, resolveModel } from "../src/models/resolve.js"

const KEYS = { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "o", GEMINI_API_KEY: "g" }

async function reached(name: string, env: Readonly<Record<string, string>>) {
  const target = resolveModel(name, env)
  return { url: await target.url(), headers: target.headers, dialect: target.dialect, name: target.name }
}

describe("a model's name", () => {
  it("leads to its provider's API, with the key where that API wants it", async () => {
    expect(await reached("anthropic/claude-opus-5-5", KEYS)).toEqual({
      name: "anthropic/claude-opus-5-5",
      dialect: "anthropic",
      url: "https://api.anthropic.com/v1/messages",
      headers: { "anthropic-version": "2023-06-01", "x-api-key": "a" },
    })
    expect(await reached("openai/gpt-5.6", KEYS)).toEqual({
      name: "openai/gpt-5.6",
      dialect: "openai",
      url: "https://api.openai.com/v1/responses",
      headers: { authorization: "Bearer o" },
    })
    expect(await reached("openai-chat/meta/llama-4", KEYS)).toMatchObject({
      name: "openai-chat/meta/llama-4",
      dialect: "openai-chat",
      url: "https://api.openai.com/v1/chat/completions",
    })
    expect(await reached("google/gemini-3-pro", KEYS)).toEqual({
      name: "google/gemini-3-pro",
      dialect: "gemini",
      url: "https://generativelanguage.googleapis.com/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse",
      headers: { "x-goog-api-key": "g" },
    })
  })

  it.each([
    ["anthropic/m", "ANTHROPIC_BASE_URL", "http://gate.example", "http://gate.example/v1/messages"],
    ["anthropic/m", "ANTHROPIC_BASE_URL", "http://gate.example/a/v1/", "http://gate.example/a/v1/messages"],
    ["openai/m", "OPENAI_BASE_URL", "http://gate.example/v1/", "http://gate.example/v1/responses"],
    ["openai-chat/m", "OPENAI_BASE_URL", "http://gate.example", "http://gate.example/chat/completions"],
    [
      "google/m",
      "GOOGLE_GEMINI_BASE_URL",
      "http://gate.example/v1beta",
      "http://gate.example/v1beta/models/m:streamGenerateContent?alt=sse",
    ],
  ])("%s follows %s=%s", async (name, variable, base, url) => {
    expect((await reached(name, { ...KEYS, [variable]: base })).url).toBe(url)
  })

  it("takes Google's key under either of its names", async () => {
    expect((await reached("google/m", { GOOGLE_API_KEY: "other" })).headers).toEqual({
      "x-goog-api-key": "other",
    })
  })

  it.each(["http://localhost:1", "http://127.0.0.1:1", "http://[::1]:1"])(
    "needs no key at %s",
    async (base) => {
      expect((await reached("anthropic/m", { ANTHROPIC_BASE_URL: base })).headers).toEqual({
        "anthropic-version": "2023-06-01",
      })
    },
  )

  it.each([
    [
      "mistral/large",
      {},
      "unknown-provider",
      "anthropic/…, openai/…, openai-chat/…, google/… or rehearsal/…",
    ],
    ["gpt-5.6", KEYS, "unknown-provider", "openai/…"],
    ["constructor/x", KEYS, "unknown-provider", "openai/…"],
    ["anthropic/", KEYS, "no-model", "anthropic/claude-opus-5-5"],
    ["openai", KEYS, "no-model", "openai/gpt-5.6"],
    ["anthropic/m", {}, "no-key", "Set ANTHROPIC_API_KEY,"],
    ["openai-chat/m", { OPENAI_API_KEY: " " }, "no-key", "Set OPENAI_API_KEY,"],
    [
      "google/m",
      { GOOGLE_GEMINI_BASE_URL: "http://far.example" },
      "no-key",
      "Set GEMINI_API_KEY or GOOGLE_API_KEY,",
    ],
    ["openai/m", { ...KEYS, OPENAI_BASE_URL: "nowhere" }, "bad-url", 'OPENAI_BASE_URL is "nowhere"'],
  ])("%s with %j is refused: %s", (name, env, code, words) => {
    const refusal = expect.objectContaining({ code, message: expect.stringContaining(words) })
    expect(() => resolveModel(name, env)).toThrow(refusal)
    expect(() => resolveModel(name, env)).toThrow(ModelSetupError)
  })
})

describe("silence", () => {
  const silence = (env: Readonly<Record<string, string>>, given?: number) =>
    resolveModel("anthropic/m", env, { silence: () => given }).silence

  it("is borne for five minutes at a provider's own address, and for ten at any other", () => {
    expect(silence(KEYS)).toBe(300_000)
    expect(silence({ ...KEYS, ANTHROPIC_BASE_URL: "https://api.anthropic.com/v1" })).toBe(300_000)
    expect(silence({ ...KEYS, ANTHROPIC_BASE_URL: "http://127.0.0.1:8080" })).toBe(600_000)
  })

  it("is borne as long as the user says", () => {
    expect(silence(KEYS, 20_000)).toBe(20_000)
  })
})

describe("without a name", () => {
  it.each([
    [{ ...KEYS }, "openai-chat/mine", "openai-chat/mine"],
    [{ ...KEYS }, undefined, "anthropic/claude-opus-5-5"],
    [{ OPENAI_API_KEY: "o", GEMINI_API_KEY: "g" }, undefined, "openai/gpt-5.6"],
    [{ GOOGLE_API_KEY: "g" }, undefined, "google/gemini-3.8-flash"],
    [{ OPENAI_BASE_URL: "http://localhost:8080/v1" }, undefined, "openai/gpt-5.6"],
    [{ ANTHROPIC_BASE_URL: "http://127.0.0.1:1", GEMINI_API_KEY: "g" }, undefined, "google/gemini-3.8-flash"],
    [{ ANTHROPIC_BASE_URL: "http://far.example" }, undefined, "rehearsal/tour"],
    [{}, undefined, "rehearsal/tour"],
  ])("%j and %s give %s", (env, model, expected) => {
    expect(defaultModel(env, { model })).toBe(expected)
  })
})
