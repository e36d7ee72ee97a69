import fc from "fast-check"
import { describe, expect, it, test } from "vitest"
import { rehearse } from "../src/index.js"
import { ask, DIALECTS, eventsIn, post, rehearsalFor } from "./support/http.js"

const BROKEN = {
  anthropic: { model: "claude-opus-5-5", max_tokens: 10, messages: [] },
  openai: { model: "gpt-5.6", input: [] },
  "openai-chat": { model: "gpt-5.6", messages: [] },
  gemini: { contents: [] },
}

const SHAPES = {
  anthropic: (message: unknown) => ({
    type: "error",
    error: { type: "invalid_request_error", message },
    request_id: expect.stringMatching(/^req_/),
  }),
  openai: (message: unknown) => ({
    error: { message, type: "invalid_request_error", param: expect.anything(), code: null },
  }),
  "openai-chat": (message: unknown) => SHAPES.openai(message),
  gemini: (message: unknown) => ({
    error: { code: 400, message, status: "INVALID_ARGUMENT", details: expect.any(Array) },
  }),
}

describe.each(DIALECTS)("%s", (dialect) => {
  it("refuses what the API refuses, in its shape and with its words", async () => {
    const rehearsal = await rehearsalFor()
    const response = await post(rehearsal, { path: ask(dialect).path, body: BROKEN[dialect] })
    expect(response.status).toBe(400)
    const [seen] = rehearsal.requests
    expect(seen?.problems.length).toBeGreaterThan(0)
    expect(await response.json()).toEqual(SHAPES[dialect](seen?.problems[0]?.message))
  })

  it("answers an unknown path with 404 and a wrong method with 405", async () => {
    const rehearsal = await rehearsalFor()
    const headers = dialect === "anthropic" ? { "anthropic-version": "2023-06-01" } : {}
    const { path } = ask(dialect)
    const wrong = await fetch(`${rehearsal.url}${path}`, { headers })
    expect(wrong.status).toBe(405)
    const unknown = await fetch(`${rehearsal.url}${dialect === "gemini" ? "/v1beta" : "/v1"}/nowhere`, {
      headers,
    })
    expect(unknown.status).toBe(404)
    for (const response of [wrong, unknown]) {
      const body = (await response.json()) as { error: { message: string } }
      expect(body.error.message).toEqual(expect.any(String))
      if (dialect === "anthropic") expect(body).toMatchObject({ type: "error" })
      if (dialect === "gemini")
        expect(body).toMatchObject({ error: { code: response.status, status: "NOT_FOUND" } })
    }
  })

  it("takes no body over the limit and nothing that is not JSON", async () => {
    const rehearsal = await rehearsalFor({ bodyLimit: 1_000 })
    const large = await post(rehearsal, ask(dialect, { words: "a".repeat(2_000) }))
    expect(large.status).toBe(413)
    const { path } = ask(dialect)
    const garbled = await post(rehearsal, { path, body: '{"model":' })
    expect(garbled.status).toBe(400)
    expect(await garbled.text()).toContain("not valid JSON")
  })

  it("keeps what it saw, without the keys", async () => {
    const rehearsal = await rehearsalFor()
    const { path, body } = ask(dialect)
    await post(rehearsal, { path: `${path}${path.includes("?") ? "&" : "?"}key=secret`, body })
    const [seen] = rehearsal.requests
    expect(seen).toMatchObject({ dialect, method: "POST", body, problems: [], status: 200 })
    expect(seen?.reply?.parts.length).toBeGreaterThan(0)
    expect(JSON.stringify(seen)).not.toContain("secret")
  })
})

test.each(DIALECTS)("%s: no body whatsoever makes it throw", (dialect) => {
  const { body } = ask(dialect)
  const anything = fc.jsonValue() as fc.Arbitrary<unknown>
  const odd = fc.record(Object.fromEntries(Object.keys(body).map((key) => [key, anything])), {
    requiredKeys: [],
  })
  const list = fc.array(
    fc.record({
      role: fc.constantFrom("user", "assistant", "model", "tool"),
      content: anything,
      parts: anything,
    }),
  )
  const nearly = fc.record({ messages: list, input: list, contents: list }).map((fields) => {
    const known = Object.entries(fields).filter(([key]) => key in body)
    return { ...body, ...Object.fromEntries(known) }
  })
  fc.assert(
    fc.property(fc.oneof(anything, odd, nearly), (value) => {
      expect(["answered", "refused"]).toContain(rehearse(value, dialect).is)
    }),
  )
})

test("thinking is refused once a byte before it has changed", async () => {
  const rehearsal = await rehearsalFor({ script: [{ reasoning: "Hm.", text: "Hello." }, { text: "Fine." }] })
  const { path, body } = ask("anthropic", { words: "Hello", stream: true })
  const events = eventsIn(await (await post(rehearsal, { path, body })).text())
  const signature = events.flatMap(
    ({ data }) => (data as { delta?: { signature?: string } }).delta?.signature ?? [],
  )
  const again = (words: string) => ({
    path,
    body: {
      ...body,
      messages: [
        { role: "user", content: words },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: signature[0] },
            { type: "text", text: "Hello." },
          ],
        },
        { role: "user", content: "And?" },
      ],
    },
  })
  expect((await post(rehearsal, again("Hello"))).status).toBe(200)
  const refused = await post(rehearsal, again("Hullo"))
  expect(refused.status).toBe(400)
  expect(await refused.text()).toContain("Invalid `signature` in `thinking` block")
})
