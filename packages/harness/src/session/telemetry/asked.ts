import type { Environment } from "../../platform/workspace/folders.js"

/** How a signal is written: the two forms of OTLP over HTTP. */
type Encoding = "json" | "protobuf"

/** What OpenTelemetry's variables ask for. */
export interface AskedTelemetry {
  readonly traces?: Encoding
  readonly metrics?: Encoding
  /** True if messages, arguments and results are to be sent too. */
  readonly content: boolean
  /** Where it is sent, for people: an address without a path or a password. */
  readonly collector: string
  /** What was asked for and cannot be done, in words for the user. */
  readonly problems: readonly string[]
}

const ENCODINGS: Readonly<Record<string, Encoding>> = { "http/json": "json", "http/protobuf": "protobuf" }
const USUAL = "http://localhost:4318"
const CONTENT = /^(true|1|span_only|span_and_event)$/i

/**
 * Reads from the variables whether anything is to be sent, and how. Undefined if nothing is: then nothing of
 * OpenTelemetry is loaded.
 */
export function telemetryAsked(env: Environment): AskedTelemetry | undefined {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === "true") return undefined
  const traces = signal("TRACES", env)
  const metrics = signal("METRICS", env)
  if (traces === undefined && metrics === undefined) return undefined
  const problems = [traces, metrics].flatMap((one) => (one?.problem === undefined ? [] : [one.problem]))
  return {
    ...(traces?.encoding && { traces: traces.encoding }),
    ...(metrics?.encoding && { metrics: metrics.encoding }),
    content: CONTENT.test(env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT?.trim() ?? ""),
    collector: traces?.collector ?? metrics?.collector ?? "",
    problems: [...new Set(problems)],
  }
}

interface Signal {
  readonly encoding?: Encoding
  readonly collector?: string
  readonly problem?: string
}

function signal(name: "TRACES" | "METRICS", env: Environment): Signal | undefined {
  const given = (variable: string) => env[variable]?.trim() || undefined
  const both = (end: string) => {
    const variable = [`OTEL_EXPORTER_OTLP_${name}_${end}`, `OTEL_EXPORTER_OTLP_${end}`].find(given)
    return variable === undefined ? undefined : ([variable, given(variable) ?? ""] as const)
  }
  const endpoint = both("ENDPOINT")
  const exporter = given(`OTEL_${name}_EXPORTER`) ?? (endpoint === undefined ? "none" : "otlp")
  const exporters = exporter.split(",").map((one) => one.trim())
  if (exporters.every((one) => one === "none")) return undefined
  if (!exporters.includes("otlp"))
    return { problem: `OTEL_${name}_EXPORTER is "${exporter}". Use otlp or none.` }
  if (endpoint !== undefined && !isAddress(endpoint[1]))
    return { problem: `${endpoint[0]} is not an address. Set it to one like http://127.0.0.1:4318.` }
  const [variable, protocol] = both("PROTOCOL") ?? ["", "http/protobuf"]
  const encoding = Object.hasOwn(ENCODINGS, protocol) ? ENCODINGS[protocol] : undefined
  return encoding === undefined
    ? { problem: `${variable} is "${protocol}". Use http/protobuf or http/json.` }
    : { encoding, collector: new URL(endpoint?.[1] ?? USUAL).origin }
}

function isAddress(text: string): boolean {
  return /^https?:$/.test(URL.canParse(text) ? new URL(text).protocol : "")
}
