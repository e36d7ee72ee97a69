import type { Pages } from "@sotto/lens/pages"
import type { Embedded } from "./embedded.js"

/** A file holds this many characters of requests; later requests are in it without their segments. */
const LARGEST = 40_000_000

/** Collects everything that the page can show of a trace. */
export function embeddedTrace(pages: Pages, name: string): Embedded {
  const rows = pages.rows(1, pages.length)
  let size = 0
  const shown = rows.map(({ n }) => {
    if (size > LARGEST) return null
    const page = pages.page(n) ?? null
    size += page?.segments.reduce((sum, { text }) => sum + text.length, 0) ?? 0
    return page
  })
  const updatedAt = rows.reduce((latest, { at = 0 }) => Math.max(latest, at), 0)
  return {
    version: 1,
    subject: { type: "trace", id: "report" },
    trace: {
      id: "report",
      name,
      kind: "recording",
      calls: rows.length,
      updatedAt,
      report: pages.report(),
      totals: pages.totals(),
      seq: rows.length,
    },
    rows,
    breaks: pages.breaks().map((found) => shown[found.n - 1]?.break ?? found),
    pages: shown,
  }
}
