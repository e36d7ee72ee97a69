import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ROOT_CONTEXT } from "@opentelemetry/api"
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics"
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { createSession, type Request } from "@sotto/core"
import type { ModelLink } from "@sotto/harness/telemetry"
import { describe, expect, it, onTestFinished } from "vitest"
import { instrumentsOf } from "../src/instruments.js"
import { ATTRIBUTE, CONTENT, EVENT, METRIC, SPAN } from "../src/names.js"
import { SessionTrace } from "../src/session-trace.js"
import { WaitClock } from "../src/store-clock.js"

describe("the clock of the store", () => {
  it("counts waits at the same time once", async () => {
    const clock = new WaitClock()
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
    const clock = new WaitClock()
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

  it("says on a turn what its requests used, subagents aside, and what the whole tree has cost", async () => {
    const { trace, say, spans } = tracing()
    await say("Begin.")
    const usage = {
      type: "usage",
      purpose: "step",
      input: 10,
      output: 2,
      cacheRead: 3,
      cacheWrite: 4,
    } as const
    trace.event(usage)
    trace.event({ ...usage, purpose: "summary" })
    trace.event({ ...usage, session: "a subagent's" })
    const account = { requests: 3, input: 30, output: 6, cacheRead: 9, cacheWrite: 12, cost: 0.25 }
    trace.event({ type: "turn-end", reason: "done", steps: 1, account })
    const turn = spans().find(({ name }) => name.startsWith(SPAN.turn))
    expect(turn?.attributes).toMatchObject({
      [ATTRIBUTE.input]: 34,
      [ATTRIBUTE.output]: 4,
      [ATTRIBUTE.requests]: 3,
      [ATTRIBUTE.cost]: 0.25,
    })
  })

  it("counts the tokens of an attempt that broke off, and of a call that was cut short", async () => {
    const { trace, session, tokens } = tracing()
    session.say("Begin.")
    const next = session.next()
    if (next.is !== "request") throw new Error("no request")
    const usage = { input: 10, output: 1, cacheRead: 0, cacheWrite: 0 }
    const user = new AbortController()
    const models = {
      target: () => ({ url: async () => "https://api.anthropic.com/v1/messages" }),
      call: async (_: Request, { onCharged, onPartial, signal }: Parameters<ModelLink["call"]>[1]) => {
        onCharged?.(usage)
        onPartial(() => ({ parts: [], usage }))
        user.abort()
        throw signal.reason
      },
    }
    const call = trace.link(models).call(next.request, { ...listen(), signal: user.signal })
    await expect(call).rejects.toThrow("aborted")
    expect(await tokens("input")).toBe(20)
    expect(await tokens("output")).toBe(2)
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
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter: metrics })
  onTestFinished(() => reader.shutdown())
  /** Sums up the tokens of a kind that were counted so far. */
  const tokens = async (kind: string): Promise<number> => {
    await reader.forceFlush()
    const found =
      metrics
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? []
    const points = found.find(({ descriptor }) => descriptor.name === METRIC.tokens.name)?.dataPoints ?? []
    const own = points.filter(({ attributes }) => attributes[ATTRIBUTE.kind] === kind)
    return own.reduce((sum, { value }) => sum + Number(value), 0)
  }
  const reporting = {
    tracer: provider.getTracer("test"),
    instruments: instrumentsOf(new MeterProvider({ readers: [reader] }).getMeter("test")),
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
  return { trace, say, session, models, tokens, spans: () => exporter.getFinishedSpans() }
}
