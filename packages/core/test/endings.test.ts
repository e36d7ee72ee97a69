import { type Decoder, MalformedReply, ProviderError, type Reply, SottoError, type Stop } from "@sotto/core"
import { decoder as anthropic } from "@sotto/core/anthropic"
import { decoder as gemini } from "@sotto/core/gemini"
import { decoder as openai } from "@sotto/core/openai"
import { decoder as chat } from "@sotto/core/openai-chat"
import { describe, expect, it, vi } from "vitest"
import { exchange, MODELS, request, says, start } from "./support/session.js"
import { problemsOf } from "./support/validate.js"

const read = (decoder: Decoder, events: readonly unknown[]): Decoder => {
  for (const event of events) decoder.push(event)
  return decoder
}

const block = (index: number, text = "") => ({
  type: "content_block_start",
  index,
  content_block: { type: "text", text },
})
const words = (index: number, text: string) => ({
  type: "content_block_delta",
  index,
  delta: { type: "text_delta", text },
})
const closed = (index: number) => ({ type: "content_block_stop", index })
const stopped = (stop_reason: string) => ({
  type: "message_delta",
  delta: { stop_reason },
  usage: { output_tokens: 1 },
})
const over = { type: "message_stop" }
const begun = { type: "message_start", message: { usage: { input_tokens: 1 } } }
const item = (output_index: number) => ({
  type: "response.output_item.added",
  output_index,
  item: { type: "message", content: [] },
})
const piece = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ delta, finish_reason }],
})
const chunk = (text: string, finishReason?: string) => ({
  candidates: [{ content: { parts: [{ text }] }, ...(finishReason && { finishReason }) }],
})

describe("a decoder knows that a reply has ended", () => {
  it.each<[string, () => Decoder, readonly unknown[]]>([
    [
      "Anthropic's at message_stop",
      anthropic,
      [begun, block(0), words(0, "a"), closed(0), stopped("end_turn"), over],
    ],
    [
      "Responses' at response.completed",
      openai,
      [
        item(0),
        {
          type: "response.output_item.done",
          output_index: 0,
          item: { type: "message", content: [{ text: "a" }] },
        },
        { type: "response.completed", response: { status: "completed" } },
      ],
    ],
    ["Chat's at a finish_reason", chat, [piece({ content: "a" }), piece({}, "stop")]],
    ["Chat's at [DONE], if no reason is given", chat, [piece({ content: "a" }), "[DONE]"]],
    ["Gemini's at a finishReason", gemini, [chunk("a"), chunk("", "STOP")]],
  ])("%s, and not before", (_, make, events) => {
    for (let count = 0; count < events.length; count++) {
      const cut = read(make(), events.slice(0, count))
      expect(cut.ended(), `after ${count}`).toBe(false)
      expect(() => cut.end(), `after ${count}`).toThrow(expect.objectContaining({ code: "cut-reply" }))
      expect(() => cut.end()).toThrow(SottoError)
      expect(cut.soFar().stop === "end" || cut.soFar().stop === undefined).toBe(true)
    }
    const whole = read(make(), events)
    expect(whole.ended()).toBe(true)
    expect(whole.end()).toMatchObject({ parts: [{ type: "text", text: "a" }], stop: "end" })
  })
})

describe("a decoder refuses", () => {
  it.each<[string, () => Decoder, readonly unknown[]]>([
    ["a message that begins twice", anthropic, [begun, begun]],
    ["a message that begins after its first block", anthropic, [block(0), begun]],
    ["a block that begins twice", anthropic, [begun, block(0), block(0)]],
    ["words for a block that has not begun", anthropic, [begun, words(0, "a")]],
    ["words for a block that has ended", anthropic, [begun, block(0), closed(0), words(0, "a")]],
    ["a block that ends twice", anthropic, [begun, block(0), closed(0), closed(0)]],
    ["a message that ends without a reason", anthropic, [begun, block(0), closed(0), over]],
    ["a message that ends inside a block", anthropic, [begun, block(0), stopped("end_turn"), over]],
    ["a block after the end", anthropic, [begun, stopped("end_turn"), over, block(0)]],
    ["a block without an index", anthropic, [begun, { ...block(0), index: "0" }]],
    ["an event without a type", anthropic, [{}]],
    ["an event that is no object", anthropic, ["42"]],
    ["null for an event", openai, ["null"]],
    ["an item that begins twice", openai, [item(0), item(0)]],
    [
      "words for an item that has not begun",
      openai,
      [{ type: "response.output_text.delta", output_index: 0, delta: "a" }],
    ],
    [
      "a response that ends inside an item",
      openai,
      [item(0), { type: "response.completed", response: { status: "completed" } }],
    ],
    ["an end without its response", openai, [{ type: "response.completed" }]],
    [
      "an item after the end",
      openai,
      [{ type: "response.completed", response: { status: "completed" } }, item(0)],
    ],
    ["words after a finish_reason", chat, [piece({ content: "a" }, "stop"), piece({ content: "b" })]],
    [
      "a call after a finish_reason",
      chat,
      [piece({}, "stop"), piece({ tool_calls: [{ index: 0, function: { arguments: "{" } }] })],
    ],
    [
      "the end of a block after a reason to stop",
      anthropic,
      [begun, block(0), stopped("end_turn"), closed(0)],
    ],
    ["words after [DONE]", chat, ["[DONE]", piece({ content: "b" })]],
    ["what is no part of a completion", chat, [{ message: "Forbidden" }]],
    ["what is no part of a response", gemini, [{ message: "Forbidden" }]],
    ["an array for an event", gemini, ["[]"]],
  ])("%s", (_, make, events) => {
    const decoder = make()
    expect(() => read(decoder, events)).toThrow(MalformedReply)
    expect(() => decoder.end(), "what is broken stays broken").toThrow(MalformedReply)
  })

  it.each([anthropic, openai, chat, gemini])("what is no JSON, with an error of Sotto's: %#", (make) => {
    for (const text of ["{", '{"type":"ping"', "\u0000", "<html>", ""])
      expect(() => make().push(text), text).toThrow(MalformedReply)
    expect(new MalformedReply("x")).toBeInstanceOf(SottoError)
    expect(new ProviderError("x", "overloaded_error", true)).toMatchObject({
      name: "ProviderError",
      message: "x",
      code: "provider-error",
    })
  })

  it("nothing that the APIs allow: pings, unknown events, a reason with every chunk, figures after the end", () => {
    const unknown = { type: "sparkle", index: 7 }
    expect(
      read(anthropic(), [
        { type: "ping" },
        begun,
        unknown,
        stopped("end_turn"),
        over,
        over,
        { type: "ping" },
      ]).ended(),
    ).toBe(true)
    expect(
      read(openai(), [
        { type: "response.new_thing", x: 1 },
        { type: "response.completed", response: { status: "completed" } },
      ]).ended(),
    ).toBe(true)
    expect(
      read(chat(), [
        piece({ content: "a" }, "stop"),
        piece({ content: "" }, "stop"),
        { choices: [], usage: {} },
        "[DONE]",
      ]).end().parts,
    ).toEqual([{ type: "text", text: "a" }])
    expect(read(gemini(), [chunk("a", "STOP"), chunk("b", "STOP")]).end().parts).toEqual([
      { type: "text", text: "ab" },
    ])
  })
})

describe("a decoder takes time and room for what it reads only", () => {
  it("whatever the index of a block", () => {
    for (const index of [5e8, 4_294_967_294, Number.MAX_SAFE_INTEGER]) {
      const decoder = read(anthropic(), [
        begun,
        block(index),
        words(index, "a"),
        closed(index),
        stopped("end_turn"),
        over,
      ])
      expect(decoder.end().parts).toEqual([{ type: "text", text: "a" }])
      expect(read(openai(), [item(index)]).soFar().parts).toEqual([{ type: "text", text: "" }])
    }
  })

  const inputs: readonly [string, () => Decoder, unknown, (text: string) => unknown][] = [
    [
      "Anthropic's",
      anthropic,
      { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "c", name: "write" } },
      (partial_json) => ({
        type: "content_block_delta",
        index: 0,
        delta: { type: "input_json_delta", partial_json },
      }),
    ],
    [
      "Responses'",
      openai,
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { type: "function_call", call_id: "c", name: "write" },
      },
      (delta) => ({ type: "response.function_call_arguments.delta", output_index: 0, delta }),
    ],
    [
      "Chat's",
      chat,
      piece({ tool_calls: [{ index: 0, id: "c", function: { name: "write", arguments: "" } }] }),
      (text) => piece({ tool_calls: [{ index: 0, function: { arguments: text } }] }),
    ],
  ]
  it.each(inputs)(
    "%s, when it is asked what has come after each piece of an input",
    (_, make, start, grow) => {
      const decoder = read(make(), [start])
      const parse = vi.spyOn(JSON, "parse")
      for (const text of ['{"text":"', ...Array.from({ length: 16_000 }, () => "words ")]) {
        decoder.push(grow(text))
        expect(decoder.soFar().parts).toHaveLength(1)
      }
      const parsed = parse.mock.calls.reduce((sum, [text]) => sum + text.length, 0)
      parse.mockRestore()
      expect(parsed, "characters that were parsed although they are no JSON yet").toBe(0)
      expect(decoder.soFar().parts).toMatchObject([{ type: "tool-call", unfinished: true }])
    },
  )

  it("however many calls a reply has", () => {
    const many = 50_000
    const calls = Array.from({ length: many }, (_, index) =>
      piece({ tool_calls: [{ index, id: `c${index}`, function: { name: "read", arguments: "{}" } }] }),
    )
    expect(read(chat(), [...calls, "[DONE]"]).end().parts).toHaveLength(many)
  })
})

describe("why the model stopped", () => {
  const call = {
    type: "tool-call",
    id: "c1",
    name: "write",
    input: { malformed: '{"path":"a' },
    unfinished: true,
  } as const
  const said = { type: "text", text: "I write." } as const
  const after = (...replies: readonly Reply[]) => {
    const session = start()
    session.say("Go")
    for (const reply of replies) session.reply(request(session).id, reply)
    return session
  }

  it("is in the log, with the provider's word and the names of the calls that were cut", () => {
    const session = after({ parts: [said, call], stop: "length", why: "max_tokens" })
    expect(session.log.at(-1)).toMatchObject({
      type: "replied",
      reply: { parts: [said], stop: "length", why: "max_tokens", cut: ["write"] },
    })
  })

  it("inside a call: the model is told and goes on, once in a turn", () => {
    const cut: Reply = { parts: [call], stop: "length" }
    const session = after(cut)
    expect(session.phase).toBe("ready")
    expect(JSON.stringify(request(session).messages)).toContain("inside a call of write")
    session.reply(request(session).id, cut)
    expect(session.phase).toBe("idle")
    session.say("Again")
    session.reply(request(session).id, cut)
    expect(session.phase).toBe("ready")
  })

  it("inside a call, after others that are whole: those run, and the model is told with their results", () => {
    const whole = { type: "tool-call", id: "c0", name: "read", input: {} } as const
    const session = after({ parts: [whole, call], stop: "length" })
    expect(session.next()).toMatchObject({ is: "waiting", calls: [{ id: "c0" }] })
    session.result("c0", "content")
    expect(JSON.stringify(request(session).messages)).toContain("inside a call of write")
  })

  it.each<[Stop, boolean]>([
    ["paused", true],
    ["overflow", true],
    ["length", false],
    ["refusal", false],
    ["filtered", false],
    ["other", false],
    ["end", false],
  ])("being %s, the turn goes on: %s", (stop, goesOn) => {
    expect(after({ parts: [said], stop }).phase).toBe(goesOn ? "ready" : "idle")
    expect(after({ parts: [], stop }).phase).toBe(goesOn ? "ready" : "idle")
  })

  it("a context that is full a second time in a turn ends it, and so does a model that pauses for ever", () => {
    expect(after({ parts: [], stop: "overflow" }, { parts: [], stop: "overflow" }).phase).toBe("idle")
    const pause: Reply = { parts: [said], stop: "paused" }
    expect(after(...Array.from({ length: 20 }, () => pause)).phase).toBe("ready")
    expect(after(...Array.from({ length: 21 }, () => pause)).phase).toBe("idle")
  })

  it.each<Stop>(["refusal", "filtered"])("being a %s, no call of the reply is made", (stop) => {
    const session = after({ parts: [{ type: "tool-call", id: "c0", name: "bash", input: {} }], stop })
    expect(session.phase).toBe("idle")
    expect(JSON.stringify(session.log.at(-1))).toContain('"cut":["bash"]')
  })

  it("on the last step nothing goes on", () => {
    const session = start({ agents: [{ name: "build", mode: "primary", steps: 1 }] })
    session.say("Go")
    session.reply(request(session).id, { parts: [call], stop: "length" })
    expect(session.phase).toBe("idle")
  })

  it.each(Object.values(MODELS))("leaves requests that the API takes, whatever it was: %s", (id) => {
    const stops: readonly Stop[] = ["length", "refusal", "filtered", "overflow", "paused", "other"]
    const session = start({ model: { id } })
    for (const stop of stops) {
      session.say(`Go ${stop}`)
      exchange(session, { parts: [call], stop })
      if (session.phase === "ready") exchange(session, says("Done."))
      expect(session.phase).toBe("idle")
    }
    session.say("Last")
    expect(problemsOf(request(session))).toEqual([])
  })
})
