/** The names by which pages are opened. */
export type PageName = "ledger" | "permissions" | "tasks"
