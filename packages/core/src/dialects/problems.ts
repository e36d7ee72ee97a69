import type { Carrier } from "../vocabulary/capabilities.js"
import type { Problem } from "./dialect.js"

/** Gathers what is wrong with a body, by path. */
export class Problems {
  /** What was found so far. */
  readonly list: Problem[] = []

  /** Adds what the provider refuses. */
  add(path: string, message: string, carrier?: Carrier): void {
    this.list.push({ path, message, severity: "error", ...(carrier && { carrier }) })
  }

  /** Adds what no published schema knows and no rule forbids. */
  note(path: string, message: string): void {
    this.list.push({ path, message, severity: "note" })
  }
}

/** True for a field that marks a cache breakpoint: Anthropic's, and OpenAI's from GPT-5.6 on. */
export function isMarker(field: string): boolean {
  return field === "cache_control" || field === "prompt_cache_breakpoint"
}

/** Writes JSON without the fields that mark cache breakpoints: those may come and go. */
export function withoutMarkers(value: unknown): string {
  return JSON.stringify(value, (key, inner) => (isMarker(key) ? undefined : inner)) ?? "undefined"
}
