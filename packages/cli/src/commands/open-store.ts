import { type Awaitable, openStore, type Store, type StoreUpkeep, storePlace } from "@sotto/harness"
import type { InkPiece } from "../screen/ink.js"
import { err, out } from "../screen/printer.js"
import { EXIT, UsageError } from "../usage.js"

/** Opens the user's store for some work, and closes it. Returns the exit code. */
export async function withStore(work: (store: Store) => Awaitable<void>): Promise<number> {
  const store = await openStore(storePlace(process.env))
  try {
    await work(store)
  } finally {
    await store.close()
  }
  return EXIT.done
}

/** Returns the one id that a subcommand was given, such as "show" or "sessions delete". */
export function sessionIdIn(positionals: readonly string[], command: string): string {
  const [id] = positionals
  if (id === undefined || positionals.length > 1)
    throw new UsageError(`Which session? sotto ${command} ID; \`sotto sessions\` lists them.`)
  return id
}

/** Says on standard error what is missing of a session, or of all, so that the rest is not taken for the whole. */
export async function tellLosses(store: StoreUpkeep, sessionId?: string): Promise<void> {
  for (const { message } of await store.lost(sessionId)) err.line(`sotto: ${message}`)
}

export function line(...pieces: readonly InkPiece[]): void {
  out.line(...pieces)
}
