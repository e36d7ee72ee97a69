import type { Counter, Histogram, Meter, UpDownCounter } from "@opentelemetry/api"
import { METRIC } from "./names.js"

type Metric = (typeof METRIC)[keyof typeof METRIC]
type InstrumentOf<M extends Metric> = M["is"] extends "histogram"
  ? Histogram
  : M["is"] extends "counter"
    ? Counter
    : UpDownCounter

/** The instruments, by the names of METRIC. */
export type Instruments = { readonly [Name in keyof typeof METRIC]: InstrumentOf<(typeof METRIC)[Name]> }

export function instrumentsOf(meter: Meter): Instruments {
  const made = Object.entries(METRIC).map(([name, metric]) => [name, instrument(meter, metric)])
  return Object.fromEntries(made) as Instruments
}

function instrument(meter: Meter, metric: Metric): Counter | Histogram | UpDownCounter {
  const { name, unit, description } = metric
  switch (metric.is) {
    case "histogram":
      return meter.createHistogram(name, {
        unit,
        description,
        advice: { explicitBucketBoundaries: [...metric.buckets] },
      })
    case "counter":
      return meter.createCounter(name, { unit, description })
    default:
      return meter.createUpDownCounter(name, { unit, description })
  }
}
