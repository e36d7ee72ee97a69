import { setTimeout as sleep } from "node:timers/promises"
import { ChangeListener } from "./change-listener.js"
import { Connection } from "./connection.js"
import { EntryWriter } from "./entry-writer.js"
import { Leases } from "./leases.js"
import type { Extended, Extension, Heard, Kept, NewRow, TakenSession, ThreadStart } from "./messages.js"
import { migrate, quoted } from "./migrate.js"
import { PostedRows } from "./posted-rows.js"
import { type Cut, Sessions } from "./sessions.js"
import { upkeepOperations } from "./upkeep-rows.js"

/** How long the deletion of a session waits until texts that no session needs any more are gone, too. */
const SWEEP_MS = 2_000

export type Operations = ReturnType<typeof operationsOf>

/** Makes the operations that the thread can be asked for. */
export function operationsOf(start: ThreadStart, tell: (heard: Heard) => void) {
  const { address, token, noFencing } = start
  const { schema, leaseMs } = address
  const connection = new Connection(address)
  const leases = new Leases(connection, start, tell)
  const writing = new EntryWriter(connection, leases, { schema, leaseMs, noFencing })
  const sessions = new Sessions(connection, leases, start)
  const posting = new PostedRows(connection, schema)
  const hearing = new ChangeListener(connection, address, token, tell)
  const changed = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work
    hearing.changed()
    return result
  }
  /** For what does no harm when it happens twice. */
  const again = <T>(work: () => Promise<T>) => connection.again(work)
  const upkeep = upkeepOperations(connection, schema, {
    changed: () => hearing.changed(),
    posted: (session) => hearing.posted(session),
  })
  return {
    begin: () => again(() => migrate(connection, address)),
    hear: () => hearing.begin(),
    create: (row: NewRow, cell: SharedArrayBuffer | undefined) => changed(sessions.create(row, cell)),
    take: (id: string, cell: SharedArrayBuffer | undefined) => changed(again(() => sessions.take(id, cell))),
    release: (taken: TakenSession) => changed(again(() => leases.release(taken))),
    forget: async (taken: TakenSession) => leases.forget(taken),
    write: async (extensions: readonly Extension[], kept: readonly Kept[]): Promise<readonly Extended[]> => {
      const results = await writing.write(extensions, kept)
      if (extensions.some(({ bodies }) => bodies.length > 0)) hearing.changed()
      return results
    },
    log: (id: string, from: number) => again(() => sessions.log(id, from)),
    list: () => again(() => sessions.list()),
    about: (id: string) => again(() => sessions.about(id)),
    latest: (cwd: string) => again(() => sessions.latest(cwd)),
    usage: (id: string, from: number) => again(() => sessions.usage(id, from)),
    change: (id: string, column: "title" | "summary", value: string) =>
      changed(again(() => sessions.change(id, column, value))),
    holder: (id: string) => again(() => sessions.holder(id)),
    setAsking: (taken: TakenSession, asking: string | null) =>
      changed(again(() => sessions.setAsking(taken, asking))),
    waiting: (workspaces: readonly string[]) => again(() => sessions.waiting(workspaces)),
    content: (hash: string) => again(() => sessions.content(hash)),
    short: (id: string | undefined) => again(() => sessions.short(id)),
    remove: (taken: readonly (TakenSession & { readonly id: string })[]) => changed(sessions.remove(taken)),
    family: (id: string) => again(() => sessions.family(id)),
    removeFamily: async (id: string) => {
      const { ids, texts } = await changed(sessions.removeFamily(id))
      // Reading all other logs may take long: then it goes on beside what is asked next.
      const swept = upkeep.sweep(texts).catch(() => {})
      await Promise.race([swept, sleep(SWEEP_MS, undefined, { ref: false })])
      return ids
    },
    cut: (id: string, taken: TakenSession, row: NewRow, cut: Cut) =>
      changed(sessions.cut(id, taken, row, cut)),
    post: async (session: string, id: string, body: string) => {
      await again(async () => await posting.post(session, await sessions.keyOf(session), id, body))
      await hearing.posted(session)
    },
    posted: (session: string) => again(() => posting.open(session)),
    endPosted: (taken: TakenSession, id: string, outcome: string) =>
      changed(posting.end(taken, id, outcome, `${quoted(schema)}.leases`)),
    outcome: (session: string, id: string) => again(() => posting.outcome(session, id)),
    ...upkeep,
    close: async () => {
      await upkeep.unlockAll()
      leases.close()
      await leases.releaseAll()
      await hearing.close()
      await connection.close()
    },
  }
}
