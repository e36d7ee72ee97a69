import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { prepareStep } from "@sotto/core/ai-sdk"
import { type Body, validate as validateAnthropic } from "@sotto/core/anthropic"
import { expectAppendOnly } from "@sotto/core/testing"
import {
  generateText,
  hasToolCall,
  type PrepareStepFunction,
  stepCountIs,
  streamText,
  ToolChoiceViolationError,
  tool,
} from "ai"
import { MockLanguageModelV3 } from "ai/test"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { call, expectAppended, promptsOf, runSdk, scripted, text, tools } from "./support/ai-sdk.js"
import { MODELS, reopen, start } from "./support/session.js"

const prompts = (model: ReturnType<typeof scripted>) => promptsOf(model).map(({ prompt }) => prompt)
const written = (value: unknown) => JSON.stringify(value)
const times = (value: unknown, words: string) => written(value).split(words).length - 1

describe.each(["generateText", "streamText"] as const)("with the SDK's %s running the loop", (loop) => {
  it("the model gets the session's system, conversation and results, step by step", async () => {
    const session = start()
    session.say("Read both")
    const model = scripted([text("Looking."), call("a"), call("b")], [call("c")], [text("Done.")])
    await runSdk(loop, session, model)
    const [first, second, third] = prompts(model)
    expect(first?.map(({ role }) => role)).toEqual(["system", "user"])
    expect(written(first)).not.toContain("(replaced)")
    expect(second?.slice(2)).toMatchObject([
      { role: "assistant", content: [{ text: "Looking." }, { toolCallId: "a" }, { toolCallId: "b" }] },
      {
        role: "tool",
        content: [
          { toolCallId: "a", output: { type: "text", value: "contents of a" } },
          { toolCallId: "b", output: { type: "text", value: "contents of b" } },
        ],
      },
    ])
    expect(third).toHaveLength(6)
    expectAppended(prompts(model))
    expect(session.phase).toBe("idle")
    expect(session.view().at(-1)).toMatchObject({
      role: "assistant",
      parts: [{ type: "text", text: "Done." }],
    })
    const replies = session.log.filter(({ type }) => type === "replied")
    expect(replies.at(-1)).toMatchObject({
      reply: { stop: "end", usage: { input: 4, cacheRead: 6, output: 3 } },
    })
  })

  it.each([
    ["inside the last result", MODELS.smooshing],
    ["as user text with a system message behind it", MODELS.system],
    ["as user text", MODELS.plain],
  ])("a message said while a tool runs is delivered at the next step, once: %s", async (_, id) => {
    const session = start({ model: { id } })
    session.say("go")
    const model = scripted([call("a")], [call("b")], [text("Done.")])
    await runSdk(loop, session, model, {
      read: (path) => {
        if (path === "a") session.say("and the tests", { id: "steer" })
        return path
      },
    })
    expect(prompts(model).map((prompt) => times(prompt, "and the tests"))).toEqual([0, 1, 1])
    expect(session.receipt("steer")).toMatchObject({ state: "delivered", step: 2 })
    expectAppended(prompts(model))
  })

  it("a switch of agent is told at the next step, and changes nothing before it", async () => {
    const session = start({ model: { id: MODELS.system } })
    session.say("go")
    const model = scripted([call("a")], [call("b")], [text("Done.")])
    await runSdk(loop, session, model, {
      read: (path) => {
        if (path === "a") session.switchAgent("plan")
        return path
      },
    })
    const [first, second, third] = prompts(model)
    expect(second?.at(-1)).toMatchObject({ role: "system", content: expect.stringContaining("plan") })
    expect(second?.[0]).toEqual(first?.[0])
    expect(third?.slice(0, second?.length).map(({ role }) => role)).toEqual(second?.map(({ role }) => role))
    expectAppended(prompts(model))
  })

  it("the last step keeps the tools and forbids calling them", async () => {
    const session = start({ agent: "brief" })
    session.say("go")
    const model = scripted([call("a")], [call("b")], [text("That is all.")])
    await runSdk(loop, session, model)
    const asked = promptsOf(model)
    expect(asked.map(({ toolChoice }) => toolChoice?.type)).toEqual(["auto", "auto", "none"])
    expect(new Set(asked.map((one) => written(one.tools))).size).toBe(1)
    expect(session.phase).toBe("idle")
  })

  it("a call on the last step all the same is refused by the SDK, and the turn can still be ended", async () => {
    const session = start({ agent: "brief" })
    session.say("go")
    const model = scripted([call("a")], [call("b")], [call("c")])
    await expect(runSdk(loop, session, model)).rejects.toSatisfy((error) =>
      ToolChoiceViolationError.isInstance(error),
    )
    session.abort()
    expect(session.phase).toBe("idle")
  })

  it("preparing a step twice, and hearing of it twice, changes nothing", async () => {
    const play = async (repeats: number) => {
      const session = start()
      session.say("go")
      const model = scripted([call("a"), call("b")], [call("c")], [text("Done.")])
      await runSdk(loop, session, model, {
        prepare: (adapter, step) => {
          for (let i = 1; i < repeats; i++) {
            adapter(step)
            for (const one of step.steps) adapter.onStepFinish(one)
          }
          return adapter(step)
        },
      })
      return { log: written(session.log), prompts: written(prompts(model)) }
    }
    expect(await play(3)).toEqual(await play(1))
  })

  it("what was prepared may come back among the SDK's messages: it is not read", async () => {
    const session = start()
    session.say("go once")
    const model = scripted([call("a")], [text("Done.")])
    await runSdk(loop, session, model, {
      prepare: (adapter, step) => adapter({ ...step, ...{ messages: [{ role: "user", content: "stale" }] } }),
    })
    expect(prompts(model).map((prompt) => [times(prompt, "go once"), times(prompt, "stale")])).toEqual([
      [1, 0],
      [1, 0],
    ])
  })

  it("a stop condition leaves the session ready, and the next run goes on where it was", async () => {
    const session = start()
    session.say("go")
    const model = scripted([call("a")], [call("b")], [text("Done.")])
    await runSdk(loop, session, model, { stopWhen: stepCountIs(1) })
    expect(session.phase).toBe("ready")
    await runSdk(loop, session, model, { stopWhen: hasToolCall("read") })
    await runSdk(loop, session, model)
    expect(session.phase).toBe("idle")
    expectAppended(prompts(model))
    expect(times(prompts(model).at(-1), '"output":{"type":"text","value":"contents of a"}')).toBe(1)
  })

  it("a message that comes while the last answer is written makes the session ready for another run", async () => {
    const session = start()
    session.say("go")
    const model = scripted([call("a")], [text("Done.")], [text("The tests too.")])
    const stopWhen = () => false
    await runSdk(loop, session, model, {
      stopWhen,
      prepare: (adapter, step) => {
        const prepared = adapter(step)
        if (step.stepNumber === 1) session.say("and the tests")
        return prepared
      },
    })
    expect(session.phase).toBe("ready")
    await runSdk(loop, session, model)
    expect(prompts(model).map((prompt) => times(prompt, "and the tests"))).toEqual([0, 0, 1])
    expect(session.phase).toBe("idle")
  })

  it("what the model answers to a call that was interrupted is dropped, whatever the SDK makes of it", async () => {
    const session = start()
    session.say("go")
    const model = scripted([call("late")], [text("Done.")])
    await runSdk(loop, session, model, {
      prepare: (adapter, step) => {
        const prepared = adapter(step)
        if (step.stepNumber === 0) session.say("stop, look here", { delivery: "now" })
        return prepared
      },
    })
    const [, second] = prompts(model)
    expect(written(second)).toContain("stop, look here")
    expect(written(second)).not.toContain("contents of late")
    expect(session.phase).toBe("idle")
  })

  it("a run that failed is run again with the same prompt, also after a restart", async () => {
    const session = start()
    session.say("go")
    const model = scripted([call("a")], new Error("overloaded"), new Error("overloaded"), [text("Done.")])
    await expect(runSdk(loop, session, model)).rejects.toThrow("overloaded")
    await expect(runSdk(loop, session, model)).rejects.toThrow("overloaded")
    const reopened = reopen(session)
    await runSdk(loop, reopened, model)
    const [, failed, again, restarted] = prompts(model)
    expect(again).toEqual(failed)
    expect(restarted).toEqual(failed)
    expect(reopened.phase).toBe("idle")
  })

  it("ids that a provider uses again are told apart", async () => {
    const session = start()
    session.say("go")
    const model = scripted([call("call_0", "first")], [call("call_0", "second")], [text("Done.")])
    await runSdk(loop, session, model)
    const results = prompts(model)
      .at(-1)
      ?.flatMap((message) => (message.role === "tool" ? message.content : []))
    expect(results).toMatchObject([
      { toolCallId: "call_0", output: { value: "contents of first" } },
      { output: { value: "contents of second" } },
    ])
    expect(written(results?.[1])).not.toContain('"call_0"')
  })

  it("what a tool shows, throws or never runs for reaches the model as the SDK says it", async () => {
    const session = start()
    session.say("go")
    const shown = tool({
      inputSchema: z.object({ path: z.string() }),
      execute: async ({ path }) => {
        if (path === "broken") throw new Error("no such file")
        return { path }
      },
      toModelOutput: ({ output }) => ({
        type: "content",
        value: [
          { type: "text", text: `shown ${written(output)}` },
          { type: "image-data", data: "AAAA", mediaType: "image/png" },
        ],
      }),
    })
    const unknown = { ...call("x"), toolName: "nosuch" } as ReturnType<typeof call>
    const model = scripted([call("a"), call("b", "broken"), unknown], [text("Done.")])
    await runSdk(loop, session, model, { tools: { read: shown } })
    expect(prompts(model)[1]?.at(-1)?.content).toMatchObject([
      {
        output: {
          type: "content",
          value: [{ text: 'shown {"path":"a"}' }, { type: "image-data", data: "AAAA" }],
        },
      },
      { output: { type: "error-text", value: "no such file" } },
      { output: { type: "error-text", value: expect.stringContaining("nosuch") } },
    ])
  })

  it("signatures go back with the reasoning they came with", async () => {
    const session = start({ model: { id: MODELS.system } })
    session.say("go")
    const thought = {
      type: "reasoning",
      text: "hm",
      providerMetadata: { anthropic: { signature: "sig" } },
    } as const
    const model = scripted([thought, call("a")], [text("Done.")])
    await runSdk(loop, session, model)
    expect(prompts(model)[1]?.[2]).toMatchObject({
      role: "assistant",
      content: [{ type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "sig" } } }, {}],
    })
  })

  it("a run with nothing to send, or with calls that nobody answered, is refused before the model is asked", async () => {
    const session = start()
    const model = scripted([call("a")])
    await expect(runSdk(loop, session, model)).rejects.toThrow("There is nothing to send")
    session.say("go")
    await runSdk(loop, session, model, {
      tools: { read: tool({ inputSchema: z.object({ path: z.string() }) }) },
    })
    expect(session.phase).toBe("awaiting-results")
    await expect(runSdk(loop, session, model)).rejects.toThrow("The calls a have no result yet")
    session.result("a", "given by hand")
    await runSdk(loop, session, model)
    expect(written(prompts(model).at(-1))).toContain("given by hand")
  })
})

it("prepareStep is of the SDK's type, and alone it records every step that another follows", async () => {
  const session = start()
  session.say("go")
  const model = scripted([call("a")], [call("b")], [text("Done.")])
  const read = tools((path) => path)
  const step: PrepareStepFunction<typeof read> = prepareStep(session)
  await generateText({
    model,
    prompt: "(replaced)",
    tools: read,
    prepareStep: step,
    stopWhen: stepCountIs(9),
  })
  expect(prompts(model)).toHaveLength(3)
  expectAppended(prompts(model))
  expect(session.phase).toBe("awaiting-reply")
})

it("a switch of model changes which of the SDK's models is asked", async () => {
  const session = start()
  const models: Record<string, ReturnType<typeof scripted>> = {
    [MODELS.smooshing]: scripted([text("Hi.")]),
    [MODELS.plain]: scripted([text("Hello.")]),
  }
  const outer = scripted()
  const adapter = prepareStep(session, { model: (id) => models[id] ?? outer })
  for (const id of Object.keys(models)) {
    session.switchModel({ id })
    session.say("hello")
    await generateText({
      model: outer,
      prompt: "(replaced)",
      prepareStep: adapter,
      onStepFinish: adapter.onStepFinish,
    })
  }
  expect(Object.values(models).map((model) => prompts(model).length)).toEqual([1, 1])
  expect(prompts(outer)).toEqual([])
})

describe("through the SDK's own providers", () => {
  /** A provider's fetch: keeps the bodies, and answers with what is written. */
  function wire(...answers: readonly object[]) {
    const bodies: unknown[] = []
    const fetch = async (_: unknown, init?: { body?: unknown }) => {
      bodies.push(JSON.parse(String(init?.body)))
      return new Response(written(answers[bodies.length - 1]), {
        headers: { "content-type": "application/json" },
      })
    }
    return { bodies, fetch: fetch as typeof globalThis.fetch }
  }

  const steered = (session: ReturnType<typeof start>) => (path: string) => {
    if (path === "a") session.say("and the tests")
    if (path === "b") session.switchAgent("plan")
    return path
  }

  it.each(["claude-opus-5-5", "claude-sonnet-4-5"])(
    "Anthropic's gets valid, append-only bodies: %s",
    async (id) => {
      const use = (name: string) => ({ type: "tool_use", id: name, name: "read", input: { path: name } })
      const answer = (...content: object[]) => ({
        ...{ type: "message", id: "msg", model: id, role: "assistant", content },
        ...{ stop_reason: "end_turn", usage: { input_tokens: 1, output_tokens: 1 } },
      })
      const thinking = { type: "thinking", thinking: "hm", signature: "sig" }
      const { bodies, fetch } = wire(
        answer(thinking, use("a")),
        answer(use("b")),
        answer(use("c"), use("d")),
        answer({ type: "text", text: "Done." }),
      )
      const session = start({ model: { id } })
      session.say("go")
      await runSdk("generateText", session, createAnthropic({ apiKey: "-", fetch })(id), {
        read: steered(session),
      })
      expect(bodies).toHaveLength(4)
      for (const body of bodies) expect(validateAnthropic(body)).toEqual([])
      expectAppendOnly(bodies)
      const { messages, system } = bodies.at(-1) as Body
      const marked = messages.flatMap((message, i) => (written(message).includes("cache_control") ? [i] : []))
      expect(marked).toHaveLength(2)
      expect(system?.[0]?.cache_control).toEqual({ type: "ephemeral" })
      expect(messages.some(({ role }) => role === "system")).toBe(id === "claude-opus-5-5")
      expect(messages[1]?.content[0]).toEqual(thinking)
    },
  )

  it("OpenAI's gets system messages as developer messages, in place", async () => {
    const item = (name: string) => ({
      ...{ type: "function_call", id: `fc_${name}`, call_id: name, name: "read" },
      arguments: written({ path: name }),
    })
    const answer = (...output: object[]) => ({
      ...{ id: "resp", created_at: 0, model: "gpt-5.6", output },
      usage: { input_tokens: 1, output_tokens: 1 },
    })
    const reasoning = { type: "reasoning", id: "rs_1", summary: [] }
    const said = [{ type: "output_text", text: "Done.", annotations: [] }]
    const message = { type: "message", id: "m", role: "assistant", content: said }
    const { bodies, fetch } = wire(answer(reasoning, item("a")), answer(item("b")), answer(message))
    const session = start({ model: { id: "gpt-5.6" } })
    session.say("go")
    const model = createOpenAI({ apiKey: "-", fetch })("gpt-5.6")
    await runSdk("generateText", session, model, { read: steered(session) })
    const inputs = bodies.map((body) => (body as { input: { role?: string; type?: string }[] }).input)
    expect(inputs.at(-1)?.map(({ role, type }) => role ?? type)).toEqual([
      ...["developer", "user"],
      ...["item_reference", "function_call", "function_call_output", "user", "developer"],
      ...["function_call", "function_call_output", "developer"],
    ])
    inputs.forEach((input, i) => {
      expect(input.slice(0, inputs[i - 1]?.length ?? 0)).toEqual(inputs[i - 1] ?? [])
    })
  })
})

describe("a run that is aborted", () => {
  const STOPPED = "Stopped by the user before it finished."
  /** Until the SDK's version 6 has ended a step, it does not tell which of its calls have begun. */
  const NOT_RUN = "Not run: the reply was interrupted before the call could be made."

  /** Runs until the tool has begun, and aborts then. The tool never ends. */
  async function abortedInTool(session: ReturnType<typeof start>, first: "run" | "session") {
    const model = scripted([text("I read."), call("a"), call("b")], [text("Done.")])
    const controller = new AbortController()
    const adapter = prepareStep(session)
    const result = streamText({
      model,
      prompt: "(replaced)",
      tools: tools((path) => {
        if (path === "a") return "contents of a"
        if (first === "session") session.abort()
        controller.abort()
        return new Promise(() => {})
      }),
      prepareStep: adapter,
      onStepFinish: adapter.onStepFinish,
      onChunk: adapter.onChunk,
      onAbort: adapter.onAbort,
      stopWhen: stepCountIs(5),
      abortSignal: controller.signal,
    })
    await result.consumeStream()
  }

  it.each(["run", "session"] as const)(
    "keeps the reply and answers its calls: the %s is aborted first",
    async (first) => {
      const session = start()
      session.say("go")
      await abortedInTool(session, first)
      expect(session.phase).toBe("idle")
      const [, reply, ...results] = session.view()
      expect(reply).toMatchObject({
        role: "assistant",
        parts: [
          { type: "text", text: "I read." },
          { type: "tool-call", name: "read", input: { path: "a" } },
          { type: "tool-call", name: "read", input: { path: "b" } },
        ],
      })
      expect(results.map(({ role }) => role)).toEqual(["tool", "tool"])
      expect(times(results, first === "run" ? STOPPED : NOT_RUN)).toBe(2)

      session.say("go on")
      const model = scripted([text("Done.")])
      await runSdk("streamText", session, model)
      expect(times(prompts(model)[0], "I read.")).toBe(1)
      expect(session.phase).toBe("idle")
    },
  )

  it("keeps what a tool had returned", () => {
    const session = start()
    session.say("go")
    const adapter = prepareStep(session)
    adapter({ steps: [], stepNumber: 0 })
    for (const id of ["a", "b"])
      adapter.onChunk({ chunk: { type: "tool-call", toolCallId: id, toolName: "read", input: { path: id } } })
    adapter.onChunk({
      chunk: { type: "tool-result", toolCallId: "a", toolName: "read", output: "contents of a" },
    })
    adapter.onAbort()
    expect(session.view().slice(2)).toMatchObject([
      { parts: [{ callId: "a", output: [{ text: "contents of a" }] }] },
      { parts: [{ callId: "b", output: [{ text: STOPPED }] }] },
    ])
  })

  it("keeps the words that had come", async () => {
    const session = start()
    session.say("go")
    const controller = new AbortController()
    const adapter = prepareStep(session)
    const parts = [
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "I was " },
      { type: "text-delta", id: "0", delta: "saying" },
    ] as const
    const model = new MockLanguageModelV3({
      doStream: async ({ abortSignal }) => ({
        stream: new ReadableStream({
          start(stream) {
            for (const part of parts) stream.enqueue(part)
            abortSignal?.addEventListener("abort", () => stream.error(abortSignal.reason))
          },
        }),
      }),
    })
    let heard = ""
    const result = streamText({
      model,
      prompt: "(replaced)",
      prepareStep: adapter,
      onStepFinish: adapter.onStepFinish,
      onChunk: (event) => {
        adapter.onChunk(event)
        heard += event.chunk.type === "text-delta" ? event.chunk.text : ""
        if (heard === "I was saying") controller.abort()
      },
      onAbort: adapter.onAbort,
      abortSignal: controller.signal,
    })
    await result.consumeStream()
    expect(session.phase).toBe("idle")
    expect(session.view().at(-1)?.parts[0]).toMatchObject({ type: "text", text: "I was saying" })
  })

  it("version 7 tells of a reply before its tools run: it is recorded at once, and once", async () => {
    const session = start()
    session.say("go")
    const adapter = prepareStep(session)
    adapter({ steps: [], stepNumber: 0 })
    const content = [
      { type: "text", text: "I read." },
      { type: "tool-call", toolCallId: "a", toolName: "read", input: { path: "a" } },
    ]
    const usage = { inputTokens: 10, outputTokens: 3 }
    adapter.onLanguageModelCallEnd({ content, finishReason: "tool-calls", usage })
    expect(session.phase).toBe("awaiting-results")
    adapter.onStepFinish({ content, finishReason: "tool-calls", usage, stepNumber: 0 })
    expect(session.log.filter(({ type }) => type === "replied")).toHaveLength(1)
    adapter.onAbort()
    expect(session.phase).toBe("idle")
    expect(times(session.view(), STOPPED)).toBe(1)
  })
})
