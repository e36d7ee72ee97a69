import { join } from "node:path"
import { dataFolder, openStore, type Store } from "@sotto/harness"
import { EXIT } from "../usage.js"

/** Does something with the user's sessions. Returns the exit code. */
export function withStore(work: (store: Store) => void): number {
  const store = openStore(join(dataFolder(process.env), "sessions.db"))
  try {
    work(store)
  } finally {
    store.close()
  }
  return EXIT.done
}

/** Says on standard error what is missing of a session, or of all, so that nobody takes it for the whole. */
export function tellLosses(store: Store, sessionId?: string): void {
  for (const { message } of store.lost(sessionId)) process.stderr.write(`sotto: ${message}\n`)
}

export function line(text: string): void {
  process.stdout.write(`${text}\n`)
}
