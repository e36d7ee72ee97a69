import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll } from "vitest"
import type { Variables } from "./sotto.js"

const leftovers: (() => void)[] = []
afterAll(() => {
  for (const clear of leftovers.splice(0)) clear()
})

type Value =
  | { readonly stringValue: string }
  | { readonly intValue: number | string }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean }
  | { readonly arrayValue: { readonly values: readonly Value[] } }

interface Pair {
  readonly key: string
  readonly value: Value
}

interface SentSpan {
  readonly name: string
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: readonly Pair[]
  readonly events: readonly { readonly name: string; readonly attributes: readonly Pair[] }[]
  readonly status: { readonly code?: number }
}

interface Point {
  readonly attributes: readonly Pair[]
  readonly count?: number | string
  readonly sum?: number
  readonly asInt?: number | string
  readonly asDouble?: number
  readonly explicitBounds?: readonly number[]
}

interface SentMetric {
  readonly name: string
  readonly unit: string
  readonly histogram?: { readonly dataPoints: readonly Point[] }
  readonly sum?: { readonly dataPoints: readonly Point[] }
}

export type Attribute = string | number | boolean | readonly (string | number | boolean)[]
export type Attributes = Readonly<Record<string, Attribute>>

export interface Span extends Omit<SentSpan, "attributes" | "events"> {
  readonly attributes: Attributes
  /** "string", "int", "double", "boolean" or "string[]": how each was written. */
  readonly types: Readonly<Record<string, string>>
  readonly events: readonly { readonly name: string; readonly attributes: Attributes }[]
}

export interface Figure extends Pick<Point, "explicitBounds"> {
  readonly attributes: Attributes
  readonly count: number
  readonly sum: number
}

interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** A collector that takes OTLP over HTTP, on loopback, and keeps what it was sent. */
export class Collector {
  readonly received: Received[] = []
  readonly url: string
  readonly #watchers = new Set<() => void>()

  constructor(url: string) {
    this.url = url
  }

  take(received: Received): void {
    this.received.push(received)
    for (const look of [...this.#watchers]) look()
  }

  /** What sends to it, as JSON. */
  get json(): Variables {
    return { OTEL_EXPORTER_OTLP_ENDPOINT: this.url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" }
  }

  bodies(path: string): readonly unknown[] {
    return this.received
      .filter((one) => one.path === path)
      .map(({ body }) => JSON.parse(body.toString("utf8")))
  }

  get spans(): readonly Span[] {
    return this.bodies("/v1/traces").flatMap((body) =>
      listAt(body, "resourceSpans").flatMap((resource) =>
        listAt(resource, "scopeSpans").flatMap((scope) =>
          listAt(scope, "spans").map((one) => spanOf(one as SentSpan)),
        ),
      ),
    )
  }

  /** The spans whose name begins so, in the order in which they began. */
  named(name: string): readonly Span[] {
    const order = (span: Span) => Number((span as unknown as Record<string, string>).startTimeUnixNano)
    return this.spans.filter((span) => span.name.startsWith(name)).sort((a, b) => order(a) - order(b))
  }

  /** The newest figures of a metric: they add up from the start of the process. */
  metric(name: string): { readonly unit: string; readonly figures: readonly Figure[] } {
    const found = this.#metrics.filter((metric) => metric.name === name).at(-1)
    if (found === undefined) throw new Error(`There is no metric ${name}.`)
    const points = found.histogram?.dataPoints ?? found.sum?.dataPoints ?? []
    return { unit: found.unit, figures: points.map(figureOf) }
  }

  get #metrics(): readonly SentMetric[] {
    return this.bodies("/v1/metrics").flatMap((body) =>
      listAt(body, "resourceMetrics").flatMap((resource) =>
        listAt(resource, "scopeMetrics").flatMap(
          (scope) => listAt(scope, "metrics") as readonly SentMetric[],
        ),
      ),
    )
  }

  get metricNames(): readonly string[] {
    return [...new Set(this.#metrics.map(({ name }) => name))].sort()
  }

  get resource(): Attributes {
    const [first] = listAt(this.bodies("/v1/traces")[0], "resourceSpans")
    return attributesOf((first as { resource: { attributes: readonly Pair[] } }).resource.attributes)
  }

  /** Waits until something holds of what was received. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!holds()) return
        this.#watchers.delete(look)
        resolve()
      }
      this.#watchers.add(look)
      look()
    })
  }
}

export async function startCollector(): Promise<Collector> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on("data", (piece: Buffer) => pieces.push(piece))
    request.on("end", () => {
      collector.take({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(pieces) })
      const isJson = request.headers["content-type"] === "application/json"
      response.setHeader("content-type", isJson ? "application/json" : "application/x-protobuf")
      response.end(isJson ? "{}" : "")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  leftovers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const collector = new Collector(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return collector
}

function listAt(value: unknown, name: string): readonly unknown[] {
  const list = (value as Readonly<Record<string, unknown>> | undefined)?.[name]
  return Array.isArray(list) ? list : []
}

function spanOf({ attributes, events, ...span }: SentSpan): Span {
  return {
    ...span,
    attributes: attributesOf(attributes),
    types: Object.fromEntries(attributes.map(({ key, value }) => [key, typeOf(value)])),
    events: events.map((event) => ({ name: event.name, attributes: attributesOf(event.attributes) })),
  }
}

function figureOf({ attributes, count, sum, asInt, asDouble, explicitBounds }: Point): Figure {
  return {
    attributes: attributesOf(attributes),
    count: Number(count ?? 1),
    sum: sum ?? Number(asInt ?? asDouble ?? 0),
    ...(explicitBounds && { explicitBounds }),
  }
}

function attributesOf(pairs: readonly Pair[]): Attributes {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, attributeOf(value)]))
}

function attributeOf(value: Value): Attribute {
  if ("stringValue" in value) return value.stringValue
  if ("intValue" in value) return Number(value.intValue)
  if ("doubleValue" in value) return value.doubleValue
  if ("boolValue" in value) return value.boolValue
  return value.arrayValue.values.map((one) => attributeOf(one) as string)
}

function typeOf(value: Value): string {
  if ("stringValue" in value) return "string"
  if ("intValue" in value) return "int"
  if ("doubleValue" in value) return "double"
  if ("boolValue" in value) return "boolean"
  return `${typeOf(value.arrayValue.values[0] ?? { stringValue: "" })}[]`
}
