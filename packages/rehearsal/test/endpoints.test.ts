import { describe, expect, it } from "vitest"
import { ask, DIALECTS, post, rehearsalFor } from "./support/http.js"

const ANTHROPIC = { "anthropic-version": "2023-06-01" }
const GOOGLE = { "x-goog-api-key": "k" }
const input = (text: string) => [{ role: "user", content: text }]

describe("counting tokens", () => {
  it.each([
    ["/v1/messages/count_tokens", { model: "claude-opus-5", messages: input("Hello there") }, "input_tokens"],
    ["/v1/responses/input_tokens", { model: "gpt-5.6", input: input("Hello there") }, "input_tokens"],
    [
      "/v1beta/models/gemini-3-pro:countTokens",
      { contents: [{ parts: [{ text: "Hello" }] }] },
      "totalTokens",
    ],
    [
      "/v1/models/gemini-3-pro:countTokens",
      {
        generateContentRequest: { model: "models/gemini-3-pro", contents: [{ parts: [{ text: "Hello" }] }] },
      },
      "totalTokens",
    ],
  ])("%s", async (path, body, name) => {
    const rehearsal = await rehearsalFor()
    const response = await post(rehearsal, { path, body })
    expect(response.status).toBe(200)
    const counted = (await response.json()) as Record<string, number>
    expect(counted[name]).toBeGreaterThan(1)
  })

  it("asks for no limit on output, and takes none", async () => {
    const rehearsal = await rehearsalFor()
    const body = { model: "claude-opus-5", messages: input("Hello"), max_tokens: 5 }
    const response = await post(rehearsal, { path: "/v1/messages/count_tokens", body })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain("max_tokens: Extra inputs are not permitted")
  })

  it("refuses what an answer would be refused for", async () => {
    const rehearsal = await rehearsalFor()
    const body = { model: "claude-opus-5", messages: [] }
    const response = await post(rehearsal, { path: "/v1/messages/count_tokens", body })
    expect(await response.json()).toMatchObject({ type: "error", error: { type: "invalid_request_error" } })
  })
})

describe("one model", () => {
  it.each([
    ["/v1/models/claude-haiku-4-5", ANTHROPIC, { type: "model", id: "claude-haiku-4-5" }],
    ["/v1/models/gpt-4.1", {}, { object: "model", id: "gpt-4.1" }],
    ["/v1beta/models/gemini-2.5-pro", GOOGLE, { name: "models/gemini-2.5-pro" }],
  ])("%s is described", async (path, headers, expected) => {
    const rehearsal = await rehearsalFor()
    const response = await fetch(`${rehearsal.url}${path}`, { headers })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject(expected)
  })

  it.each([
    ["/v1/models/nobody", ANTHROPIC, { type: "error", error: { type: "not_found_error" } }],
    ["/v1/models/nobody", {}, { error: { type: "invalid_request_error" } }],
    ["/v1beta/models/nobody", GOOGLE, { error: { code: 404, status: "NOT_FOUND" } }],
  ])("%s is not found, in the provider's shape", async (path, headers, expected) => {
    const rehearsal = await rehearsalFor()
    const response = await fetch(`${rehearsal.url}${path}`, { headers })
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject(expected)
  })
})

describe("responses that are kept", () => {
  const script = [
    { reasoning: "Hm.", text: "I look.", calls: [{ name: "read", input: { path: "a" } }] },
    { text: "Done." },
  ]
  const tools = [{ type: "function", name: "read", parameters: { type: "object", properties: {} } }]
  const first = { model: "gpt-5.6", input: "Read a.", tools }
  const output = (call_id: string) => [{ type: "function_call_output", call_id, output: "x" }]

  async function begun(fields: object = {}) {
    const rehearsal = await rehearsalFor({ script })
    const send = (body: object) => post(rehearsal, { path: "/v1/responses", body })
    const response = (await (await send({ ...first, ...fields })).json()) as {
      id: string
      output: { type: string; call_id?: string }[]
    }
    const call = response.output.find(({ type }) => type === "function_call")?.call_id ?? ""
    return { rehearsal, send, id: response.id, call }
  }

  it("are continued by previous_response_id, and the script goes on", async () => {
    const { send, id, call } = await begun()
    const next = await send({ model: "gpt-5.6", tools, previous_response_id: id, input: output(call) })
    expect(await next.json()).toMatchObject({
      status: "completed",
      previous_response_id: id,
      output: [{ type: "message", content: [{ text: "Done." }] }],
    })
  })

  it("hold the new input against what went before", async () => {
    const { send, id } = await begun()
    const unanswered = await send({ model: "gpt-5.6", previous_response_id: id, input: "And?" })
    expect(await unanswered.text()).toContain("No tool output found for function call")
    const stray = await send({ model: "gpt-5.6", previous_response_id: id, input: output("call_other") })
    expect(await stray.text()).toContain(
      "No tool call found for function call output with call_id call_other.",
    )
  })

  it("are not found if the request said not to keep them, or nobody sent it", async () => {
    const { send, id, rehearsal } = await begun({ store: false })
    const next = await send({ model: "gpt-5.6", previous_response_id: id, input: "And?" })
    expect(next.status).toBe(400)
    expect(await next.json()).toEqual({
      error: {
        message: `Previous response with id '${id}' not found.`,
        type: "invalid_request_error",
        param: "previous_response_id",
        code: "previous_response_not_found",
      },
    })
    expect((await fetch(`${rehearsal.url}/v1/responses/${id}`)).status).toBe(404)
  })

  it("are kept when they were streamed", async () => {
    const rehearsal = await rehearsalFor({ script: [{ text: "Hello." }, { text: "Again." }] })
    const stream = await post(rehearsal, {
      path: "/v1/responses",
      body: { model: "gpt-5.6", input: "Hi", stream: true },
    })
    const [, id] = /"id":"(resp_\w+)"/.exec(await stream.text()) ?? []
    const next = await post(rehearsal, {
      path: "/v1/responses",
      body: { model: "gpt-5.6", previous_response_id: id, input: "Again" },
    })
    expect(await next.text()).toContain("Again.")
  })

  it("of a conversation nobody created are not found", async () => {
    const rehearsal = await rehearsalFor()
    const body = { model: "gpt-5.6", conversation: "conv_none", input: "Hi" }
    const response = await post(rehearsal, { path: "/v1/responses", body })
    expect(response.status).toBe(404)
  })
})

describe("custom tools", () => {
  const script = [{ calls: [{ name: "apply", input: { input: "*** Begin" } }] }]

  it("are called with text over Responses, whole and streamed", async () => {
    const rehearsal = await rehearsalFor({ script })
    const body = { model: "gpt-5.6", input: "Go", tools: [{ type: "custom", name: "apply" }] }
    const whole = await post(rehearsal, { path: "/v1/responses", body })
    expect(await whole.json()).toMatchObject({
      output: [{ type: "custom_tool_call", name: "apply", input: "*** Begin" }],
    })
    const stream = await post(rehearsal, { path: "/v1/responses", body: { ...body, stream: true } })
    expect(await stream.text()).toContain("response.custom_tool_call_input.done")
  })

  it("are called with text over Chat Completions, whole and streamed", async () => {
    const rehearsal = await rehearsalFor({ script })
    const tools = [{ type: "custom", custom: { name: "apply" } }]
    const body = { model: "gpt-5.6", messages: input("Go"), tools }
    const whole = await post(rehearsal, { path: "/v1/chat/completions", body })
    expect(await whole.json()).toMatchObject({
      choices: [
        { message: { tool_calls: [{ type: "custom", custom: { name: "apply", input: "*** Begin" } }] } },
      ],
    })
    const stream = await post(rehearsal, { path: "/v1/chat/completions", body: { ...body, stream: true } })
    expect(await stream.text()).toContain('"custom":{"input":')
  })

  it("in a namespace are called by it", async () => {
    const rehearsal = await rehearsalFor({ script: [{ calls: [{ name: "send", input: {} }] }] })
    const mail = {
      type: "namespace",
      name: "mail",
      description: "d",
      tools: [{ type: "function", name: "send" }],
    }
    const body = { model: "gpt-5.6", input: "Go", tools: [mail] }
    const response = await post(rehearsal, { path: "/v1/responses", body })
    expect(await response.json()).toMatchObject({
      output: [{ type: "function_call", name: "send", namespace: "mail" }],
    })
  })
})

describe("Anthropic's cache diagnostics", () => {
  const hello = { role: "user", content: "Hello" }
  const body = (fields: object) => ({ model: "claude-opus-5", max_tokens: 100, messages: [hello], ...fields })
  const more = [hello, { role: "assistant", content: "Hi." }, { role: "user", content: "And?" }]

  it.each([
    ["nothing changed", { messages: more }, null],
    ["another model", { model: "claude-opus-5-5", messages: more }, "model_changed"],
    ["a system prompt", { system: "Be brief.", messages: more }, "system_changed"],
    ["a tool", { tools: [{ name: "t", input_schema: { type: "object" } }], messages: more }, "tools_changed"],
    ["another first word", { messages: [{ role: "user", content: "Hullo" }] }, "messages_changed"],
  ])("%s", async (_, fields, type) => {
    const rehearsal = await rehearsalFor()
    const send = async (sent: object) =>
      (await (await post(rehearsal, { path: "/v1/messages", body: sent })).json()) as {
        id: string
        diagnostics?: { cache_miss_reason: { type: string; cache_missed_input_tokens?: number } } | null
      }
    const first = await send(body({ diagnostics: { previous_message_id: null } }))
    expect(first.diagnostics).toBeNull()
    const { diagnostics } = await send(body({ ...fields, diagnostics: { previous_message_id: first.id } }))
    if (type === null) return expect(diagnostics).toBeNull()
    expect(diagnostics?.cache_miss_reason).toEqual({ type, cache_missed_input_tokens: expect.any(Number) })
  })

  it("are absent if nobody asks, and say when they know no such message", async () => {
    const rehearsal = await rehearsalFor()
    const plain = await post(rehearsal, { path: "/v1/messages", body: body({}) })
    expect(await plain.json()).not.toHaveProperty("diagnostics")
    const sent = body({ stream: true, diagnostics: { previous_message_id: "msg_none" } })
    const lost = await post(rehearsal, { path: "/v1/messages", body: sent })
    expect(await lost.text()).toContain('"cache_miss_reason":{"type":"previous_message_not_found"}')
  })
})

describe("OpenAI's cache diagnostics", () => {
  const hello = { role: "user", content: "Hello" }
  const more = [hello, { role: "assistant", content: "Hi." }, { role: "user", content: "And?" }]
  const body = (fields: object) => ({ model: "gpt-5.6", input: [hello], store: false, ...fields })
  const compaction = { type: "compaction", encrypted_content: "x" }

  it.each([
    ["nothing changed", { input: more }, undefined],
    ["another model", { model: "gpt-5.6-mini", input: more }, "model_changed"],
    ["another key", { prompt_cache_key: "two", input: more }, "prompt_cache_key_changed"],
    [
      "a tool",
      {
        tools: [{ type: "function", name: "t", parameters: { type: "object", properties: {} } }],
        input: more,
      },
      "tools_changed",
    ],
    [
      "a format",
      { text: { format: { type: "json_object" } }, input: [...more, { role: "user", content: "json" }] },
      "text_format_changed",
    ],
    ["an effort", { reasoning: { effort: "low" }, input: more }, "reasoning_effort_changed"],
    ["a verbosity", { text: { verbosity: "low" }, input: more }, "verbosity_changed"],
    ["a tier", { service_tier: "flex", input: more }, "service_tier_changed"],
    ["instructions", { instructions: "Be brief.", input: more }, "input_changed"],
    ["another first word", { input: [{ role: "user", content: "Hullo" }] }, "input_changed"],
    ["a compacted conversation", { input: [compaction, hello] }, "context_compacted"],
  ])("%s", async (_, fields, reason) => {
    const rehearsal = await rehearsalFor()
    const send = async (sent: object) =>
      (await (await post(rehearsal, { path: "/v1/responses", body: sent })).json()) as {
        id: string
        prompt_cache_diagnostics?: object
      }
    const first = await send(body({}))
    expect(first).not.toHaveProperty("prompt_cache_diagnostics")
    const asked = { prompt_cache_options: { comparison_response_id: first.id } }
    const second = await send(body({ ...fields, ...asked }))
    expect(second).toMatchObject({
      prompt_cache_options: { mode: "implicit", ttl: "30m", ...asked.prompt_cache_options },
    })
    expect(second.prompt_cache_diagnostics).toEqual(
      reason === undefined
        ? { type: "cache_hit" }
        : {
            type: "cache_miss",
            reason,
            cache_missed_tokens: expect.any(Number),
            comparison_reusable_tokens: expect.any(Number),
          },
    )
  })

  it("count what the cache had and did not give", async () => {
    const rehearsal = await rehearsalFor()
    const long = { role: "user", content: "many words ".repeat(2_000) }
    const send = async (sent: object) => (await post(rehearsal, { path: "/v1/responses", body: sent })).json()
    const { id, usage } = (await send(body({ input: [long] }))) as {
      id: string
      usage: { input_tokens_details: { cache_write_tokens: number } }
    }
    const written = usage.input_tokens_details.cache_write_tokens
    expect(written).toBeGreaterThan(1_024)
    const asked = { prompt_cache_options: { comparison_response_id: id } }
    expect(await send(body({ input: [hello, long], ...asked }))).toMatchObject({
      prompt_cache_diagnostics: { cache_missed_tokens: written, comparison_reusable_tokens: written },
    })
  })

  it("say at the end of a stream that they know no such response, and nothing before GPT-5.6", async () => {
    const rehearsal = await rehearsalFor()
    const asked = { stream: true, prompt_cache_options: { comparison_response_id: "resp_none" } }
    const lost = await (await post(rehearsal, { path: "/v1/responses", body: body(asked) })).text()
    const [, completed] = lost.split("event: response.completed")
    expect(completed).toContain('"prompt_cache_diagnostics":{"type":"comparison_response_not_found"}')
    const older = await post(rehearsal, { path: "/v1/responses", body: body({ ...asked, model: "gpt-5.4" }) })
    expect(await older.text()).not.toContain("prompt_cache_diagnostics")
  })
})

describe.each(DIALECTS)("%s", (dialect) => {
  const headers = { anthropic: ANTHROPIC, gemini: GOOGLE, openai: {}, "openai-chat": {} }[dialect]

  it("answers OPTIONS with what is allowed, and HEAD without a body", async () => {
    const rehearsal = await rehearsalFor()
    const options = await fetch(`${rehearsal.url}${ask(dialect).path}`, { method: "OPTIONS", headers })
    expect([options.status, options.headers.get("allow")]).toEqual([204, "POST, OPTIONS"])
    const head = await fetch(`${rehearsal.url}/v1/models`, { method: "HEAD", headers })
    expect([head.status, await head.text()]).toEqual([200, ""])
    const wrong = await fetch(`${rehearsal.url}${ask(dialect).path}`, { method: "PUT", headers })
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"])
  })

  it("names what exists where something else is asked for", async () => {
    const rehearsal = await rehearsalFor()
    const response = await fetch(`${rehearsal.url}/v1/embeddings`, { method: "POST", headers, body: "{}" })
    expect(response.status).toBe(404)
    const { error } = (await response.json()) as { error: { message: string } }
    expect(error.message).toContain("POST /v1/messages/count_tokens")
  })

  it("answers a request with notes, and keeps them", async () => {
    const rehearsal = await rehearsalFor()
    const { path, body } = ask(dialect)
    const tools = dialect === "gemini" ? [{ teleport: {} }] : [{ type: "teleport" }]
    const response = await post(rehearsal, { path, body: { ...body, tools } })
    expect(response.status).toBe(200)
    expect(rehearsal.requests[0]?.problems).toMatchObject([{ severity: "note" }])
  })
})

describe("keys", () => {
  it.each([
    ["x-api-key", "", "/v1/models", { "anthropic-version": "2023-06-01" }, 401, "invalid x-api-key"],
    ["authorization", "Bearer ", "/v1/models", {}, 401, "Incorrect API key provided."],
    ["x-goog-api-key", "", "/v1beta/models", {}, 400, "API key not valid."],
  ])("in %s are looked at if the options name some", async (header, before, path, headers, status, why) => {
    const rehearsal = await rehearsalFor({ keys: ["right"] })
    const answerTo = (key: string) =>
      fetch(`${rehearsal.url}${path}`, { headers: { ...headers, [header]: `${before}${key}` } })
    expect((await answerTo("right")).status).toBe(200)
    const refused = await answerTo("wrong")
    expect(refused.status).toBe(status)
    expect(await refused.text()).toContain(why)
    const any = await rehearsalFor()
    expect((await fetch(`${any.url}${path}`, { headers })).status).toBe(200)
  })
})
