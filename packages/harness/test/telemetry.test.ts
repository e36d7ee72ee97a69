import { describe, expect, it } from "vitest"
import { optionalPackage } from "../src/execution/programs/optional-package.js"
import { answererIn } from "../src/models/answerer.js"
import { telemetryAsked } from "../src/session/telemetry/asked.js"

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

describe("a package that is not installed", () => {
  it("is not there", async () => {
    expect(await optionalPackage("@sotto/not-there")).toBeUndefined()
  })
})
