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

export function line(text: string): void {
  process.stdout.write(`${text}\n`)
}
