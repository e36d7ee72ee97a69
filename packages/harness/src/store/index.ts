/**
 * What another implementation of the store needs: the contract, its errors, and what all stores share. `@sotto/postgres`
 * is written against it.
 */
export type { Awaitable } from "../platform/awaitable.js"
export { changesIn } from "./changes.js"
export type {
  BlobStore,
  Lease,
  Mailbox,
  NewSession,
  Repair,
  SessionCatalogue,
  SessionExport,
  SessionHolder,
  SessionLeases,
  SessionLog,
  Store,
  StoreState,
  StoreUpkeep,
  WaitingSession,
} from "./contract.js"
export {
  busySession,
  conflict,
  damagedSession,
  duplicate,
  lostSession,
  nothingToKeep,
  notOpen,
  StoreError,
  type StoreErrorCode,
  unknownSession,
} from "./error.js"
export { isJson } from "./json.js"
export { EXPORT_VERSION, exportLines, parseExport } from "./jsonl.js"
export {
  changedColumns,
  labelsIn,
  labelText,
  metadataText,
  type SessionDescription,
  type SessionLabels,
} from "./labels.js"
export { type Loss, lossesIn } from "./loss.js"
export { namesIn } from "./names.js"
export { KEPT_MS, type Outcome, type Posted } from "./posted.js"
export type { PostgresOptions, PostgresPackage } from "./postgres.js"
export type { Address } from "./postgres-address.js"
export { saveAside } from "./saved.js"
export { type SessionSummary, USAGE_PATHS, USAGE_TYPES, usageRow } from "./summary.js"
export {
  ROWS_AT_ONCE,
  type StoredCommand,
  type StoredEntry,
  type StoredHolder,
  type StoredSession,
  type StoreFigures,
  type Stray,
  type Upkeep,
} from "./upkeep.js"
export { longestWhole, miscountIn } from "./whole.js"
