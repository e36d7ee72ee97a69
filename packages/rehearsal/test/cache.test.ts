import { expect, it } from "vitest"
import type { HttpDialectName } from "../src/index.js"
import { decodeWhole } from "./support/decode.js"
import { ask, DIALECTS, post, rehearsalFor } from "./support/http.js"

const LONG = "A sentence that is long enough to be worth keeping. ".repeat(500)

it.each(DIALECTS)(
  "%s: what was sent before is read, and reported as that API reports it",
  async (dialect) => {
    const rehearsal = await rehearsalFor({ script: [{ text: "Yes." }, { text: "Again." }] })
    const first = marked(dialect, [LONG])
    const second = marked(dialect, [LONG, "And now?"])
    const usages = []
    for (const asked of [first, second])
      usages.push(usageIn(dialect, await (await post(rehearsal, asked)).json()))
    const [one, two] = rehearsal.requests.map(({ cache, reply }) => ({
      ...cache,
      input: reply?.usage.input ?? 0,
    }))

    expect(one).toMatchObject({ read: 0, missed: 0 })
    expect(two?.read).toBeGreaterThan(6_000)
    expect(two?.missed).toBe(0)
    switch (dialect) {
      case "anthropic":
        // Neither what was read nor what was written is part of the input.
        expect(usages[1]).toMatchObject({
          cache_read_input_tokens: two?.read,
          cache_creation_input_tokens: two?.written,
        })
        expect(usages[1]?.input_tokens).toBe((two?.input ?? 0) - (two?.read ?? 0) - (two?.written ?? 0))
        break
      case "openai":
        expect(usages[1]).toMatchObject({
          input_tokens: two?.input,
          input_tokens_details: { cached_tokens: two?.read },
        })
        break
      case "openai-chat":
        expect(usages[1]).toMatchObject({
          prompt_tokens: two?.input,
          prompt_tokens_details: { cached_tokens: two?.read },
        })
        break
      case "gemini":
        expect(usages[1]).toMatchObject({ promptTokenCount: two?.input, cachedContentTokenCount: two?.read })
        expect(usages[0]).not.toHaveProperty("cachedContentTokenCount")
    }
  },
)

it.each(DIALECTS)("%s: nothing behind a changed byte is read", async (dialect) => {
  const rehearsal = await rehearsalFor()
  await post(rehearsal, marked(dialect, [LONG, "One."]))
  await post(rehearsal, marked(dialect, [LONG.replace("sentence", "Sentence"), "One.", "Two."]))
  expect(rehearsal.requests[1]?.cache?.read).toBe(0)
})

it("another model has another cache, and a refused request writes nothing", async () => {
  const script = [{ text: "Yes.", fail: [{ status: 429 }] }]
  const rehearsal = await rehearsalFor({ script })
  const { path, body } = marked("anthropic", [LONG])
  for (const model of ["claude-opus-5-5", "claude-opus-5-5", "claude-sonnet-4-5", "claude-sonnet-4-5"])
    await post(rehearsal, { path, body: { ...body, model } })
  expect(rehearsal.requests.map(({ cache }) => cache?.read)).toEqual([undefined, 0, undefined, 0])
})

it.each([
  ["claude-haiku-4-5", 0],
  ["claude-sonnet-4-5", 1],
])("what is too short for %s is not kept", async (model, kept) => {
  const rehearsal = await rehearsalFor()
  const { path, body } = marked("anthropic", ["Two thousand tokens, or so. ".repeat(300)])
  await post(rehearsal, { path, body: { ...body, model } })
  expect(Math.sign(rehearsal.requests[0]?.cache?.written ?? -1)).toBe(kept)
})

/** A conversation in which every word of the user was answered with "Yes.", with Anthropic's markers where it wants them. */
function marked(
  dialect: HttpDialectName,
  words: readonly string[],
): { readonly path: string; readonly body: object } {
  const { path, body } = ask(dialect)
  const turns = words.flatMap((text, i) => [
    ...(i > 0 ? [{ role: "assistant", text: "Yes." }] : []),
    { role: "user", text },
  ])
  switch (dialect) {
    case "anthropic": {
      const cache_control = { type: "ephemeral" }
      const messages = turns.map(({ role, text }) => ({
        role,
        content: [{ type: "text", text, ...(role === "user" && { cache_control }) }],
      }))
      return { path, body: { ...body, messages } }
    }
    case "openai":
      return { path, body: { ...body, input: turns.map(({ role, text }) => ({ role, content: text })) } }
    case "openai-chat":
      return { path, body: { ...body, messages: turns.map(({ role, text }) => ({ role, content: text })) } }
    case "gemini": {
      const contents = turns.map(({ role, text }) => ({
        role: role === "user" ? role : "model",
        parts: [{ text }],
      }))
      return { path, body: { ...body, contents } }
    }
  }
}

function usageIn(dialect: HttpDialectName, response: unknown): Readonly<Record<string, unknown>> {
  expect(decodeWhole(dialect, response).usage?.cacheRead).toEqual(expect.any(Number))
  const { usage, usageMetadata } = response as Record<string, Record<string, unknown>>
  return usage ?? usageMetadata ?? {}
}
