/** Labels of a sample by name. Names are ours; values may be anything. */
type Labels = Readonly<Record<string, string>>

interface Sample {
  readonly labels?: Labels
  readonly value: number
  /** What follows the family's name: `_sum`, `_count` or `_bucket`. */
  readonly suffix?: string
}

/** Figures of one name, for Prometheus. */
export interface FigureFamily {
  readonly name: string
  readonly help: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly samples: readonly Sample[]
}

/** The type of what `exposition` makes. */
export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8"

/** Writes figures as Prometheus reads them, in the text format 0.0.4. */
export function exposition(families: readonly FigureFamily[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) => {
      const about = `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n`
      return about + samples.map((sample) => `${lineOf(name, sample)}\n`).join("")
    })
    .join("")
}

function lineOf(name: string, { labels = {}, value, suffix = "" }: Sample): string {
  const given = Object.entries(labels).map(
    ([label, text]) => `${label}="${escaped(text).replaceAll('"', '\\"')}"`,
  )
  return `${name}${suffix}${given.length === 0 ? "" : `{${given.join(",")}}`} ${numberOf(value)}`
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")
}

function numberOf(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf"
}

/** Counts by the value of one label. A value that was announced is there from the beginning, as 0. */
export class Counter {
  readonly #counts: Map<string, number>

  constructor(...values: readonly string[]) {
    this.#counts = new Map(values.map((value) => [value, 0]))
  }

  add(value: string, amount = 1): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + amount)
  }

  samples(label: string): readonly Sample[] {
    return [...this.#counts].map(([value, count]) => ({ labels: { [label]: value }, value: count }))
  }
}

/** Counts times in seconds by how long they were. */
export class Histogram {
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  #sum = 0
  #count = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = bounds.map(() => 0)
  }

  observe(seconds: number): void {
    this.#sum += seconds
    this.#count++
    for (const [i, bound] of this.#bounds.entries())
      if (seconds <= bound) this.#counts[i] = (this.#counts[i] ?? 0) + 1
  }

  samples(): readonly Sample[] {
    const bucket = (le: string, value: number) => ({ suffix: "_bucket", labels: { le }, value })
    return [
      ...this.#bounds.map((bound, i) => bucket(String(bound), this.#counts[i] ?? 0)),
      bucket("+Inf", this.#count),
      { suffix: "_sum", value: this.#sum },
      { suffix: "_count", value: this.#count },
    ]
  }
}
