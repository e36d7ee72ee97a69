export type { Call, CallResponse, HttpDialectName, SourceDamage, SourceFormat, SourceItem } from "./call.js"
export { FINDING_KINDS, type FindingKind } from "./findings/table.js"
export { type CallSeen, check, createLens, type Lens, type LensOptions } from "./lens.js"
export type { Mend, MendedRequest, Mender, MendingPolicy, OriginalRequest } from "./mender/contract.js"
export { createMender, type MenderOptions } from "./mender/mender.js"
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
