import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ROOT_CONTEXT } from "@opentelemetry/api"
import { MeterProvider } from "@opentelemetry/sdk-metrics"
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { createSession, type Request } from "@sotto/core"
import { describe, expect, it } from "vitest"
import { answererIn } from "../src/models/answerer.js"
import type { ModelLink } from "../src/models/model-link.js"
import { telemetryAsked } from "../src/telemetry/asked.js"
import { instrumentsOf } from "../src/telemetry/instruments.js"
import { ATTRIBUTE, CONTENT, EVENT, METRIC, SPAN } from "../src/telemetry/names.js"
import { SessionTrace } from "../src/telemetry/session-trace.js"
import { StoreClock } from "../src/telemetry/store-clock.js"

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" }

describe("the variables", () => {
  it.each([
    ["nothing", {}],
    ["an empty address", { OTEL_EXPORTER_OTLP_ENDPOINT: " " }],
    ["settings alone", { OTEL_SERVICE_NAME: "mine", OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" }],
    ["OTEL_SDK_DISABLED", { ...ENDPOINT, OTEL_SDK_DISABLED: "True" }],
    ["none", { ...ENDPOINT, OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" }],
  ])("switch nothing on: %s", (_, env) => {
    expect(telemetryAsked(env)).toBeUndefined()
  })

  it.each([
    [ENDPOINT, { traces: "protobuf", metrics: "protobuf" }],
    [
      { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" },
      { traces: "json", metrics: "json" },
    ],
    [
      { ...ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json" },
      { traces: "json", metrics: "protobuf" },
    ],
    [{ ...ENDPOINT, OTEL_METRICS_EXPORTER: "none" }, { traces: "protobuf" }],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:1/x" }, { traces: "protobuf" }],
    [{ OTEL_TRACES_EXPORTER: "otlp" }, { traces: "protobuf" }],
    [{ OTEL_METRICS_EXPORTER: "otlp" }, { metrics: "protobuf" }],
    [{ OTEL_TRACES_EXPORTER: "console,otlp" }, { traces: "protobuf" }],
  ])("%j switch on %j", (env, signals) => {
    const { traces, metrics, problems } = telemetryAsked(env) ?? {}
    expect({ ...(traces && { traces }), ...(metrics && { metrics }) }).toEqual(signals)
    expect(problems).toEqual([])
  })

  it.each([
    [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, /OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4318" }, /OTEL_EXPORTER_OTLP_ENDPOINT is not an address/],
    [{ OTEL_TRACES_EXPORTER: "zipkin" }, /OTEL_TRACES_EXPORTER is "zipkin"/],
    [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: "toString" }, /is "toString"/],
  ])("that cannot be followed are named: %j", (env, problem) => {
    const asked = telemetryAsked(env)
    expect(asked?.problems.join()).toMatch(problem)
    expect(asked).not.toHaveProperty("traces")
  })

  it.each([
    [undefined, false],
    ["false", false],
    ["NO_CONTENT", false],
    ["EVENT_ONLY", false],
    ["true", true],
    ["SPAN_ONLY", true],
    ["span_and_event", true],
  ])("ask for content with %s: %s", (value, content) => {
    const env = { ...ENDPOINT, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: value }
    expect(telemetryAsked(env)).toMatchObject({ content })
  })

  it("name the collector without a password", () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "https://me:hush@example.org/otlp" }
    expect(telemetryAsked(env)?.collector).toBe("https://example.org")
  })
})

describe("who answers", () => {
  it.each([
    [
      "Anthropic",
      { type: "message_start", message: { id: "msg_1", model: "claude" } },
      { id: "msg_1", model: "claude" },
    ],
    [
      "Responses",
      { type: "response.created", response: { id: "resp_1", model: "gpt" } },
      { id: "resp_1", model: "gpt" },
    ],
    [
      "Chat Completions",
      { id: "chatcmpl-1", model: "qwen", choices: [] },
      { id: "chatcmpl-1", model: "qwen" },
    ],
    ["Gemini", { responseId: "r1", modelVersion: "gemini", candidates: [] }, { id: "r1", model: "gemini" }],
    ["nobody", { type: "ping" }, undefined],
  ])("is read from what a provider sends: %s", (_, event, answerer) => {
    expect(answererIn(JSON.stringify(event))).toEqual(answerer)
  })

  it.each(["[DONE]", "", "null", "7", '{"model":7}'])("is nobody in %j", (text) => {
    expect(answererIn(text)).toBeUndefined()
  })
})

describe("the clock of the store", () => {
  it("counts waits at the same time once", async () => {
    const clock = new StoreClock()
    const ends: (() => void)[] = []
    const waits = [1, 2].map(() => clock.until(new Promise<void>((resolve) => ends.push(resolve))))
    const before = performance.now()
    await new Promise(setImmediate)
    for (const end of ends) end()
    await Promise.all(waits)
    const most = performance.now() - before + 1
    expect(clock.total).toBeGreaterThan(0)
    expect(clock.total).toBeLessThan(most)
    const { total } = clock
    await new Promise(setImmediate)
    expect(clock.total).toBe(total)
  })

  it("fails as what it waits for does, and counts it", async () => {
    const clock = new StoreClock()
    await expect(clock.until(Promise.reject(new Error("disk full")))).rejects.toThrow("disk full")
    expect(clock.total).toBeGreaterThan(0)
  })
})

describe("a session's trace", () => {
  it("has an event on the turn whose lease was lost", async () => {
    const { trace, say, spans } = tracing()
    await say("Begin.")
    trace.leaseLost()
    trace.event({ type: "turn-end", reason: "interrupted", steps: 1 })
    const turn = spans().find(({ name }) => name.startsWith(SPAN.turn))
    expect(turn?.events.map(({ name }) => name)).toEqual(["sotto.lease.lost"])
  })

  it("ends the turn that has ended, although the next one has begun", async () => {
    const { trace, say, spans } = tracing()
    await say("One.")
    await say("Two.")
    trace.event({ type: "turn-end", reason: "length", steps: 1 })
    trace.event({ type: "turn-end", reason: "done", steps: 1 })
    // A second end of the same turn is none.
    trace.event({ type: "turn-end", reason: "error", steps: 1 })
    const ends = spans().filter(({ name }) => name.startsWith(SPAN.turn))
    expect(ends.map(({ attributes }) => [attributes[ATTRIBUTE.turn], attributes[ATTRIBUTE.end]])).toEqual([
      [1, "length"],
      [2, "done"],
    ])
  })

  it("ends what is open when the session is closed", async () => {
    const { trace, say, spans } = tracing()
    await say("Begin.")
    trace.close()
    const turn = spans().find(({ name }) => name.startsWith(SPAN.turn))
    expect(turn?.attributes[ATTRIBUTE.end]).toBe("interrupted")
  })

  it("puts what hidden agents write below the newest turn, and opens none for it", async () => {
    const { trace, say, spans, models, session } = tracing()
    await say("Begin.")
    trace.event({ type: "turn-end", reason: "done", steps: 1 })
    session.say("Again.")
    const next = session.next()
    if (next.is !== "request") throw new Error("no request")
    await trace.writers(models).call({ ...next.request, agent: "title" }, listen())
    const [turn, ...more] = spans().filter(({ name }) => name.startsWith(SPAN.turn))
    expect(more).toEqual([])
    const written = spans().find(({ attributes }) => attributes[ATTRIBUTE.agent] === "title")
    expect(written?.parentSpanContext?.spanId).toBe(turn?.spanContext().spanId)
  })
})

describe("docs/telemetry.md", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/telemetry.md"), "utf8")
  const rows = page.split("\n").filter((line) => line.startsWith("| `"))
  /** The names in the first column of its tables. */
  const listed = rows.flatMap((row) =>
    [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => String(name).split(" ")[0]),
  )

  it("lists every span, attribute, event and metric, and nothing else", () => {
    const sent = [
      ...Object.values(SPAN),
      ...Object.values(ATTRIBUTE),
      ...Object.values(CONTENT),
      ...Object.values(EVENT).flatMap((event) => Object.values(event)),
      ...Object.values(METRIC).map(({ name }) => name),
    ]
    const variables = listed.filter((name) => /^[A-Z_]+$/.test(name ?? ""))
    expect([...new Set(listed)].filter((name) => !variables.includes(name)).sort()).toEqual(
      [...new Set(sent)].sort(),
    )
  })

  it("says each metric's unit and instrument", () => {
    for (const { name, unit, is } of Object.values(METRIC)) {
      const row = rows.find((one) => one.startsWith(`| \`${name}\``))
      expect(row, name).toContain(`| ${is.replaceAll("-", " ")} | \`${unit}\` |`)
    }
  })
})

function listen(): Parameters<ModelLink["call"]>[1] {
  const ignore = () => undefined
  return { signal: new AbortController().signal, onDelta: ignore, onPartial: ignore, onRetry: ignore }
}

/** A session with a trace that is kept in memory. */
function tracing() {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  let ids = 0
  const session = createSession({
    agents: [{ name: "build" }],
    model: { id: "anthropic/claude-sonnet-4-5" },
    now: () => ids,
    newId: () => `id-${ids++}`,
  })
  const reporting = {
    tracer: provider.getTracer("test"),
    instruments: instrumentsOf(new MeterProvider().getMeter("test")),
    running: { run: <T>(_: unknown, work: () => T) => work() },
    senderOf: () => undefined,
  }
  const trace = new SessionTrace(session, reporting, { parent: ROOT_CONTEXT, redacting: undefined })
  const models = {
    target: () => ({ url: async () => "https://api.anthropic.com/v1/messages" }),
    call: async (_: Request) => ({ parts: [{ type: "text", text: "Yes." } as const], stop: "end" as const }),
  }
  const say = async (text: string) => {
    session.say(text)
    const next = session.next()
    if (next.is !== "request") throw new Error("no request")
    session.reply(next.request.id, await trace.link(models).call(next.request, listen()))
  }
  return { trace, say, session, models, spans: () => exporter.getFinishedSpans() }
}
