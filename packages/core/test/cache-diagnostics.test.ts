import { decode, decoder } from "@sotto/core/anthropic"
import { diagnosesIn, explainCost } from "@sotto/core/economy"
import * as openai from "@sotto/core/openai"
import * as chat from "@sotto/core/openai-chat"
import { describe, expect, it } from "vitest"
import { calls, reopen, request, start } from "./support/session.js"

const message = (diagnostics?: unknown) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: "Hi." }],
  stop_reason: "end_turn",
  usage: { input_tokens: 1, output_tokens: 1 },
  ...(diagnostics !== undefined && { diagnostics }),
})

/** The same as a stream: the API says it where the message starts. */
function streamed(diagnostics: unknown) {
  const stream = decoder()
  const events = [
    { type: "message_start", message: { ...message(diagnostics), content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi." } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ]
  for (const event of events) stream.push(event)
  return stream.end()
}

describe("Anthropic's cache diagnostics", () => {
  it.each([
    ["not asked for", undefined, undefined],
    ["nothing changed", null, { message: "msg_1" }],
    ["still comparing", { cache_miss_reason: null }, { message: "msg_1", reason: "pending" }],
    [
      "something changed",
      { cache_miss_reason: { type: "system_changed", cache_missed_input_tokens: 12 } },
      { message: "msg_1", reason: "system_changed", tokens: 12 },
    ],
    [
      "the request before is forgotten",
      { cache_miss_reason: { type: "previous_message_not_found" } },
      { message: "msg_1", reason: "previous_message_not_found" },
    ],
    ["a shape of some later day", { cache_miss_reason: 7 }, { message: "msg_1" }],
  ])("%s", (_, sent, read) => {
    expect(decode(message(sent)).diagnostics).toEqual(read)
    expect(streamed(sent).diagnostics).toEqual(read)
  })

  it("are in the ledger, and the next request names the message, also after a stop", () => {
    const session = start()
    session.say("Hello")
    const first = request(session)
    expect(first).not.toHaveProperty("previousMessage")
    const diagnostics = { message: "msg_1", reason: "tools_changed", tokens: 40 }
    session.reply(first.id, { parts: [{ type: "text", text: "Hi." }], stop: "end", diagnostics })
    session.say("Again")
    const restored = reopen(session)
    for (const one of [session, restored]) {
      expect(one.ledger().find(({ kind }) => kind === "cache")).toEqual({
        turn: 1,
        step: 1,
        kind: "cache",
        outcome: "nothing",
        diagnostics,
      })
      expect(request(one).previousMessage).toBe("msg_1")
    }
  })
})

const response = (found?: unknown) => ({
  id: "resp_1",
  object: "response",
  status: "completed",
  output: [
    { id: "msg_1", type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi." }] },
  ],
  usage: { input_tokens: 1, output_tokens: 1 },
  ...(found !== undefined && { prompt_cache_diagnostics: found }),
})

/** The same as a stream, in which the beginning or the end says it. */
function streamedResponse(found: unknown, where: "response.created" | "response.completed") {
  const stream = openai.decoder()
  const [item] = response().output
  const said = (type: string) => response(type === where ? found : undefined)
  const events = [
    {
      type: "response.created",
      response: { ...said("response.created"), output: [], status: "in_progress" },
    },
    { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: said("response.completed") },
  ]
  for (const event of events) stream.push(event)
  return stream.end()
}

describe("OpenAI's cache diagnostics", () => {
  it.each([
    ["not asked for", undefined, undefined],
    ["nothing changed", { type: "cache_hit" }, { message: "resp_1" }],
    [
      "something changed",
      {
        type: "cache_miss",
        reason: "input_changed",
        cache_missed_tokens: 12,
        comparison_reusable_tokens: 20,
      },
      { message: "resp_1", reason: "input_changed", tokens: 12 },
    ],
    [
      "the response is forgotten",
      { type: "comparison_response_not_found" },
      { message: "resp_1", reason: "comparison_response_not_found" },
    ],
    ["no comparison", { type: "unavailable" }, { message: "resp_1", reason: "unavailable" }],
    ["a word of some later day", { type: "moon" }, { message: "resp_1", reason: "moon" }],
    ["a shape of some later day", 7, undefined],
  ])("%s", (_, sent, read) => {
    expect(openai.decode(response(sent)).diagnostics).toEqual(read)
    expect(streamedResponse(sent, "response.completed").diagnostics).toEqual(read)
    expect(streamedResponse(sent, "response.created").diagnostics).toEqual(read)
  })

  it("are asked for by the Responses API only, from the second request on, where breakpoints are taken", () => {
    const bodies = (model: string) => {
      const session = start({ model: { id: model } })
      const both = [1, 2].map((n) => {
        session.say(`Question ${n}`)
        const asked = request(session)
        const diagnostics = { message: `resp_${n}` }
        session.reply(asked.id, { parts: [{ type: "text", text: "Hi." }], stop: "end", diagnostics })
        return asked
      })
      const options = { cacheDiagnostics: true }
      return [openai, chat].map((dialect) =>
        both.map(
          (one) => (dialect.encode(one, options) as { prompt_cache_options?: unknown }).prompt_cache_options,
        ),
      )
    }
    const mode = "explicit"
    expect(bodies("gpt-5.6")).toEqual([
      [{ mode }, { mode, comparison_response_id: "resp_1" }],
      [{ mode }, { mode }],
    ])
    expect(bodies("gpt-5.5").flat()).toEqual([undefined, undefined, undefined, undefined])
  })

  it("do not change a byte of what was sent before", () => {
    const session = start({ model: { id: "gpt-5.6" } })
    session.say("First")
    const first = request(session)
    const diagnostics = { message: "resp_1" }
    session.reply(first.id, { parts: [{ type: "text", text: "Hi." }], stop: "end", diagnostics })
    session.say("Second")
    const body = (one: typeof first) => openai.encode(one, { cacheDiagnostics: true })
    const [before, now] = [body(first), body(request(session))]
    expect(now.input.slice(0, before.input.length)).toEqual(before.input)
    expect(JSON.stringify(now.input)).not.toContain("resp_1")
  })

  const body = (fields: object) => ({
    model: "gpt-5.6",
    input: [{ role: "user", content: "Hi" }],
    ...fields,
  })
  it.each([
    [{ mode: "explicit" }, []],
    [{ mode: "implicit", ttl: "12h", comparison_response_id: "resp_1", prewarm: false }, []],
    [{ comparison_response_id: null }, []],
    ["explicit", ["prompt_cache_options"]],
    [{ mode: "auto" }, ["prompt_cache_options.mode"]],
    [{ ttl: "1h" }, ["prompt_cache_options.ttl"]],
    [{ comparison_response_id: " " }, ["prompt_cache_options.comparison_response_id"]],
    [{ comparison_response_id: 7 }, ["prompt_cache_options.comparison_response_id"]],
    [{ prewarm: "yes" }, ["prompt_cache_options.prewarm"]],
    [{ compare: "resp_1" }, ["prompt_cache_options.compare"]],
  ])("the validator answers to %j", (options, wrong) => {
    const problems = openai.validate(body({ prompt_cache_options: options }))
    expect(problems.filter(({ severity }) => severity === "error").map(({ path }) => path)).toEqual(wrong)
  })

  it.each([
    [{ mode: "explicit", ttl: "30m" }, []],
    [{ ttl: "12h" }, ["prompt_cache_options.ttl"]],
    [{ comparison_response_id: "resp_1" }, ["prompt_cache_options.comparison_response_id"]],
  ])("Chat Completions has no such field: %j", (options, wrong) => {
    const messages = [{ role: "user", content: "Hi" }]
    const problems = chat.validate({ model: "gpt-5.6", messages, prompt_cache_options: options })
    expect(problems.filter(({ severity }) => severity === "error").map(({ path }) => path)).toEqual(wrong)
  })
})

describe("What the provider says, beside what Sotto did", () => {
  const answer = (session: ReturnType<typeof start>, id: string, diagnostics: object) =>
    session.reply(id, {
      parts: [{ type: "text", text: "Hi." }],
      stop: "end",
      diagnostics: { message: `msg_of_${id}`, ...diagnostics },
    })
  /** Answers one request, and says what the ledger tells of the next. */
  function second(between: (session: ReturnType<typeof start>) => void, said: object, options = {}) {
    const session = start(options)
    session.say("Hello")
    answer(session, request(session).id, {})
    between(session)
    session.say("Again")
    answer(session, request(session).id, said)
    return { session, ours: oursIn(session) }
  }

  function oursIn(session: ReturnType<typeof start>) {
    const { causes, agrees } = diagnosesIn(session.log).at(-1) ?? {}
    return { causes, ...(agrees !== undefined && { agrees }) }
  }

  const missed = (reason: string) => ({ reason, tokens: 40 })
  const nothing = () => undefined
  const otherModel = (session: ReturnType<typeof start>) => session.switchModel({ id: "other-model" })
  const compacted = (session: ReturnType<typeof start>) => session.compact("They said hello.")
  it.each([
    ["the same bytes, and nothing changed", nothing, {}, { causes: [], agrees: true }],
    ["the same bytes, and a miss", nothing, missed("messages_changed"), { causes: [], agrees: false }],
    ["a compaction", compacted, missed("messages_changed"), { causes: ["compaction"], agrees: true }],
    [
      "a compaction, in OpenAI's words",
      compacted,
      missed("input_changed"),
      { causes: ["compaction"], agrees: true },
    ],
    ["a compaction that was not seen", compacted, {}, { causes: ["compaction"], agrees: false }],
    [
      "a compaction, and another part",
      compacted,
      missed("tools_changed"),
      { causes: ["compaction"], agrees: false },
    ],
    ["another model", otherModel, missed("model_changed"), { causes: ["model"], agrees: true }],
    ["another model that was not seen", otherModel, {}, { causes: ["model"], agrees: false }],
    [
      "a comparison that was not possible",
      compacted,
      missed("previous_message_not_found"),
      { causes: ["compaction"] },
    ],
    ["one that is not finished", nothing, missed("pending"), { causes: [] }],
    ["a word that nobody knows", nothing, missed("moon_changed"), { causes: [] }],
  ])("%s", (_, between, said, ours) => {
    expect(second(between, said).ours).toEqual(ours)
  })

  it("a pause that was longer than the cache lives explains no change of bytes", () => {
    let now = 0
    const options = { now: () => now }
    const pause = () => {
      now += 2 * 3_600_000
    }
    expect(second(pause, {}, options).ours).toEqual({ causes: ["pause"], agrees: true })
    expect(second(pause, missed("messages_changed"), options).ours).toEqual({
      causes: ["pause"],
      agrees: false,
    })
  })

  it.each([
    ["messages_changed", true],
    [undefined, true],
    ["tools_changed", false],
  ])("forbidden tools on the last step may be taken for a change, and need not: %s", (reason, agrees) => {
    const session = start({ agent: "brief" })
    session.say("Go")
    for (const id of ["a", "b"]) {
      session.reply(request(session).id, { ...calls(id), diagnostics: { message: `msg_${id}` } })
      session.result(id, [{ type: "text", text: "done" }])
    }
    answer(session, request(session).id, reason === undefined ? {} : missed(reason))
    expect(oursIn(session)).toEqual({ causes: ["tool_choice"], agrees })
  })

  it("another API is not asked about a reply that it does not know", () => {
    const session = start({ model: { id: "claude-opus-5-5", dialect: "anthropic" } })
    session.say("Hello")
    answer(session, request(session).id, {})
    session.switchModel({ id: "gpt-5.6", dialect: "openai" })
    session.say("Again")
    expect(request(session)).not.toHaveProperty("previousMessage")
  })

  it("a side request is no link of the chain", () => {
    const session = start()
    session.say("Hello")
    const first = request(session)
    answer(session, first.id, {})
    const side = session.side({ purpose: "title", ask: "Name it." })
    expect(side).not.toHaveProperty("previousMessage")
    session.sideReply(side.id, { parts: [], diagnostics: { message: "msg_of_the_side" } })
    session.say("Again")
    expect(request(session).previousMessage).toBe(`msg_of_${first.id}`)
  })

  it("the cost report lists both, step by step, also those that a rewind took back", () => {
    const { session } = second(compacted, missed("messages_changed"))
    const prompt = session.view().findLast(({ role }) => role === "user")
    session.rewind(prompt?.id ?? "")
    const listed = explainCost(session.log, () => undefined).diagnoses
    expect(listed).toEqual([
      {
        turn: 2,
        step: 1,
        request: expect.any(String),
        diagnostics: expect.objectContaining({ reason: "messages_changed", tokens: 40 }),
        causes: ["compaction"],
        agrees: true,
      },
    ])
  })
})
