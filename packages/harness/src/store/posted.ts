/** A command for a session that another process may have open, as JSON. */
export interface Posted {
  /** The same id twice is the same command. */
  readonly id: string
  readonly command: unknown
}

/**
 * What became of a posted command: what it returned, or why it was refused. Without a result it has taken effect, and
 * its holder works on it still, or was killed before it could say more.
 */
export type Outcome =
  | { readonly is: "done"; readonly result?: unknown }
  | { readonly is: "refused"; readonly code: string; readonly message: string }

/** How long the outcomes of commands are kept, for a poster that asks again. */
export const KEPT_MS = 24 * 60 * 60_000
