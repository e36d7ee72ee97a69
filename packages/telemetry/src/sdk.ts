import type { Meter, Tracer } from "@opentelemetry/api"
import { createNoopMeter, ProxyTracerProvider } from "@opentelemetry/api"
import type { ExportResult } from "@opentelemetry/core"
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from "@opentelemetry/resources"
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics"
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base"
import type { AskedTelemetry, Environment } from "@sotto/harness/telemetry"
import { SCHEMA } from "./names.js"

export interface Sdk {
  readonly tracer: Tracer
  readonly meter: Meter
  /** Sends what is left and closes. Never rejects. */
  close(): Promise<void>
}

const EXPORT_INTERVAL = 60_000

/**
 * Sets OpenTelemetry's SDK up by its usual variables. Registers nothing globally: what else runs in this process keeps
 * its own. `failed` hears of everything that could not be sent.
 */
export async function startSdk(
  asked: AskedTelemetry,
  env: Environment,
  version: string,
  failed: (error: Error) => void,
): Promise<Sdk> {
  const resource = defaultResource()
    .merge(resourceFromAttributes({ "service.name": "sotto", "service.version": version }))
    .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] }))
  const traces =
    asked.traces &&
    new BasicTracerProvider({
      resource,
      spanProcessors: [new BatchSpanProcessor(watched(await traceExporter(asked.traces), failed))],
    })
  const metrics =
    asked.metrics &&
    new MeterProvider({
      resource,
      readers: [
        new PeriodicExportingMetricReader({
          exporter: watched(await metricExporter(asked.metrics), failed),
          ...intervalOf(env),
        }),
      ],
    })
  return {
    tracer: (traces ?? new ProxyTracerProvider()).getTracer("sotto", version, { schemaUrl: SCHEMA }),
    meter: metrics?.getMeter("sotto", version, { schemaUrl: SCHEMA }) ?? createNoopMeter(),
    close: async () => {
      await Promise.allSettled([traces?.shutdown(), metrics?.shutdown()])
    },
  }
}

async function traceExporter(encoding: "json" | "protobuf") {
  const { OTLPTraceExporter } =
    encoding === "json"
      ? await import("@opentelemetry/exporter-trace-otlp-http")
      : await import("@opentelemetry/exporter-trace-otlp-proto")
  return new OTLPTraceExporter()
}

async function metricExporter(encoding: "json" | "protobuf") {
  const { OTLPMetricExporter } =
    encoding === "json"
      ? await import("@opentelemetry/exporter-metrics-otlp-http")
      : await import("@opentelemetry/exporter-metrics-otlp-proto")
  return new OTLPMetricExporter()
}

interface Exporter<Items> {
  export(items: Items, done: (result: ExportResult) => void): void
}

/** Returns the exporter itself, because its own methods are what the SDK knows it by. */
function watched<Items, E extends Exporter<Items>>(
  exporter: E & Exporter<Items>,
  failed: (error: Error) => void,
): E {
  const send = exporter.export.bind(exporter)
  exporter.export = (items, done) =>
    send(items, (result) => {
      if (result.error) failed(result.error)
      done(result)
    })
  return exporter
}

/** Reads two variables of metrics: the SDK reads those of traces by itself, but not these two. */
function intervalOf(env: Environment) {
  const number = (name: string) => {
    const value = Number(env[name])
    return Number.isFinite(value) && value > 0 ? value : undefined
  }
  const interval = number("OTEL_METRIC_EXPORT_INTERVAL") ?? EXPORT_INTERVAL
  const timeout = number("OTEL_METRIC_EXPORT_TIMEOUT") ?? 30_000
  // The reader refuses to wait for longer than until the next one.
  return { exportIntervalMillis: interval, exportTimeoutMillis: Math.min(timeout, interval) }
}
