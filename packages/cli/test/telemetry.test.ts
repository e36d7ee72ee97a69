import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as conventions from "@opentelemetry/semantic-conventions/incubating"
import type { Rehearsal, ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { type Collector, type Span, startCollector } from "./support/collector.js"
import { editorWith } from "./support/editor.js"
import { serving } from "./support/server.js"
import {
  type Bench,
  benchWith,
  finished,
  reaching,
  serverWith,
  sotto,
  type Variables,
} from "./support/sotto.js"
import { KEYS, terminalWith } from "./tui/support/terminal.js"

const MODEL = "anthropic/claude-sonnet-4-5"
const KIND = { internal: 1, client: 3 } as const
const CAPTURE = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" }
const PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

/** Every name of the conventions, as their own package has them. */
const KNOWN = new Set<unknown>(Object.values(conventions))

/** What the conventions say that each attribute is. */
const TYPES: Readonly<Record<string, string>> = {
  "gen_ai.operation.name": "string",
  "gen_ai.provider.name": "string",
  "gen_ai.conversation.id": "string",
  "gen_ai.agent.name": "string",
  "gen_ai.request.model": "string",
  "gen_ai.request.stream": "boolean",
  "gen_ai.request.temperature": "double",
  "gen_ai.response.model": "string",
  "gen_ai.response.id": "string",
  "gen_ai.response.finish_reasons": "string[]",
  "gen_ai.response.time_to_first_chunk": "double",
  "gen_ai.usage.input_tokens": "int",
  "gen_ai.usage.output_tokens": "int",
  "gen_ai.usage.cache_read.input_tokens": "int",
  "gen_ai.usage.cache_creation.input_tokens": "int",
  "gen_ai.tool.name": "string",
  "gen_ai.tool.call.id": "string",
  "gen_ai.tool.type": "string",
  "gen_ai.tool.description": "string",
  "server.address": "string",
  "server.port": "int",
  "error.type": "string",
}

const script: readonly ScriptStep[] = [
  { text: "I look.", calls: [{ name: "read", input: { path: "secret.txt" } }] },
  { text: "I write.", calls: [{ name: "write", input: { path: "b.txt", content: "b\n" } }] },
  { text: "It is done." },
]

const files = {
  "secret.txt": "The word is marzipan.\n",
  "sotto.json": JSON.stringify({ agents: { build: { temperature: 0.5 } } }),
}

/** A run with the whole script, to its end. */
async function traced(env: (collector: Collector) => Variables = ({ json }) => json) {
  const [collector, server, bench] = [await startCollector(), await serverWith(script), benchWith(files)]
  const args = ["run", "Say where the saffron is.", "--model", MODEL, "--yes", "--output", "jsonl"]
  const run = sotto(bench, args, { ...reaching(server.url), ...env(collector) })
  const ended = await run.end()
  return { collector, server, bench, run, ended }
}

/** What the session's log says that was spent: the same as the ledger is made from. */
async function spentIn(bench: Bench, id: string) {
  const { out } = await finished(bench, ["export", id])
  const entries = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
  const usages = entries.flatMap((line) => {
    const entry = line.entry ?? line
    return entry.type === "replied" ? [entry.reply.usage] : []
  })
  const sum = (kind: string) => usages.reduce((all, usage) => all + usage[kind], 0)
  return {
    input: sum("input"),
    output: sum("output"),
    cacheRead: sum("cacheRead"),
    cacheWrite: sum("cacheWrite"),
    steps: usages.length,
  }
}

function expectConventional(spans: readonly Span[]): void {
  expect(spans.length).toBeGreaterThan(0)
  for (const { attributes, types } of spans)
    for (const key of Object.keys(attributes)) {
      if (key.startsWith("sotto.")) continue
      expect(KNOWN, key).toContain(key)
      expect([key, types[key]]).toEqual([key, TYPES[key]])
    }
}

describe.concurrent("a trace of a run", () => {
  it("has the spans, kinds, parents and attributes of the conventions", async () => {
    const { collector, server, run, ended } = await traced()
    expect(ended).toMatchObject({ code: 0, err: "" })
    const id = run.all({ type: "session" })[0]?.id
    const [turn, ...others] = collector.named("invoke_agent")
    expect(others).toEqual([])
    expect(turn).toMatchObject({
      name: "invoke_agent build",
      kind: KIND.internal,
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.agent.name": "build",
        "gen_ai.request.model": "claude-sonnet-4-5",
        "gen_ai.conversation.id": id,
        "sotto.turn.end": "done",
        "sotto.turn.steps": 3,
      },
    })
    expect(turn?.parentSpanId).toBeFalsy()
    const below = { traceId: turn?.traceId, parentSpanId: turn?.spanId }
    const { hostname, port } = new URL(server.url)
    const chats = collector.named("chat")
    expect(chats).toHaveLength(3)
    for (const [i, chat] of chats.entries())
      expect(chat).toMatchObject({
        ...below,
        name: "chat claude-sonnet-4-5",
        kind: KIND.client,
        attributes: {
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": "anthropic",
          "gen_ai.request.model": "claude-sonnet-4-5",
          "gen_ai.response.model": "claude-sonnet-4-5",
          "gen_ai.response.id": expect.stringMatching(/^msg_/),
          "gen_ai.request.temperature": 0.5,
          "gen_ai.request.stream": true,
          "gen_ai.response.finish_reasons": [i === 2 ? "stop" : "tool_call"],
          "gen_ai.conversation.id": id,
          "server.address": hostname,
          "server.port": Number(port),
          "sotto.step": i + 1,
        },
      })
    expect(collector.named("execute_tool")).toMatchObject(
      ["read", "write"].map((name) => ({
        ...below,
        name: `execute_tool ${name}`,
        kind: KIND.internal,
        attributes: {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": name,
          "gen_ai.tool.type": "function",
          "gen_ai.tool.call.id": run.all({ type: "tool-call", name })[0]?.id,
        },
      })),
    )
    expectConventional(collector.spans)
    expect(collector.resource).toMatchObject({
      "service.name": "sotto",
      "service.version": expect.any(String),
    })
  })

  it("counts the tokens that the session's log has, on spans, turn and metrics", async () => {
    const { collector, bench, run } = await traced()
    const spent = await spentIn(bench, String(run.all({ type: "session" })[0]?.id))
    expect(spent.steps).toBe(3)
    const total = (spans: readonly Span[], key: string) =>
      spans.reduce((sum, { attributes }) => sum + Number(attributes[key]), 0)
    for (const spans of [collector.named("chat"), collector.named("invoke_agent")]) {
      expect(total(spans, "gen_ai.usage.input_tokens")).toBe(spent.input + spent.cacheRead + spent.cacheWrite)
      expect(total(spans, "gen_ai.usage.output_tokens")).toBe(spent.output)
      expect(total(spans, "gen_ai.usage.cache_read.input_tokens")).toBe(spent.cacheRead)
      expect(total(spans, "gen_ai.usage.cache_creation.input_tokens")).toBe(spent.cacheWrite)
    }
    const usage = collector.metric("gen_ai.client.token.usage").figures
    const of = (type: string) => usage.find(({ attributes }) => attributes["gen_ai.token.type"] === type)
    expect(of("input")).toMatchObject({ count: 3, sum: spent.input + spent.cacheRead + spent.cacheWrite })
    expect(of("output")).toMatchObject({ count: 3, sum: spent.output })
    const kinds = collector
      .metric("sotto.tokens")
      .figures.map(({ attributes, sum }) => [attributes["sotto.token.kind"], sum])
    expect(Object.fromEntries(kinds)).toEqual({
      input: spent.input,
      cache_read: spent.cacheRead,
      cache_write: spent.cacheWrite,
      output: spent.output,
    })
  })

  it("has the metrics with the conventions' units and buckets", async () => {
    const { collector } = await traced()
    const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
    const tokens = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864]
    for (const name of collector.metricNames.filter((one) => one.startsWith("gen_ai."))) {
      expect(KNOWN, name).toContain(name)
      const { unit, figures } = collector.metric(name)
      const isTime = name !== "gen_ai.client.token.usage"
      expect(unit).toBe(isTime ? "s" : "{token}")
      for (const { explicitBounds, attributes } of figures) {
        expect(explicitBounds).toEqual(isTime ? seconds : tokens)
        expect(attributes).toMatchObject({
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": "anthropic",
        })
        for (const key of Object.keys(attributes)) expect(KNOWN, key).toContain(key)
      }
    }
    const [queue, ...rest] = collector.metric("sotto.queue.time").figures
    expect(rest).toEqual([])
    expect(queue).toMatchObject({
      count: 1,
      attributes: { "sotto.message.origin": "human", "sotto.message.delivery": "next-step" },
    })
    const [step] = collector.metric("sotto.step.time").figures
    const [store] = collector.metric("sotto.step.store_time").figures
    expect([step?.count, store?.count]).toEqual([3, 3])
    expect(store?.sum).toBeGreaterThan(0)
    expect(store?.sum).toBeLessThan(step?.sum ?? 0)
    expect(
      collector
        .metric("sotto.tool.time")
        .figures.map(({ attributes }) => attributes["gen_ai.tool.name"])
        .sort(),
    ).toEqual(["read", "write"])
    // Whoever has ended has nothing open.
    expect(collector.metric("sotto.session.open").figures).toMatchObject([{ sum: 0 }])
    expect(collector.metric("sotto.session.active").figures).toMatchObject([{ sum: 0 }])
  })

  it("tells of reminders by kind, carrier and tokens", async () => {
    const { collector, run } = await traced()
    const told = run.all({ type: "reminder" }).map(({ kind, carrier, tokens }) => ({ kind, carrier, tokens }))
    expect(told.length).toBeGreaterThan(0)
    const events = collector
      .named("chat")
      .flatMap(({ events: all }) => all.filter(({ name }) => name === "sotto.reminder"))
    expect(events.map(({ attributes }) => attributes)).toEqual(
      told.map(({ kind, carrier, tokens }) => ({
        "sotto.reminder.kind": kind,
        "sotto.reminder.carrier": carrier,
        "sotto.reminder.tokens": tokens,
      })),
    )
  })

  it("adds no header to what a model is sent", async () => {
    const seen: (readonly string[])[] = []
    for (const env of [() => ({}), ({ json }: Collector) => ({ ...json, TRACEPARENT: PARENT })]) {
      const { server } = await traced(env)
      seen.push(server.requests.map(({ headers }) => Object.keys(headers).sort().join()))
    }
    expect(seen[0]).toHaveLength(3)
    expect(seen[1]).toEqual(seen[0])
  })

  it("is part of the trace that TRACEPARENT names", async () => {
    const { collector } = await traced(({ json }) => ({ ...json, TRACEPARENT: PARENT }))
    const [, trace, parent] = PARENT.split("-")
    expect(collector.named("invoke_agent")).toMatchObject([{ traceId: trace, parentSpanId: parent }])
    expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([trace]))
  })

  it("is named as OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say, and sends the given headers", async () => {
    const { collector } = await traced(({ json }) => ({
      ...json,
      OTEL_SERVICE_NAME: "fleet",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
      OTEL_EXPORTER_OTLP_HEADERS: "x-team=blue",
    }))
    expect(collector.resource).toMatchObject({
      "service.name": "fleet",
      "deployment.environment.name": "test",
    })
    expect(collector.received.map(({ headers }) => headers["x-team"])).toEqual(
      collector.received.map(() => "blue"),
    )
  })

  it("is written as protobuf unless JSON is asked for", async () => {
    const { collector } = await traced(({ url }) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url }))
    expect(collector.received.map(({ path }) => path).sort()).toEqual(["/v1/metrics", "/v1/traces"])
    for (const { path, headers, body } of collector.received) {
      expect(headers["content-type"]).toBe("application/x-protobuf")
      expect(body.includes(path === "/v1/traces" ? "invoke_agent build" : "gen_ai.client.token.usage")).toBe(
        true,
      )
    }
  })

  it("is left out where only metrics are asked for, and the reverse", async () => {
    const only = async (more: Variables) =>
      (await traced(({ json }) => ({ ...json, ...more }))).collector.received.map(({ path }) => path)
    expect(await only({ OTEL_TRACES_EXPORTER: "none" })).toEqual(["/v1/metrics"])
    expect(await only({ OTEL_METRICS_EXPORTER: "none" })).toEqual(["/v1/traces"])
    expect(await only({ OTEL_SDK_DISABLED: "true" })).toEqual([])
  })
})

describe.concurrent("every model", () => {
  it.each([
    ["anthropic/claude-opus-5-5", "anthropic"],
    ["openai/gpt-5.6", "openai"],
    ["openai-chat/qwen3-coder", "openai"],
    ["google/gemini-3-pro", "gcp.gemini"],
  ])("%s is named as the conventions name its provider", async (model, provider) => {
    const [collector, server, bench] = [await startCollector(), await serverWith(script), benchWith(files)]
    const run = sotto(bench, ["run", "Begin.", "--model", model, "--yes", "--output", "jsonl"], {
      ...reaching(server.url),
      ...collector.json,
    })
    expect(await run.end()).toMatchObject({ code: 0, err: "" })
    const name = model.slice(model.indexOf("/") + 1)
    const said = {
      "gen_ai.provider.name": provider,
      "gen_ai.request.model": name,
      "gen_ai.response.model": name,
      "gen_ai.response.id": expect.any(String),
    }
    expect(collector.named("chat")).toMatchObject(Array(3).fill({ name: `chat ${name}`, attributes: said }))
    const spent = await spentIn(bench, String(run.all({ type: "session" })[0]?.id))
    expect(collector.named("invoke_agent")[0]?.attributes).toMatchObject({
      "gen_ai.usage.input_tokens": spent.input + spent.cacheRead + spent.cacheWrite,
      "gen_ai.usage.output_tokens": spent.output,
    })
    expectConventional(collector.spans)
  })

  it("is traced: the rehearsal that the command brings along, too", async () => {
    const collector = await startCollector()
    // As docs/telemetry.md has it: the command, and the beginning of its trace.
    const page = readFileSync(new URL("../../../docs/telemetry.md", import.meta.url), "utf8")
    expect(page).toContain('sotto run "Show me around" --model rehearsal/tour --yes\n')
    const args = ["run", "Show me around", "--model", "rehearsal/tour", "--yes", "--quiet"]
    expect(await finished(benchWith(), args, collector.json)).toMatchObject({ code: 0, err: "" })
    const tree = /```text\n([\s\S]*?)└─ …/.exec(page)?.[1]?.trim().split("\n") ?? []
    const names = collector.named("").map(({ name }) => name)
    expect(tree.length).toBeGreaterThan(3)
    expect(names.slice(0, tree.length).sort()).toEqual(tree.map((line) => line.replace("├─ ", "")).sort())
    const [turn] = collector.named("invoke_agent build")
    expect(turn?.attributes).toMatchObject({ "gen_ai.provider.name": "rehearsal", "sotto.turn.end": "done" })
    expect(collector.named("chat tour")).toHaveLength(Number(turn?.attributes["sotto.turn.steps"]))
    expectConventional(collector.spans)
  })
})

describe.concurrent("every way to run a session", () => {
  const talking = async () => [await startCollector(), await serverWith(script), benchWith(files)] as const

  it("sends: an editor's", async () => {
    const [collector, bench] = [await startCollector(), benchWith(files)]
    const server = await serverWith([
      { calls: [{ name: "glob", input: { pattern: "*" } }] },
      { text: "Done." },
    ])
    const editor = await editorWith(bench, server, { env: collector.json })
    const { stopReason } = await editor.prompt(await editor.open(), "Begin.")
    expect(stopReason).toBe("end_turn")
    expect(await editor.leave()).toMatchObject({ code: 0 })
    expect(collector.named("invoke_agent")).toMatchObject([{ attributes: { "sotto.turn.steps": 2 } }])
  })

  async function typed(server: Rehearsal, bench: Bench, env: Variables) {
    const terminal = terminalWith(bench, server, { env, args: ["--model", MODEL, "--yes"] })
    await terminal.see("say what to do")
    terminal.type(`Go.${KEYS.enter}`)
    await terminal.see("── 3 steps")
    terminal.type(`/quit${KEYS.enter}`)
    expect(await terminal.exited).toBe(0)
    return terminal
  }

  it("sends: the terminal's", async () => {
    const [collector, server, bench] = await talking()
    await typed(server, bench, collector.json)
    expect(collector.named("invoke_agent")).toMatchObject([{ attributes: { "sotto.turn.steps": 3 } }])
  })

  it("warns in the terminal only when the screen is given back", async () => {
    const [, server, bench] = await talking()
    const terminal = await typed(server, bench, { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" })
    expect(terminal.raw).toMatch(
      /Go on with: sotto --session \S+\s+[^\n]*sotto: Telemetry could not be sent: [^\n]+\n$/,
    )
  })
})

describe.concurrent("turns", () => {
  it("follow each other, each with its own end, and every message's wait is counted", async () => {
    const [collector, bench] = [await startCollector(), benchWith()]
    const wait = { name: "bash", input: { command: "cat gate" } }
    const server = await serverWith([{ calls: [wait] }, { text: "One." }, { text: "Two." }])
    const gate = bench.gate()
    const run = sotto(bench, ["run", "--input", "jsonl", "--output", "jsonl", "--yes", "--model", MODEL], {
      ...reaching(server.url),
      ...collector.json,
    })
    run.say("First.")
    await run.wait({ type: "tool-call" })
    run.say("Meanwhile.")
    run.say("Second.", { delivery: "after-turn" })
    await run.wait({ type: "queued" }, 3)
    await gate.open()
    await run.wait({ type: "turn-end" }, 2)
    await run.end()
    const turns = collector.named("invoke_agent").map(({ attributes }) => attributes)
    expect(turns).toMatchObject([
      { "sotto.turn": 1, "sotto.turn.end": "done", "sotto.turn.steps": 2 },
      { "sotto.turn": 2, "sotto.turn.end": "done", "sotto.turn.steps": 1 },
    ])
    expect(collector.named("chat").map(({ attributes }) => attributes["sotto.turn"])).toEqual([1, 1, 2])
    const waits = collector.metric("sotto.queue.time").figures
    const counts = waits.map(({ attributes, count }) => [attributes["sotto.message.delivery"], count])
    expect(Object.fromEntries(counts)).toEqual({ "next-step": 2, "after-turn": 1 })
  })

  it("tell what the provider's cache loses on the last step", async () => {
    const [collector, bench] = [await startCollector(), benchWith(files)]
    const server = await serverWith(script)
    const args = ["run", "Begin.", "--model", MODEL, "--yes", "--quiet", "--max-steps", "2"]
    expect(await finished(bench, args, { ...reaching(server.url), ...collector.json })).toMatchObject({
      code: 3,
    })
    const breaks = collector
      .named("chat")
      .map(({ events }) => events.filter(({ name }) => name === "sotto.break"))
    expect(breaks).toEqual([
      [],
      [{ name: "sotto.break", attributes: { "sotto.break.reason": "tool_choice" } }],
    ])
    expect(collector.named("invoke_agent")).toMatchObject([{ attributes: { "sotto.turn.end": "max-steps" } }])
  })
})

describe.concurrent("content", () => {
  it("is not sent", async () => {
    const { collector } = await traced()
    const all = collector.received.map(({ body }) => body.toString("utf8")).join()
    expect(all).not.toMatch(/marzipan|saffron|It is done|secret\.txt/)
    expect(collector.spans.flatMap(({ attributes }) => Object.keys(attributes))).not.toContain(
      "gen_ai.input.messages",
    )
  })

  it("is sent if it is asked for, without keys", async () => {
    const key = "sk-ant-api03-abcdefghijklmnop"
    const { collector } = await traced(({ json }) => ({
      ...json,
      ...CAPTURE,
      ANTHROPIC_API_KEY: key,
      MY_SECRET: "The word is marzipan.",
      OTEL_EXPORTER_OTLP_HEADERS: "x-collector=saffron%20is.",
    }))
    const [first, , last] = collector.named("chat").map(({ attributes }) => attributes)
    const parsed = (name: string, of = first) => JSON.parse(String(of?.[name]))
    expect(parsed("gen_ai.system_instructions")).toEqual([{ type: "text", content: expect.any(String) }])
    expect(parsed("gen_ai.tool.definitions")).toContainEqual(
      expect.objectContaining({ type: "function", name: "read" }),
    )
    const inputs = parsed("gen_ai.input.messages", last)
    expect(inputs[0]).toMatchObject({
      role: "user",
      parts: expect.arrayContaining([{ type: "text", content: "Say where the [redacted]" }]),
    })
    expect(inputs).toContainEqual(
      expect.objectContaining({
        role: "assistant",
        parts: expect.arrayContaining([
          expect.objectContaining({ type: "tool_call", name: "read", arguments: { path: "secret.txt" } }),
        ]),
      }),
    )
    expect(inputs).toContainEqual(
      expect.objectContaining({
        role: "tool",
        parts: [expect.objectContaining({ type: "tool_call_response" })],
      }),
    )
    expect(parsed("gen_ai.output.messages", last)).toEqual([
      { role: "assistant", parts: [{ type: "text", content: "It is done." }], finish_reason: "stop" },
    ])
    const [read] = collector.named("execute_tool read")
    expect(parsed("gen_ai.tool.call.arguments", read?.attributes)).toEqual({ path: "secret.txt" })
    expect(read?.attributes["gen_ai.tool.call.result"]).toEqual(expect.stringContaining("1"))
    // The file holds what the environment calls a secret, and the prompt what the collector is sent.
    const all = collector.received.map(({ body }) => body.toString("utf8")).join()
    for (const secret of [key, "marzipan", "saffron is."]) expect(all).not.toContain(secret)
    for (const name of Object.keys(first ?? {}).filter((one) => !one.startsWith("sotto.")))
      expect(KNOWN, name).toContain(name)
  })
})

describe.concurrent("what goes wrong", () => {
  it("is told on spans: retries, tools that fail, calls that are not run", async () => {
    const [collector, bench] = [await startCollector(), benchWith()]
    const server = await serverWith([
      {
        calls: [
          { name: "read", input: { path: "nowhere.txt" } },
          { name: "nothing", input: {} },
        ],
        fail: [{ status: 529 }],
      },
      { text: "Then not." },
    ])
    const args = ["run", "Begin.", "--model", MODEL, "--quiet"]
    expect(await finished(bench, args, { ...reaching(server.url), ...collector.json })).toMatchObject({
      code: 0,
    })
    expect(collector.named("chat")[0]?.events).toContainEqual({
      name: "sotto.retry",
      attributes: {
        "sotto.retry.attempt": 1,
        "sotto.retry.delay": expect.any(Number),
        "error.type": "overloaded_error",
      },
    })
    expect(collector.named("execute_tool read")).toMatchObject([
      { status: { code: 2 }, attributes: { "error.type": "tool_error" } },
    ])
    expect(collector.named("execute_tool nothing")).toMatchObject([
      { status: { code: 2 }, attributes: { "error.type": "not_run" } },
    ])
    expectConventional(collector.spans)
  })

  it("is told on spans: a model that refuses, and the turn that fails with it", async () => {
    const [collector, bench] = [await startCollector(), benchWith()]
    const server = await serverWith([{ text: "Never.", fail: [{ status: 401 }] }])
    const args = ["run", "Begin.", "--model", MODEL, "--quiet"]
    expect(await finished(bench, args, { ...reaching(server.url), ...collector.json })).toMatchObject({
      code: 1,
    })
    const type = { "error.type": "authentication_error" }
    expect(collector.named("chat")).toMatchObject([{ status: { code: 2 }, attributes: type }])
    expect(collector.named("invoke_agent")).toMatchObject([
      { status: { code: 2 }, attributes: { "error.type": "error", "sotto.turn.end": "error" } },
    ])
    expect(collector.metric("gen_ai.client.operation.duration").figures).toMatchObject([{ attributes: type }])
  })

  it("marks what was interrupted, which is no failure", async () => {
    const [collector, bench] = [await startCollector(), benchWith()]
    const server = await serverWith([{ text: "Too slow.", delay: 60_000 }])
    const run = sotto(bench, ["run", "Begin.", "--model", MODEL, "--output", "jsonl"], {
      ...reaching(server.url),
      ...collector.json,
    })
    await run.wait({ type: "step", n: 1 })
    run.signal("SIGINT")
    expect((await run.ended).code).toBe(130)
    expect(collector.named("chat")).toMatchObject([{ attributes: { "sotto.interrupted": true } }])
    expect(collector.named("invoke_agent")).toMatchObject([
      { attributes: { "sotto.turn.end": "interrupted" } },
    ])
    expect(collector.spans.map(({ status }) => status.code ?? 0)).toEqual([0, 0])
  })

  it("tells why an epoch began", async () => {
    const [collector, bench] = [await startCollector(), benchWith()]
    const server = await serverWith([{ text: "One." }, { text: "Two." }])
    const run = sotto(bench, ["run", "--input", "jsonl", "--output", "jsonl", "--model", MODEL], {
      ...reaching(server.url),
      ...collector.json,
    })
    run.say("First.")
    await run.wait({ type: "turn-end" })
    run.send({ type: "model", model: "openai/gpt-5.6" })
    run.say("Second.")
    await run.wait({ type: "turn-end" }, 2)
    await run.end()
    expect(collector.named("chat").map(({ name }) => name)).toEqual([
      "chat claude-sonnet-4-5",
      "chat gpt-5.6",
    ])
    expect(collector.named("chat")[1]?.events).toContainEqual({
      name: "sotto.rebase",
      attributes: { "sotto.rebase.reason": "model" },
    })
    const turns = collector.named("invoke_agent")
    expect(turns.map(({ attributes }) => attributes["gen_ai.provider.name"])).toEqual(["anthropic", "openai"])
    expect(turns.map(({ spanId }) => spanId)).toEqual(
      collector.named("chat").map(({ parentSpanId }) => parentSpanId),
    )
  })
})

describe.concurrent("subagents", () => {
  it.each([false, true])("are below the call that started them (background: %s)", async (background) => {
    const collector = await startCollector()
    const task = { name: "task", input: { agent: "general", prompt: "Do your part.", background } }
    const server = await serverWith({
      steps: [{ calls: [task] }, { text: "Thanks." }, { text: "I have read it." }],
      scripts: [
        {
          when: "Do your part",
          steps: [{ calls: [{ name: "glob", input: { pattern: "*" } }] }, { text: "Report." }],
        },
      ],
    })
    const args = ["run", "Begin.", "--model", MODEL, "--quiet"]
    await finished(benchWith(), args, { ...reaching(server.url), ...collector.json })
    const [call] = collector.named("execute_tool task")
    const [child] = collector.named("invoke_agent general")
    expect(child).toMatchObject({ traceId: call?.traceId, parentSpanId: call?.spanId })
    expect(collector.named("execute_tool glob")).toMatchObject([{ parentSpanId: child?.spanId }])
    const below = collector.named("chat").filter(({ parentSpanId }) => parentSpanId === child?.spanId)
    expect(below).toHaveLength(2)
    expect(child?.attributes["gen_ai.conversation.id"]).not.toBe(call?.attributes["gen_ai.conversation.id"])
  })
})

describe.concurrent("the server", () => {
  it("makes a turn the child of the request that said it, and sends without being ended", async () => {
    const [collector, bench] = [await startCollector(), benchWith()]
    const model = await serverWith([{ text: "Yes." }, { text: "Again." }])
    const env = { ...reaching(model.url), ...collector.json, OTEL_BSP_SCHEDULE_DELAY: "50" }
    const { user, run } = await serving(bench, env)
    const id = await user.open(bench.cwd, { model: MODEL })
    await user.post(`/sessions/${id}/say`, { text: "Are you there?" }, { traceparent: PARENT })
    await collector.until(() => collector.named("invoke_agent").length === 1)
    await user.post(`/sessions/${id}/say`, { text: "And now?" })
    await collector.until(() => collector.named("invoke_agent").length === 2)
    const [, trace, parent] = PARENT.split("-")
    const [first, second] = collector.named("invoke_agent")
    expect(first).toMatchObject({ traceId: trace, parentSpanId: parent })
    expect(second?.traceId).not.toBe(trace)
    run.signal("SIGTERM")
    expect(await run.ended).toMatchObject({ code: 0, err: "" })
  })
})

describe.concurrent("a collector that is not there", () => {
  it("costs a line, and neither the answer nor the exit code", async () => {
    const server = await serverWith(script)
    // Nothing listens on port 9 of loopback.
    const env = { ...reaching(server.url), OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" }
    const ended = await finished(
      benchWith(files),
      ["run", "Begin.", "--model", MODEL, "--yes", "--quiet"],
      env,
    )
    expect(ended).toMatchObject({ code: 0, out: expect.stringContaining("It is done.") })
    expect(ended.err).toMatch(/^sotto: Telemetry could not be sent: .*127\.0\.0\.1:9.*\n$/)
  })

  it("is not waited for where the settings are wrong: they are named", async () => {
    const server = await serverWith(script)
    const env = {
      ...reaching(server.url),
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
    }
    const ended = await finished(
      benchWith(files),
      ["run", "Begin.", "--model", MODEL, "--yes", "--quiet"],
      env,
    )
    expect(ended).toMatchObject({
      code: 0,
      err: 'sotto: Telemetry is not sent: OTEL_EXPORTER_OTLP_PROTOCOL is "grpc". Use http/protobuf or http/json.\n',
    })
  })
})

describe.concurrent("without the variables", () => {
  const preload = `--import ${new URL("./support/loaded.mjs", import.meta.url).href}`

  async function loadedBy(env: Variables): Promise<string> {
    const [server, bench] = [await serverWith(script), benchWith(files)]
    const file = join(bench.cwd, "..", "loaded.txt")
    const all = { ...reaching(server.url), ...env, NODE_OPTIONS: preload, LOADED_FILE: file }
    const ended = await finished(bench, ["run", "Begin.", "--model", MODEL, "--yes", "--quiet"], all)
    expect(ended).toMatchObject({ code: 0, err: "" })
    return readFileSync(file, "utf8")
  }

  /** The files of the bundle, and of the package beside it, that need OpenTelemetry. */
  const folders = [
    new URL("../dist/bundle/", import.meta.url),
    new URL("../../telemetry/dist/", import.meta.url),
  ]
  const needing = () =>
    folders.flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => /\.c?js$/.test(name))
        .map((name) => new URL(name, folder))
        .filter((file) =>
          /(?:from|import\(|require\(|Import\()\s*"@opentelemetry\//.test(readFileSync(file, "utf8")),
        )
        .map(({ pathname }) => pathname),
    )

  it("nothing of OpenTelemetry is loaded", async () => {
    const loaded = await loadedBy({})
    expect(loaded).toContain("/dist/bundle/main.cjs")
    expect(loaded).not.toContain("opentelemetry")
    for (const name of needing()) expect(loaded).not.toContain(name)
  })

  it("and with them it is, so that this test would notice", async () => {
    const { json } = await startCollector()
    const loaded = await loadedBy(json)
    expect(loaded).toContain("@opentelemetry/sdk-trace-base")
    expect(needing().length).toBeGreaterThan(0)
    for (const name of needing()) expect(loaded).toContain(name)
  })
})
