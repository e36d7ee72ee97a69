export type { Call, CallResponse, Damage, DialectName, Item, SourceFormat } from "./call.js"
export { FINDING_KINDS, type FindingKind } from "./findings/table.js"
export { type CallSeen, check, createLens, type Lens, type LensOptions } from "./lens.js"
export type { Mend, MendedRequest, Mender, MendingPolicy, OriginalRequest } from "./mending/contract.js"
export { createMender, type MenderOptions } from "./mending/mender.js"
export type { InputPrice, Prices } from "./money/prices.js"
export type {
  Break,
  Cause,
  Finding,
  Purpose,
  ReminderTally,
  Report,
  Severity,
  SourceReport,
  ThreadReport,
  ThreadTokens,
} from "./report.js"
