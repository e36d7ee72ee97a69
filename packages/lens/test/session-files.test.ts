import { describe, expect, it } from "vitest"
import { jsonl, read } from "./support/reading.js"

const AT = "2026-11-16T10:00:00.000Z"
const contents = (call: { readonly body: unknown } | undefined) => {
  const { messages, input, contents } = (call?.body ?? {}) as Record<string, unknown>
  return messages ?? input ?? contents
}

describe("Claude Code", () => {
  const usage = {
    input_tokens: 3,
    output_tokens: 5,
    cache_read_input_tokens: 90,
    cache_creation_input_tokens: 7,
  }
  const line = (type: string, uuid: string, parentUuid: string | null, more: object) => ({
    type,
    uuid,
    parentUuid,
    sessionId: "s",
    timestamp: AT,
    ...more,
  })
  const said = (uuid: string, parent: string, id: string, block: object) =>
    line("assistant", uuid, parent, {
      message: { id, role: "assistant", model: "claude-opus-5", content: [block], usage },
    })
  const call = { type: "tool_use", id: "t1", name: "Read", input: {} }
  const result = { type: "tool_result", tool_use_id: "t1", content: "It is empty." }
  const file = [
    { type: "summary", summary: "An earlier talk", leafUuid: "z" },
    line("user", "a", null, { message: { role: "user", content: "Look." } }),
    said("b", "a", "msg_1", { type: "text", text: "I look." }),
    said("c", "b", "msg_1", call),
    line("user", "d", "c", { message: { role: "user", content: [result] } }),
    line("system", "e", "d", { content: "A hook ran." }),
    said("f", "e", "msg_2", { type: "text", text: "Nothing there." }),
  ]

  it("puts the lines of a reply together, and asks for it with what led to it", async () => {
    const { format, calls, damage } = await read(jsonl(...file))
    expect({ format, damage }).toEqual({ format: "claude-code", damage: [] })
    expect(calls).toMatchObject([
      { number: 3, partial: true, dialect: "anthropic", model: "claude-opus-5", at: Date.parse(AT) },
      { number: 7, partial: true },
    ])
    expect(contents(calls[0])).toEqual([{ role: "user", content: [{ type: "text", text: "Look." }] }])
    expect(contents(calls[1])).toEqual([
      { role: "user", content: [{ type: "text", text: "Look." }] },
      { role: "assistant", content: [{ type: "text", text: "I look." }, call] },
      { role: "user", content: [result] },
    ])
    expect(calls[0]?.response?.body).toMatchObject({
      content: [{ type: "text" }, { type: "tool_use" }],
      usage,
    })
  })

  it("follows branches and subagents in the same file, and passes over what no model said", async () => {
    const side = [
      line("user", "p", null, { isSidechain: true, message: { role: "user", content: "Search." } }),
      said("q", "p", "msg_9", { type: "text", text: "Found." }),
      line("user", "g", "a", { message: { role: "user", content: "Look again." } }),
      line("assistant", "x", "g", {
        message: {
          id: "e",
          role: "assistant",
          model: "<synthetic>",
          content: [{ type: "text", text: "429" }],
        },
      }),
      said("h", "g", "msg_3", { type: "text", text: "Still nothing." }),
    ]
    const { calls } = await read(jsonl(...file, '{"type":"user", cut', ...side))
    expect(contents(calls[2])).toEqual([{ role: "user", content: [{ type: "text", text: "Search." }] }])
    expect(contents(calls[3])).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "Look." },
          { type: "text", text: "Look again." },
        ],
      },
    ])
  })

  it("keeps calls that were made together in one reply, with all their results after it", async () => {
    const second = { type: "tool_use", id: "t2", name: "Read", input: {} }
    const other = { type: "tool_result", tool_use_id: "t2", content: "It is full." }
    const { calls } = await read(
      jsonl(
        ...file.slice(1, 5),
        said("c2", "c", "msg_1", second),
        line("user", "d2", "c2", { message: { role: "user", content: [other] } }),
        said("f", "d2", "msg_2", { type: "text", text: "One is empty." }),
      ),
    )
    expect(contents(calls[1])).toEqual([
      { role: "user", content: [{ type: "text", text: "Look." }] },
      { role: "assistant", content: [{ type: "text", text: "I look." }, call, second] },
      { role: "user", content: [result, other] },
    ])
  })
})

describe("Codex", () => {
  const line = (type: string, payload: object) => ({ timestamp: AT, type, payload })
  const item = (payload: object) =>
    line("response_item", { internal_chat_message_metadata_passthrough: { turn_id: "t" }, ...payload })
  const user = { type: "message", role: "user", content: [{ type: "input_text", text: "Look." }] }
  const call = (n: number) => ({ type: "function_call", name: "shell", arguments: "{}", call_id: `c${n}` })
  const output = (n: number) => ({ type: "function_call_output", call_id: `c${n}`, output: "Nothing." })
  const answer = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Nothing." }] }
  const usage = { input_tokens: 100, cached_input_tokens: 60, output_tokens: 5 }
  const head = [
    line("session_meta", { id: "s", cwd: "/", base_instructions: { text: "You are Codex." } }),
    line("turn_context", { model: "gpt-5.5" }),
    item({ id: "msg_1", ...user }),
  ]

  it("takes the items as they went over the wire, and the cost of each reply", async () => {
    const { format, calls, damage } = await read(
      jsonl(
        ...head,
        item({ id: "rs_1", type: "reasoning", summary: [] }),
        item({ id: "fc_1", ...call(1) }),
        item(call(2)),
        line("token_usage_record", { usage }),
        item({ id: "fco_1", ...output(1) }),
        item(output(2)),
        line("event_msg", { type: "token_count", info: { last_token_usage: usage } }),
        item(answer),
        line("token_usage_record", { usage: { ...usage, cached_input_tokens: 96 } }),
      ),
    )
    expect({ format, damage }).toEqual({ format: "codex", damage: [] })
    expect(calls).toMatchObject([
      { number: 4, dialect: "openai", model: "gpt-5.5", partial: true },
      { number: 11, response: { body: { usage: { input_tokens_details: { cached_tokens: 96 } } } } },
    ])
    expect(calls[0]?.body).toEqual({ model: "gpt-5.5", instructions: "You are Codex.", input: [user] })
    expect(contents(calls[1])).toEqual([
      user,
      { type: "reasoning", summary: [] },
      call(1),
      call(2),
      output(1),
      output(2),
    ])
  })

  it("takes the cost from where older versions wrote it, and does without where there is none", async () => {
    const count = line("event_msg", { type: "token_count", info: { last_token_usage: usage } })
    const { calls } = await read(
      jsonl(...head, item(call(1)), item(output(1)), count, item(call(2)), item(output(2)), item(answer)),
    )
    expect(calls.map(({ response }) => Object.hasOwn(response?.body as object, "usage"))).toEqual([
      true,
      false,
      false,
    ])
  })

  it("begins anew with what a compaction left", async () => {
    const { calls, damage } = await read(
      jsonl(
        ...head,
        item(answer),
        line("token_usage_record", { usage }),
        "{cut",
        line("compacted", { message: "So far: nothing.", replacement_history: [user, { ...user, id: "m" }] }),
        item(answer),
      ),
    )
    expect(damage.map(({ number }) => number)).toEqual([6])
    expect(contents(calls[1])).toEqual([user, user])
  })
})

describe("pi", () => {
  const line = (id: string, parentId: string | null, message: object) => ({
    type: "message",
    id,
    parentId,
    timestamp: AT,
    message,
  })
  const usage = { input: 1, output: 2, cacheRead: 30, cacheWrite: 4 }
  const reply = (content: object) => ({
    role: "assistant",
    content: [content],
    model: "claude-opus-5",
    usage,
  })

  it("follows the tree, and says it in the words of Anthropic's API", async () => {
    const { format, calls, damage } = await read(
      jsonl(
        { type: "session", version: 3, id: "s", timestamp: AT, cwd: "/" },
        { type: "model_change", id: "m", parentId: null, timestamp: AT, modelId: "claude-opus-5" },
        line("a", "m", { role: "user", content: [{ type: "text", text: "Look." }] }),
        line("b", "a", reply({ type: "toolCall", id: "t1", name: "read", arguments: { path: "x" } })),
        line("c", "b", {
          role: "toolResult",
          toolCallId: "t1",
          content: [{ type: "text", text: "Nothing." }],
        }),
        line("d", "c", reply({ type: "text", text: "Nothing." })),
        line("e", "a", reply({ type: "text", text: "Another branch." })),
        { type: "compaction", id: "k", parentId: "d", timestamp: AT, summary: "So far: nothing." },
        line("f", "k", { role: "user", content: "And now?" }),
        line("g", "f", reply({ type: "text", text: "Still nothing." })),
      ),
    )
    expect({ format, damage }).toEqual({ format: "pi", damage: [] })
    const user = { role: "user", content: [{ type: "text", text: "Look." }] }
    expect(calls.map(contents)).toEqual([
      [user],
      [
        user,
        { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "read", input: { path: "x" } }] },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "Nothing." }] },
          ],
        },
      ],
      [user],
      [
        { role: "user", content: [{ type: "text", text: "So far: nothing." }] },
        { role: "user", content: [{ type: "text", text: "And now?" }] },
      ],
    ])
    expect(calls[0]?.response?.body).toMatchObject({
      usage: { cache_read_input_tokens: 30, input_tokens: 1 },
    })
  })
})

describe("opencode", () => {
  const info = (role: string, more: object = {}) => ({ id: "m", sessionID: "s", role, ...more })
  const tokens = { input: 1, output: 2, reasoning: 0, cache: { read: 30, write: 4 } }
  const user = { info: info("user"), parts: [{ type: "text", text: "Look." }] }
  const tool = { type: "tool", tool: "read", callID: "t1", state: { input: { a: 1 }, output: "Nothing." } }
  const step = {
    info: info("assistant", { modelID: "claude-opus-5", time: { created: 1_700_000_000_000 }, tokens }),
    parts: [{ type: "step-start" }, tool, { type: "step-finish", tokens }],
  }
  const end = { ...step, parts: [{ type: "text", text: "Nothing." }] }

  it("takes messages with their parts, one a line or as its export has them", async () => {
    const session = { info: { id: "s", title: "t" }, messages: [user, step, end] }
    for (const text of [jsonl(user, step, end), JSON.stringify(session), JSON.stringify(session, null, 2)]) {
      const { format, calls, damage } = await read(text)
      expect({ format, damage }).toEqual({ format: "opencode", damage: [] })
      expect(calls.map(contents)).toEqual([
        [{ role: "user", content: [{ type: "text", text: "Look." }] }],
        [
          { role: "user", content: [{ type: "text", text: "Look." }] },
          { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "read", input: { a: 1 } }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "Nothing." }] },
        ],
      ])
      expect(calls[1]).toMatchObject({
        partial: true,
        model: "claude-opus-5",
        response: { body: { usage: { cache_read_input_tokens: 30, cache_creation_input_tokens: 4 } } },
      })
    }
  })

  it("keeps sessions apart, and begins anew with a summary", async () => {
    const other = { info: { ...info("user"), sessionID: "sub" }, parts: [{ type: "text", text: "Search." }] }
    const found = { ...end, info: { ...end.info, sessionID: "sub" } }
    const summary = { ...end, info: { ...end.info, summary: true } }
    const { calls } = await read(jsonl(user, other, found, step, summary, user, end))
    expect(calls.map((call) => (contents(call) as unknown[]).length)).toEqual([1, 1, 3, 2])
  })
})

describe("Gemini CLI", () => {
  const head = { sessionId: "s", projectHash: "p", startTime: AT, lastUpdated: AT }
  const message = (id: string, type: string, more: object) => ({ id, timestamp: AT, type, ...more })
  const tokens = { input: 100, output: 5, cached: 60, thoughts: 0, tool: 0, total: 105 }
  const toolCall = (n: number) => ({
    id: `c${n}`,
    name: "read_file",
    args: { n },
    result: [{ functionResponse: { id: `c${n}`, name: "read_file", response: { output: "Nothing." } } }],
  })
  const calls = (n: number) => ({ functionCall: { id: `c${n}`, name: "read_file", args: { n } } })
  const look = { role: "user", parts: [{ text: "Look." }] }
  const asked = (n: number) => ({ role: "model", parts: [calls(n)] })
  const answered = (n: number) => ({ role: "user", parts: toolCall(n).result })

  it("takes each message that says what it cost for a reply", async () => {
    const of = (...which: readonly number[]) => ({
      content: "",
      toolCalls: which.map(toolCall),
      model: "gemini-3-pro",
    })
    const cost = { content: "", tokens, model: "gemini-3-pro" }
    const read1 = await read(
      jsonl(
        head,
        { $set: { messages: [message("a", "user", { content: [{ text: "Look." }] })] } },
        message("b", "gemini", cost),
        message("x", "gemini", of(1)),
        message("c", "user", { content: toolCall(1).result }),
        { $set: { lastUpdated: AT } },
        message("d", "gemini", cost),
        message("x", "gemini", of(1, 2)),
        "{",
        message("e", "user", { content: toolCall(2).result }),
        message("f", "gemini", { ...cost, content: "Nothing." }),
      ),
    )
    expect(read1.format).toBe("gemini-cli")
    expect(read1.damage.map(({ number }) => number)).toEqual([9])
    expect(read1.calls.map(contents)).toEqual([
      [look],
      [look, asked(1), answered(1)],
      [look, asked(1), answered(1), asked(2), answered(2)],
    ])
    expect(read1.calls[2]).toMatchObject({
      dialect: "gemini",
      model: "gemini-3-pro",
      partial: true,
      response: { body: { usageMetadata: { promptTokenCount: 100, cachedContentTokenCount: 60 } } },
    })
  })

  it("takes the conversation as it is set anew, as when results are masked", async () => {
    const cost = { content: "", tokens, model: "gemini-3-pro" }
    const masked = [{ functionResponse: { id: "c1", name: "read_file", response: { output: "(masked)" } } }]
    const all = (result: unknown) => [
      message("a", "user", { content: [{ text: "Look." }] }),
      message("b", "gemini", { ...cost, toolCalls: undefined }),
      message("x", "gemini", { content: "", toolCalls: [toolCall(1)] }),
      message("c", "user", { content: result }),
    ]
    const { calls: found } = await read(
      jsonl(
        head,
        ...all(toolCall(1).result),
        message("d", "gemini", { ...cost, content: "Nothing." }),
        { $set: { messages: [...all(masked), message("d", "gemini", { ...cost, content: "Nothing." })] } },
        message("e", "user", { content: [{ text: "Again." }] }),
        message("f", "gemini", cost),
      ),
    )
    expect(found).toHaveLength(3)
    expect(contents(found[2])).toEqual([
      look,
      asked(1),
      { role: "user", parts: masked },
      { role: "model", parts: [{ text: "Nothing." }] },
      { role: "user", parts: [{ text: "Again." }] },
    ])
  })

  it("reads the documents of older versions, on one line or many", async () => {
    const messages = [
      message("a", "user", { content: "Look." }),
      message("b", "gemini", { content: "", toolCalls: [toolCall(1)], tokens, model: "gemini-2.5-pro" }),
      message("c", "info", { content: "A notice." }),
      message("d", "gemini", { content: "Nothing.", tokens, model: "gemini-2.5-pro" }),
    ]
    for (const indent of [0, 2]) {
      const { format, calls: found } = await read(JSON.stringify({ ...head, messages }, null, indent))
      expect(format).toBe("gemini-cli")
      expect(found.map(contents)).toEqual([[look], [look, asked(1), answered(1)]])
    }
  })
})
