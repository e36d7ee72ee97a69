import {
  type Awaitable,
  openStore,
  type ProjectRuntime,
  type SessionCatalogue,
  type Store,
  type StoreUpkeep,
  storePlace,
} from "@sotto/harness"
import type { InkPiece } from "../screen/ink.js"
import { err, out } from "../screen/printer.js"
import { EXIT, type TalkFlags, UsageError } from "../usage.js"

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

/** The characters of an id that is written out. */
const WHOLE_ID = 36

/**
 * Finds a session by its id or by the beginning of it. Throws if several begin so. What no session begins with is returned as
 * it is: the store says that it does not know it.
 */
export async function fullSessionId(store: Pick<SessionCatalogue, "list">, given: string): Promise<string> {
  if (given.length >= WHOLE_ID || given === "") return given
  const ids = (await store.list()).map(({ id }) => id)
  if (ids.includes(given)) return given
  const begun = ids.filter((id) => id.startsWith(given))
  const [only = given, ...more] = begun
  if (more.length === 0) return only
  const some = begun.slice(0, 5).map((id) => `\n  ${id}`)
  throw new UsageError(`${begun.length} sessions begin with "${given}". Give more of the id:${some.join("")}`)
}

/** Finds the session that `sotto` is to go on with: the one that is named, or the newest of the folder; undefined for a new one. */
export async function wantedSession(
  { session, continue: goesOn }: Pick<TalkFlags, "session" | "continue">,
  { cwd, store }: Pick<ProjectRuntime, "cwd" | "store">,
): Promise<string | undefined> {
  if (session !== undefined) return fullSessionId(store(), session)
  if (!goesOn) return undefined
  const latest = await store().latest(cwd)
  if (latest === undefined)
    throw new UsageError(`There is no session of ${cwd} to go on with. Leave --continue out.`)
  return latest.id
}

/** Says on standard error what is missing of a session, or of all, so that the rest is not taken for the whole. */
export async function tellLosses(store: StoreUpkeep, sessionId?: string): Promise<void> {
  for (const { message } of await store.lost(sessionId)) err.line(`sotto: ${message}`)
}

export function line(...pieces: readonly InkPiece[]): void {
  out.line(...pieces)
}
