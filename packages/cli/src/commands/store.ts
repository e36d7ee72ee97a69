import { openStore, type Store, type StoreUpkeep, storePlace } from "@sotto/harness"
import type { InkPiece } from "../screen/ink.js"
import { err, out } from "../screen/printer.js"
import { EXIT } from "../usage.js"

/** Does something with the user's sessions. Returns the exit code. */
export function withStore(work: (store: Store) => void): number {
  const store = openStore(storePlace(process.env))
  try {
    work(store)
  } finally {
    store.close()
  }
  return EXIT.done
}

/** Says on standard error what is missing of a session, or of all, so that nobody takes it for the whole. */
export function tellLosses(store: StoreUpkeep, sessionId?: string): void {
  for (const { message } of store.lost(sessionId)) err.line(`sotto: ${message}`)
}

export function line(...pieces: readonly InkPiece[]): void {
  out.line(...pieces)
}
