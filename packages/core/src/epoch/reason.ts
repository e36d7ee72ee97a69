/** Why an epoch began. */
export type RebaseReason =
  | "start"
  | "compaction"
  | "snip"
  | "rewind"
  | "model"
  | "agent"
  | "carrier"
  | "system"
  | "trust"
  | "format"
  | "economy"
