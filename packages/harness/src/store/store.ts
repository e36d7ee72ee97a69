import type { Store } from "./contract.js"
import { Database } from "./sqlite/database.js"
import { SqliteStore } from "./sqlite/sqlite-store.js"

export type { Lease, NewSession, Store, WaitingSession } from "./contract.js"

/** True if other machines may have the store open too. */
export function isShared({ path }: Pick<Store, "path">): boolean {
  return /^postgres(ql)?:/.test(path)
}

/** Opens the store or makes it. A file that is damaged, foreign or newer is refused, and left as it is. */
export function openStore(path: string): Store {
  return new SqliteStore(new Database(path))
}
