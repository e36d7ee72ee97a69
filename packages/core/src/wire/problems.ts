import type { Carrier } from "./capabilities.js"
import type { Problem } from "./dialect.js"

/** Gathers what is wrong with a body, by path. */
export class Problems {
  readonly list: Problem[] = []

  add(path: string, message: string, carrier?: Carrier): void {
    this.list.push({ path, message, ...(carrier && { carrier }) })
  }
}

/** JSON without the fields that mark cache breakpoints: those may come and go. */
export function withoutMarkers(value: unknown): string {
  return JSON.stringify(value, (key, inner) => (key === "cache_control" ? undefined : inner)) ?? "undefined"
}
