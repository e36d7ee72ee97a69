/** The names by which pages are opened. */
export type PageName =
  | "changes"
  | "ledger"
  | "mcp"
  | "permissions"
  | "sessions"
  | "subagents"
  | "tasks"
  | "transcript"
