/** What holds where `sotto.json` says nothing. The code that acts and the reference of the fields read it here. */
export const USUAL = {
  /** Milliseconds that a step waits for its sources. */
  collectTimeout: 1_000,
  /** Seconds for a hook. */
  hookTimeout: 10,
  /** Seconds for a call of an MCP server. */
  mcpTimeout: 60,
  /** The share of the context window that counts as nearly full: there is still room for a reply and a summary. */
  compactionAt: 0.85,
  /** Tokens of the newest messages that a compaction keeps whole. */
  compactionTail: 8_000,
  /** The largest file whose bytes are kept for undo. */
  snapshotFile: "10MB",
  /** What the bytes that are kept for undo may take, for each workspace. */
  snapshotTotal: "1GB",
} as const
