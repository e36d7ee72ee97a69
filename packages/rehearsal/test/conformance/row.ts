import type { HttpDialectName } from "../../src/index.js"

/** A rule of a provider, a request that shows it, and where the rule is published. */
export interface Row {
  readonly rule: string
  readonly verdict: "accepted" | "refused" | "noted"
  /** What the refusal or the note says, in part. */
  readonly words?: string
  readonly source: string
  readonly body: object
  readonly model?: string
  readonly betas?: readonly string[]
}

export interface Table {
  readonly dialect: HttpDialectName
  readonly title: string
  readonly rows: readonly Row[]
}

/** A picture of one pixel. */
export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

export const SCHEMA = { type: "object", properties: { path: { type: "string" } } }
