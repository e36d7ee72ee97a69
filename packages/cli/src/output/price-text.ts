import type { Rates } from "@sotto/core/prices"
import type { Offered } from "@sotto/harness"

/** The price classes, and what they are called. */
export const CLASSES: readonly (readonly [kind: keyof Rates, what: string])[] = [
  ["input", "input"],
  ["output", "output"],
  ["cacheRead", "read from the cache"],
  ["cacheWrite", "written to the cache"],
  ["cacheWriteHour", "written for an hour"],
]

/** Writes a rate without the digits that only binary numbers have. */
export function shown(rate: number): number {
  return Number(rate.toPrecision(10))
}

/** Names what a model takes beside text. */
export function takes({
  images,
  documents,
  thinks,
}: Pick<Offered, "images" | "documents" | "thinks">): string {
  return [images && "images", documents && "PDFs", thinks && "levels"].filter(Boolean).join(" ")
}

/** Writes all classes in one line. */
export function ratesText(rates: Rates): string {
  return CLASSES.map(([kind, what]) => `${what} $${shown(rates[kind])}`).join(", ")
}
