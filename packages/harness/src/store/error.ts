import { join } from "node:path"
/** What kind of failure a store has. */
export type StoreErrorCode =
  | "bad-import"
  | "conflict"
  | "damaged"
  | "duplicate"
  | "locked"
  | "lost"
  | "newer"
  | "not-open"
  | "unavailable"
  | "unknown-prompt"
  | "unknown-session"

/** The store cannot do what was asked. The message says what is wrong and where; `remedy` says what to do. */
export class StoreError extends Error {
  override readonly name = "StoreError"

  constructor(
    readonly code: StoreErrorCode,
    what: string,
    readonly remedy: string,
    options: ErrorOptions & { readonly line?: number; readonly unsure?: boolean } = {},
  ) {
    super(`${what} ${remedy}`, options)
    if (options.line !== undefined) this.line = options.line
    if (options.unsure !== undefined) this.unsure = options.unsure
  }

  /** Of an import: which line is to blame, from 1. */
  readonly line?: number

  /** True if the store may or may not have done what failed: only its log can tell. */
  readonly unsure?: boolean

  /**
   * Recognises an error by its name. `@sotto/postgres` brings a copy of this class, because the command has the harness
   * inside and cannot lend its own; errors of both are errors of a store.
   */
  static override [Symbol.hasInstance](thrown: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a class below this one is asked for by itself
    if (this !== StoreError) return Function.prototype[Symbol.hasInstance].call(this, thrown)
    return thrown instanceof Error && thrown.name === "StoreError" && "remedy" in thrown
  }
}

export function damaged(path: string, why: string, cause?: unknown): StoreError {
  return new StoreError(
    "damaged",
    `The store ${path} is damaged: ${why}.`,
    `Nothing was changed. Move it away (with ${path}-wal and ${path}-shm, if they exist) or restore a copy, and start again.`,
    { cause },
  )
}

/** Translates what SQLite says into words that help; an error that is not SQLite's stays what it is. */
export function translated(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error
  const code = "code" in error ? String(error.code) : ""
  if (/^SQLITE_(CORRUPT|NOTADB|FORMAT)/.test(code)) return damaged(path, error.message, error)
  if (/^SQLITE_(BUSY|LOCKED)/.test(code))
    return unavailable(path, "another process is writing to it", "Try again when it has finished.", error)
  const isDenied =
    /^(SQLITE_(FULL|IOERR|READONLY|CANTOPEN|PERM|AUTH)|E(ACCES|PERM|ROFS|NOSPC|DQUOT|IO|ISDIR|NOTDIR|EXIST)$)/
  if (isDenied.test(code) || error.message.includes("ConnectionFailed"))
    return unavailable(
      path,
      error.message,
      "Check that the disk has room and that you may write there.",
      error,
    )
  return error
}

export function folderInstead(path: string): StoreError {
  return new StoreError(
    "unavailable",
    `The store ${path} cannot be used: it is a folder.`,
    `Name a file, for example ${join(path, "sessions.db")}.`,
  )
}

function unavailable(path: string, why: string, remedy: string, cause: unknown): StoreError {
  return new StoreError("unavailable", `The store ${path} cannot be used: ${why}.`, remedy, { cause })
}

export function removed(path: string): StoreError {
  const what = `Somebody removed, moved or replaced ${path} or files beside it while it was in use: nothing that is said from now on could be kept, so nothing is accepted.`
  return new StoreError(
    "unavailable",
    what,
    "Put the files back where they were, or leave it so to begin with an empty store; then start again.",
  )
}

/** Makes the error for one session that cannot be read. The others can. */
export function damagedSession(path: string, sessionId: string, why: string, cause?: unknown): StoreError {
  return new StoreError(
    "damaged",
    `The store ${path} is damaged: ${why} of session ${sessionId} cannot be read.`,
    `\`sotto sessions repair ${sessionId}\` keeps what can be read of it, \`sotto sessions delete ${sessionId}\` removes it. Other sessions are not affected.`,
    { cause },
  )
}

/** Says that no entry of a damaged session can be read. */
export function nothingToKeep(sessionId: string, why: string, saved: string): StoreError {
  return new StoreError(
    "damaged",
    `Nothing of session ${sessionId} can be kept: ${why}. What there is of it was saved as ${saved}.`,
    `\`sotto sessions delete ${sessionId}\` removes it from the store.`,
  )
}

/** Says that the store has no such session. */
export function unknownSession(sessionId: string): StoreError {
  const remedy = "`sotto sessions` lists those that there are."
  return new StoreError("unknown-session", `There is no session ${sessionId}.`, remedy)
}

/** Says that an imported session is there already. */
export function duplicate(sessionId: string): StoreError {
  const what = `The session ${sessionId} is already in the store.`
  return new StoreError("duplicate", what, "Nothing was changed.", { line: 1 })
}

/** Says that an entry does not follow the log that the store has. */
export function conflict(sessionId: string, seq: number): StoreError {
  const what = `Entry ${seq} does not follow what the store has of session ${sessionId}.`
  return new StoreError("conflict", what, "Open the session again and go on from its log.")
}

/** Makes the error for a session that another worker has by now, or may have. */
export function lostSession(sessionId: string, why: string, unsure = false): StoreError {
  const doubt = unsure ? ", and the database may or may not have the last entries" : ""
  return new StoreError(
    "lost",
    `This process no longer holds session ${sessionId}: ${why}${doubt}.`,
    "Nothing more was written. Go on with it where it is open, or open it again here.",
    { unsure },
  )
}

/** Says that the store may or may not have what a command entered: the session was lost before it could confirm it. */
export function unsureCommand(sessionId: string, lost: StoreError): StoreError {
  return new StoreError(
    "unavailable",
    `It is not known whether this reached session ${sessionId}: the database did not confirm it.`,
    "Send it again with the same id: a message that has an id is taken once. Without an id, look at the session first.",
    { cause: lost, unsure: true },
  )
}

/** Makes the error for a session that was at work when its holder last said so, or that a command waits for. */
export function busySession(sessionId: string): StoreError {
  return new StoreError(
    "locked",
    `The session ${sessionId} has something to do that waits for a worker.`,
    `Open it and let it finish, or \`sotto sessions delete ${sessionId}\`.`,
  )
}

/** Says that this process did not open the session. */
export function notOpen(sessionId: string): StoreError {
  const remedy = "Open it before appending to it."
  return new StoreError("not-open", `The session ${sessionId} is not open here.`, remedy)
}
