import type { Report } from "@sotto/lens"
import type { ConfiguredModels } from "../../traffic/prices.js"
import type { CapturedCall } from "../recorder/captured.js"
import type { CallTold } from "./analysis.js"

/** What the thread of the analysis is started with. */
export interface AnalysisStart {
  readonly models: ConfiguredModels
  readonly record?: string
}

/** What it is told. */
export type ToAnalysis = { readonly type: "call"; readonly call: CapturedCall } | { readonly type: "report" }

/** What it tells. */
export type FromAnalysis =
  | { readonly type: "told"; readonly told: CallTold; readonly line: Uint8Array<ArrayBuffer> }
  /** The disk did not take a line. */
  | { readonly type: "unrecorded"; readonly message: string }
  | { readonly type: "report"; readonly report: Report }
