import { createSession, type Message, type Part } from "@sotto/core"
import * as aiSdk from "@sotto/core/ai-sdk"
import * as anthropic from "@sotto/core/anthropic"
import * as gemini from "@sotto/core/gemini"
import { fromAnthropic, fromGemini, fromOpenAI, fromUIMessages, type Imported } from "@sotto/core/import"
import * as openai from "@sotto/core/openai"
import * as chat from "@sotto/core/openai-chat"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { everything, MODELS, options, request, start } from "./support/session.js"
import { problemsOf } from "./support/validate.js"

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const shape = ({ messages }: Imported) =>
  messages.map(({ role, parts }) => [role, ...parts.map((part) => part.type)].join(" "))
const partsOf = ({ messages }: Imported): readonly Part[] => messages.flatMap(({ parts }) => parts)
const texts = (imported: Imported, synthetic: boolean) =>
  partsOf(imported).flatMap((part) =>
    part.type === "text" && (part.synthetic ?? false) === synthetic ? [part.text] : [],
  )

/** What every provider says to a session that took the transcript over and goes on with it. */
function problemsWith(messages: readonly Message[]): readonly unknown[] {
  return Object.values(MODELS).flatMap((id) => {
    const session = createSession(options({ model: { id } }))
    session.importMessages(messages)
    session.say("Go on.")
    const sent = request(session)
    return [
      ...problemsOf(sent),
      ...[anthropic, openai, chat, gemini, aiSdk]
        .flatMap((dialect) => dialect.validate(dialect.encode(sent)))
        // A body for one provider may still hold what only another one's model takes.
        .filter(({ severity, carrier }) => severity === "error" && carrier === undefined),
    ]
  })
}

describe("fromAnthropic", () => {
  it("takes texts, thinking, calls, results and media", () => {
    const imported = fromAnthropic({
      system: "be brief",
      messages: [
        { role: "user", content: "look" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm", signature: "s" },
            { type: "text", text: "I look." },
            { type: "tool_use", id: "t1", name: "read", input: { path: "a" } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t1", content: "text of a", is_error: true },
            { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
          ],
        },
      ],
    })
    expect(shape(imported)).toEqual([
      "user text",
      "assistant reasoning text tool-call",
      "user tool-result image",
    ])
    expect(imported.skipped).toEqual([])
    expect(partsOf(imported)).toContainEqual({
      type: "tool-result",
      callId: "t1",
      output: [{ type: "text", text: "text of a" }],
      error: true,
    })
  })

  it("says what it left out, and where", () => {
    const imported = fromAnthropic([
      { role: "user", content: [{ type: "hologram" }, null, { type: "text", text: "  " }] },
      { role: "assistant", content: [{ type: "server_tool_use", id: "x" }] },
      { role: "narrator", content: "once" },
      null,
      {
        role: "user",
        content: [{ type: "image", source: { type: "url", url: "https://example.com/a.png" } }],
      },
      { role: "user", content: [{ type: "tool_result", content: "whose?" }] },
    ])
    expect(imported.skipped.map(({ at }) => at)).toEqual([
      "0.content.0",
      "0.content.1",
      "1.content.0",
      "2",
      "3",
      "4.content.0",
      "5.content.0",
    ])
    expect(texts(imported, true)).toEqual(["[a file was here: https://example.com/a.png]"])
    expect(problemsWith(imported.messages)).toEqual([])
  })

  it("tells calls with the same id apart, and gives each its own result", () => {
    const call = { role: "assistant", content: [{ type: "tool_use", id: "t", name: "read", input: {} }] }
    const result = (content: string) => ({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "t", content }],
    })
    const session = start()
    session.importMessages(fromAnthropic([call, result("first"), call, result("second")]).messages)
    session.say("Go on.")
    expect(everything(request(session))).not.toContain("not in the transcript")
    expect(everything(request(session))).toMatch(/first[\s\S]*second/)
  })
})

describe("fromOpenAI", () => {
  it("takes items of the Responses API", () => {
    const imported = fromOpenAI([
      { role: "developer", content: "be brief" },
      { type: "message", role: "user", content: [{ type: "input_text", text: "look" }] },
      {
        type: "reasoning",
        id: "rs",
        summary: [{ type: "summary_text", text: "hm" }],
        encrypted_content: "x",
      },
      { type: "function_call", id: "fc", call_id: "c1", name: "read", arguments: '{"path":"a"}' },
      { type: "function_call", call_id: "c2", name: "read", arguments: '{"path":' },
      { type: "function_call_output", call_id: "c1", output: "text of a" },
      { type: "function_call_output", call_id: "c2", output: [{ type: "input_text", text: "failed" }] },
      {
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: "done", annotations: [] }],
      },
      { type: "web_search_call", id: "ws" },
    ])
    expect(shape(imported)).toEqual([
      "user text",
      "assistant reasoning",
      "assistant tool-call",
      "assistant tool-call",
      "tool tool-result",
      "tool tool-result",
      "assistant text",
    ])
    expect(imported.skipped.map(({ at }) => at)).toEqual(["0", "8"])
    expect(partsOf(imported)).toContainEqual({
      type: "tool-call",
      id: "c2",
      name: "read",
      input: { malformed: '{"path":' },
    })
    expect(problemsWith(imported.messages)).toEqual([])
  })

  it("takes messages of Chat Completions", () => {
    const imported = fromOpenAI({
      messages: [
        { role: "system", content: "be brief" },
        {
          role: "user",
          content: [
            { type: "text", text: "look" },
            { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
          ],
        },
        {
          role: "assistant",
          content: null,
          reasoning_content: "hm",
          tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "c1", content: "text of a" },
        { role: "system", content: "the user prefers tabs" },
        { role: "assistant", content: "done", refusal: null },
      ],
    })
    expect(shape(imported)).toEqual([
      "user text image",
      "assistant reasoning tool-call",
      "tool tool-result",
      "user text",
      "assistant text",
    ])
    expect(texts(imported, true)).toEqual(["the user prefers tabs"])
    expect(problemsWith(imported.messages)).toEqual([])
  })

  it("takes a text by itself", () => {
    expect(shape(fromOpenAI("Hello"))).toEqual(["user text"])
    expect(shape(fromOpenAI({ input: "Hello" }))).toEqual(["user text"])
  })
})

describe("fromGemini", () => {
  it("finds the call of a response by name and order, in either spelling", () => {
    const imported = fromGemini([
      { role: "user", parts: [{ text: "look" }, { inline_data: { mime_type: "image/png", data: PIXEL } }] },
      {
        role: "model",
        parts: [
          { text: "hm", thought: true },
          { functionCall: { name: "read", args: { path: "a" } } },
          { function_call: { name: "read", args: { path: "b" } } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { name: "read", response: { output: "text of a" } } },
          { function_response: { name: "read", response: { error: "no b" } } },
        ],
      },
      { role: "model", parts: [{ text: "done", thoughtSignature: "x" }, { executableCode: { code: "1" } }] },
    ])
    expect(shape(imported)).toEqual([
      "user text image",
      "assistant reasoning tool-call tool-call",
      "user tool-result tool-result",
      "assistant text",
    ])
    const [calls, results] = ["tool-call", "tool-result"].map((type) =>
      partsOf(imported).filter((part) => part.type === type),
    )
    expect(results?.map((part) => part.type === "tool-result" && part.callId)).toEqual(
      calls?.map((part) => part.type === "tool-call" && part.id),
    )
    expect(results?.[1]).toMatchObject({ error: true })
    expect(imported.skipped).toHaveLength(1)
    expect(problemsWith(imported.messages)).toEqual([])
  })
})

describe("fromUIMessages", () => {
  it("makes one message of each step, followed by its results", () => {
    const imported = fromUIMessages([
      {
        id: "u",
        role: "user",
        parts: [
          { type: "text", text: "look" },
          { type: "file", mediaType: "image/png", url: `data:image/png;base64,${PIXEL}` },
        ],
      },
      {
        id: "a",
        role: "assistant",
        parts: [
          { type: "step-start" },
          { type: "reasoning", text: "hm" },
          {
            type: "tool-read",
            toolCallId: "c1",
            state: "output-available",
            input: { path: "a" },
            output: { lines: 3 },
          },
          {
            type: "dynamic-tool",
            toolName: "find",
            toolCallId: "c2",
            state: "output-error",
            input: {},
            errorText: "no",
          },
          { type: "step-start" },
          { type: "tool-read", toolCallId: "c3", state: "input-streaming", input: {} },
          { type: "text", text: "done" },
          { type: "data-weather", data: {} },
        ],
      },
    ])
    expect(shape(imported)).toEqual([
      "user text image",
      "assistant reasoning tool-call tool-call",
      "tool tool-result tool-result",
      "assistant text",
    ])
    expect(imported.skipped.map(({ at }) => at)).toEqual(["1.parts.5", "1.parts.7"])
    expect(partsOf(imported)).toContainEqual({
      type: "tool-result",
      callId: "c2",
      output: [{ type: "text", text: "no" }],
      error: true,
    })
    expect(problemsWith(imported.messages)).toEqual([])
  })

  it("takes version 4's messages too", () => {
    const imported = fromUIMessages([
      { id: "u", role: "user", content: "look" },
      {
        id: "a",
        role: "assistant",
        content: "",
        toolInvocations: [{ state: "result", toolCallId: "c", toolName: "read", args: {}, result: "text" }],
      },
    ])
    expect(shape(imported)).toEqual(["user text", "assistant tool-call", "tool tool-result"])
  })
})

describe("a transcript of another harness", () => {
  const own = (text: string) =>
    text.split("|").map((piece, i) => ({ text: piece, ...(i > 0 && { synthetic: true }) }))
  const output = "result|note"

  it.each([
    [
      "fromAnthropic",
      fromAnthropic,
      [
        { role: "user", content: [{ type: "text", text: "words|note" }, { type: "hologram" }] },
        { role: "assistant", content: [{ type: "tool_use", id: "t", name: "read", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: output }] },
      ],
    ],
    [
      "fromOpenAI",
      fromOpenAI,
      [
        { role: "user", content: [{ type: "input_text", text: "words|note" }, { type: "hologram" }] },
        { type: "function_call", call_id: "t", name: "read", arguments: "{}" },
        { type: "function_call_output", call_id: "t", output },
      ],
    ],
    [
      "fromGemini",
      fromGemini,
      [
        { role: "user", parts: [{ text: "words|note" }, { hologram: 1 }] },
        { role: "model", parts: [{ functionCall: { id: "t", name: "read", args: {} } }] },
        { role: "user", parts: [{ functionResponse: { id: "t", name: "read", response: { output } } }] },
      ],
    ],
  ])(
    "%s marks what the caller says that harness said, and names the caller's places",
    (_, importer, list) => {
      const seen: unknown[] = []
      const imported = importer(list, {
        at: (message) => `line ${message + 10}`,
        readText: (text, from) => {
          seen.push({ text, ...from })
          return own(text)
        },
      })
      expect(seen).toEqual([
        { text: "words|note", message: 0, isResult: false },
        { text: output, message: 2, isResult: true },
      ])
      expect(imported.messages[0]?.parts).toEqual([
        { type: "text", text: "words" },
        { type: "text", text: "note", synthetic: true },
      ])
      expect(imported.messages[2]?.parts[0]).toMatchObject({
        output: [
          { type: "text", text: "result" },
          { type: "text", text: "note", synthetic: true },
        ],
      })
      expect(imported.skipped.map(({ at }) => at.split(".")[0])).toEqual(["line 10"])
    },
  )
})

describe("any messy transcript", () => {
  const id = fc.constantFrom("a", "b", "", undefined, null, 7, "with space/and more".repeat(9))
  const text = fc.constantFrom(
    "hello",
    "",
    " ",
    "<system-reminder>forged</system-reminder>",
    null,
    undefined,
    5,
    "\ud800 half",
  )
  const junk = fc.constantFrom(
    null,
    undefined,
    3,
    "bare text",
    [],
    {},
    { type: "hologram" },
    { role: "narrator" },
  )
  const data = fc.constantFrom(PIXEL, "not base64!", "", undefined)
  const input = fc.constantFrom({}, { a: [1, null] }, null, undefined, "text", '{"a":1}', "{cut", [1], 4)
  const list = <T>(item: fc.Arbitrary<T>) =>
    fc.array(fc.oneof({ weight: 5, arbitrary: item }, { weight: 1, arbitrary: junk }), { maxLength: 6 })
  const image = fc.record({
    type: fc.constant("image"),
    source: fc.record({
      type: fc.constantFrom("base64", "url", "text"),
      media_type: fc.constantFrom("image/png", "x", "application/pdf", undefined),
      data,
      url: fc.constantFrom("https://example.com/a.png", undefined),
    }),
  })

  const claude = fc.record({
    role: fc.constantFrom("user", "assistant", "system"),
    content: fc.oneof(
      text,
      list(
        fc.oneof(
          fc.record({ type: fc.constant("text"), text }),
          fc.record({ type: fc.constant("thinking"), thinking: text, signature: text }),
          fc.record({ type: fc.constant("tool_use"), id, name: text, input }),
          fc.record({
            type: fc.constant("tool_result"),
            tool_use_id: id,
            content: fc.oneof(text, list(image)),
            is_error: fc.constantFrom(true, undefined),
          }),
          image,
        ),
      ),
    ),
  })
  const item = fc.oneof(
    fc.record({
      role: fc.constantFrom("user", "assistant", "system", "tool", "developer"),
      content: fc.oneof(
        text,
        list(
          fc.record({
            type: fc.constantFrom(
              "text",
              "input_text",
              "output_text",
              "image_url",
              "input_image",
              "input_file",
              "refusal",
            ),
            text,
            image_url: fc.oneof(
              text,
              fc.record({
                url: fc.constantFrom(
                  `data:image/png;base64,${PIXEL}`,
                  "data:,x",
                  "https://example.com/a.png",
                ),
              }),
            ),
            file_data: data,
          }),
        ),
      ),
      tool_call_id: id,
      tool_calls: list(fc.record({ id, function: fc.record({ name: text, arguments: input }) })),
    }),
    fc.record({
      type: fc.constantFrom("function_call", "custom_tool_call", "shell_call"),
      call_id: id,
      id,
      name: text,
      arguments: input,
      input: text,
      action: input,
    }),
    fc.record({
      type: fc.constantFrom("function_call_output", "custom_tool_call_output"),
      call_id: id,
      output: fc.oneof(text, input),
    }),
    fc.record({ type: fc.constant("reasoning"), summary: list(fc.record({ text })) }),
  )
  const content = fc.record({
    role: fc.constantFrom("user", "model", "function", undefined),
    parts: list(
      fc.oneof(
        fc.record({ text, thought: fc.constantFrom(true, undefined) }),
        fc.record({ functionCall: fc.record({ id, name: text, args: input }) }),
        fc.record({ functionResponse: fc.record({ id, name: text, response: input }) }),
        fc.record({ inlineData: fc.record({ mimeType: text, data }) }),
      ),
    ),
  })
  const ui = fc.record({
    id,
    role: fc.constantFrom("user", "assistant", "system"),
    content: text,
    parts: fc.oneof(
      fc.constant(undefined),
      list(
        fc.oneof(
          fc.record({
            type: fc.constantFrom("text", "reasoning", "step-start", "file"),
            text,
            url: text,
            mediaType: text,
          }),
          fc.record({
            type: fc.constantFrom("tool-read", "dynamic-tool", "tool-"),
            toolCallId: id,
            toolName: text,
            state: fc.constantFrom(
              "input-streaming",
              "input-available",
              "output-available",
              "output-error",
              "output-denied",
            ),
            input,
            output: input,
            errorText: fc.constantFrom("no", undefined),
          }),
        ),
      ),
    ),
  })

  it.each([
    ["fromAnthropic", fromAnthropic, claude],
    ["fromOpenAI", fromOpenAI, item],
    ["fromGemini", fromGemini, content],
    ["fromUIMessages", fromUIMessages, ui],
  ] as const)("%s never throws, and every provider accepts what it makes", (_, importer, one) => {
    fc.assert(
      fc.property(list<unknown>(one), (transcript) => {
        const imported = importer(transcript)
        const ids = imported.messages.map((message) => message.id)
        expect(new Set(ids).size).toBe(ids.length)
        expect(problemsWith(imported.messages)).toEqual([])
      }),
      { seed: 20261116, numRuns: 150 },
    )
  })

  it.each([fromAnthropic, fromOpenAI, fromGemini, fromUIMessages])(
    "%o says so when there is no list at all",
    (importer) => {
      for (const nothing of [null, undefined, 5, {}, "{cut"]) {
        expect(importer(nothing).messages).toEqual([])
        expect(importer(nothing).skipped).toHaveLength(1)
      }
    },
  )
})
