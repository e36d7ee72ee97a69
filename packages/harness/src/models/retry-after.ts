import type { HttpAnswer } from "./http.js"

/** How long the provider asks to wait, in milliseconds, if it does. */
export function retryAfterOf(headers: HttpAnswer["headers"], now: number): number | undefined {
  const precise = Number.parseFloat(headers.get("retry-after-ms") ?? "")
  if (precise >= 0) return precise
  const given = headers.get("retry-after")?.trim()
  if (!given) return undefined
  const seconds = Number(given)
  if (!Number.isNaN(seconds)) return Math.max(0, seconds * 1000)
  const date = Date.parse(given)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
