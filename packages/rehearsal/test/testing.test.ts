import Anthropic from "@anthropic-ai/sdk"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type TestHooks, useRehearsal } from "../src/test-kit/index.js"

const QUESTION = {
  model: "claude-opus-5-5",
  max_tokens: 100,
  messages: [{ role: "user" as const, content: "Hi" }],
}

describe("a rehearsal for each test", () => {
  const rehearsal = useRehearsal({ beforeEach, afterEach }, { script: [{ text: "Hello." }] })

  it.each([1, 2])("serves test %i from a server of its own", async () => {
    const { content } = await new Anthropic({ baseURL: rehearsal.url, apiKey: "any" }).messages.create(
      QUESTION,
    )
    expect(content).toMatchObject([{ text: "Hello." }])
    expect(rehearsal.requests).toHaveLength(1)
    expect(rehearsal.env.OPENAI_BASE_URL).toBe(`${rehearsal.url}/v1`)
  })
})

/** The hooks of a runner that is played by hand. */
function byHand(): TestHooks & { begin(): Promise<void>; end(): Promise<void> } {
  let set: (() => Promise<void>) | undefined
  let clear: (() => Promise<void>) | undefined
  return {
    beforeEach: (given) => {
      set = given
    },
    afterEach: (given) => {
      clear = given
    },
    begin: async () => set?.(),
    end: async () => clear?.(),
  }
}

async function statusOf(url: string, body: object, fault?: string): Promise<number> {
  const headers = { "content-type": "application/json", ...(fault && { "x-rehearsal-fault": fault }) }
  return (await fetch(`${url}/v1/messages`, { method: "POST", headers, body: JSON.stringify(body) })).status
}

describe("at its end a test", () => {
  it("fails if a request was refused, and is told which and why", async () => {
    const hooks = byHand()
    const rehearsal = useRehearsal(hooks)
    await hooks.begin()
    expect(await statusOf(rehearsal.url, QUESTION)).toBe(200)
    expect(await statusOf(rehearsal.url, { ...QUESTION, seed: 1 })).toBe(400)
    await expect(hooks.end()).rejects.toThrow(/refused 1 of 2 requests:\n {2}request 2 \(anthropic\): seed: /)
  })

  it("does not fail for errors that it asked for, nor where refusals are allowed", async () => {
    for (const [body, fault, allowRefusals] of [
      [QUESTION, "500", false],
      [{ ...QUESTION, seed: 1 }, undefined, true],
    ] as const) {
      const hooks = byHand()
      const rehearsal = useRehearsal(hooks, { allowRefusals })
      await hooks.begin()
      expect(await statusOf(rehearsal.url, body, fault)).toBeGreaterThanOrEqual(400)
      await expect(hooks.end()).resolves.toBeUndefined()
    }
  })

  it("has no server any more", async () => {
    const hooks = byHand()
    const rehearsal = useRehearsal(hooks)
    expect(() => rehearsal.url).toThrow("runs only while a test does")
    await hooks.begin()
    const { url } = rehearsal
    await hooks.end()
    await expect(fetch(url)).rejects.toThrow()
  })
})
