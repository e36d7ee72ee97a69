import { join } from "node:path"
import { removeArchives, writeArchives } from "./archive-files.js"
import type { SessionCatalogue, SessionLeases, StoreUpkeep } from "./contract.js"
import { StoreError } from "./error.js"
import { type Family, familiesOf } from "./families.js"
import { NamedTexts } from "./named-texts.js"
import type { Reclaimed } from "./upkeep.js"

/** What archiving needs of a store. */
type ArchivedStore = StoreUpkeep & SessionCatalogue & Pick<SessionLeases, "holder">

/** Which sessions leave the store. A session is judged together with those of its subagents. */
export interface Retention {
  /** Those that were not changed since this time, in milliseconds. */
  readonly before?: number
  /** The oldest ones, until logs and kept texts of files have no more bytes than this. */
  readonly bytes?: number
  /** The number of sessions that stay in any case: those that were changed last. */
  readonly keepLatest?: number
  /** The folder for the files, instead of "archive" beside the store. */
  readonly to?: string
  /** Says what would be done, and changes nothing. */
  readonly dryRun?: boolean
}

/** What became of a session that was to be archived. */
export type Archived =
  /** Without a path it would have been moved. */
  | { readonly id: string; readonly path?: string; readonly bytes: number }
  /** It stays in the store. */
  | { readonly id: string; readonly why: string }

/** What an archiving moved. */
export interface ArchiveReport {
  readonly sessions: readonly Archived[]
  /** Bytes of logs and kept texts before and after. */
  readonly before: number
  readonly after: number
  readonly reclaimed: Reclaimed
}

/**
 * Moves sessions out of the store, each to a compressed export. A session leaves the store only after its file was read
 * back from the disk, in one transaction with those of its subagents. One that is open, at work or waited for stays.
 */
export async function archiveSessions(store: ArchivedStore, wanted: Retention): Promise<ArchiveReport> {
  const all = familiesOf(await store.list())
  const candidates = all.slice(0, Math.max(0, all.length - (wanted.keepLatest ?? 0)))
  const [sizes, busy, { bytes: before }] = [
    await store.upkeep.sizes(),
    await store.upkeep.busy(),
    await store.upkeep.figures(),
  ]
  const isTooMuch = wanted.bytes !== undefined && before > wanted.bytes
  const texts = isTooMuch ? new NamedTexts(await store.upkeep.named()) : undefined
  let size = before
  const sessions: Archived[] = []
  for (const family of candidates) {
    const isOld = wanted.before !== undefined && family.updated < wanted.before
    if (!isOld && !(wanted.bytes !== undefined && size > wanted.bytes)) continue
    const outcome = await archiveFamily(store, family, busy, wanted)
    if (typeof outcome === "string") {
      sessions.push({ id: family.root, why: outcome })
      continue
    }
    for (const { id } of family.members) {
      const path = outcome.get(id)
      const bytes = sizes.get(id) ?? 0
      sessions.push({ id, bytes, ...(path !== undefined && { path }) })
      size -= bytes + (texts?.freedBy(id) ?? 0)
    }
  }
  if (wanted.dryRun) return { sessions, before, after: size, reclaimed: { bytes: 0 } }
  const hasMoved = sessions.some((one) => "path" in one)
  const { bytes, why } = await store.upkeep.reclaim()
  const reclaimed = { bytes, ...(hasMoved && why !== undefined && { why }) }
  const after = hasMoved ? (await store.upkeep.figures()).bytes : before
  return { sessions, before, after, reclaimed }
}

/** Returns the paths by session, or why the family stays. */
async function archiveFamily(
  store: ArchivedStore,
  family: Family,
  busy: ReadonlySet<string>,
  { to = join(store.folder, "archive"), dryRun = false }: Retention,
): Promise<ReadonlyMap<string, string> | string> {
  for (const { id, damaged } of family.members) {
    if (damaged !== undefined) return `${damaged}; \`sotto sessions repair ${id}\``
    const holder = await store.holder(id)
    if (holder !== undefined)
      return `${id === family.root ? "it" : `session ${id} of a subagent`} is open in process ${holder.pid}`
    if (busy.has(id))
      return `${id === family.root ? "it" : `session ${id} of a subagent`} has something to do`
  }
  if (dryRun) return new Map()
  let written: ReadonlyMap<string, string> = new Map()
  try {
    return await store.remove(family.root, (sessions) => {
      written = writeArchives(to, sessions)
      return written
    })
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    // A store that is unavailable may have removed it all the same: then the files are all that there is.
    if (error.code === "unavailable") throw error
    removeArchives(written.values())
    return error.message
  }
}
