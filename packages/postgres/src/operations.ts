import { type SessionDescription, StoreError } from "@sotto/harness/store"
import { ChangeListener, type Heard } from "./change-listener.js"
import { Connection } from "./connection.js"
import { EntryWriter, type Extended, type Extension, type Kept } from "./entry-writer.js"
import { type LeaseHolder, Leases, type LeaseTerm, type TakenSession } from "./leases.js"
import { checkSchema, migrate } from "./migrate.js"
import { PostedRows } from "./posted-rows.js"
import { type Cut, type NewRow, Sessions } from "./sessions.js"
import { upkeepOperations } from "./upkeep-rows.js"

/** How long the deletion of a session waits until texts that no session needs any more are gone, too. */
const SWEEP_MS = 2_000
/** How long the end of a store may take. A lease that could not be given back by then ends by itself. */
const CLOSE_MS = 1_500
/** How long connections may take to end by themselves. */
const LINGER_MS = 300

export type Operations = ReturnType<typeof operationsOf>

/** Those who hear of what happens to a store without having asked. */
export interface StoreListener {
  /** Hears that another worker has the session, or may have it. */
  lost(session: string, fence: number, why: string): void
  heard(heard: Heard): void
  /** Says to people that the database is away, or is back. */
  report(line: string): void
}

/** Makes what a store can ask its database for. Before the first of it, the schema is brought up to date. */
export function operationsOf(holder: LeaseHolder, listener: StoreListener) {
  const { address, token, noFencing } = holder
  const { schema, leaseMs, shown } = address
  const connection = new Connection(address, (line) => listener.report(line))
  const leases = new Leases(connection, holder, (...loss) => listener.lost(...loss))
  const writing = new EntryWriter(connection, leases, { schema, leaseMs, noFencing })
  const sessions = new Sessions(connection, leases, holder)
  const posting = new PostedRows(connection, schema)
  const hearing = new ChangeListener(connection, address, token, (heard) => listener.heard(heard))
  const changed = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work
    hearing.changed()
    return result
  }
  /** For what does no harm when it happens twice. */
  const again = <T>(work: () => Promise<T>) => connection.again(work)
  const check = () => again(() => checkSchema(connection, address))
  const upkeep = upkeepOperations(connection, schema, {
    changed: () => hearing.changed(),
    posted: (session) => hearing.posted(session),
  })
  const operations = {
    check,
    create: async (row: NewRow, term: LeaseTerm | undefined) => {
      await check()
      return await changed(sessions.create(row, term))
    },
    take: async (id: string, term: LeaseTerm | undefined) => {
      await check()
      return await changed(again(() => sessions.take(id, term)))
    },
    release: (taken: TakenSession) => changed(again(() => leases.release(taken))),
    write: async (extensions: readonly Extension[], kept: readonly Kept[]): Promise<readonly Extended[]> => {
      const results = await writing.write(extensions, kept)
      const isChanged = extensions.some(({ bodies, carried }) => bodies.length > 0 || carried.length > 0)
      if (isChanged) hearing.changed()
      return results
    },
    log: (id: string, from: number, most?: number) => again(() => sessions.log(id, from, most)),
    list: () => again(() => sessions.list()),
    about: (id: string) => again(() => sessions.about(id)),
    latest: (cwd: string) => again(() => sessions.latest(cwd)),
    usage: (id: string, from: number) => again(() => sessions.usage(id, from)),
    subagents: (id: string) => again(() => sessions.subagents(id)),
    describe: (id: string, change: SessionDescription) => changed(again(() => sessions.describe(id, change))),
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
      await atMost(SWEEP_MS, swept)
      return ids
    },
    cut: (id: string, taken: TakenSession, row: NewRow, cut: Cut) =>
      changed(sessions.cut(id, taken, row, cut)),
    post: async (session: string, id: string, body: string) => {
      await again(async () => await posting.post(session, await sessions.keyOf(session), id, body))
      await hearing.posted(session)
    },
    posted: (session: string) => again(() => posting.open(session)),
    outcome: (session: string, id: string) => again(() => posting.outcome(session, id)),
    ...upkeep,
  }
  let isClosed = false
  let begun: Promise<void> | undefined
  let version = 0
  /** Brings the schema up to date, once. What failed is tried again by the next who asks. */
  const begin = (): Promise<void> => {
    if (isClosed)
      return Promise.reject(new StoreError("not-open", `The store ${shown} is closed.`, "Open it again."))
    begun ??= again(() => migrate(connection, address)).then(
      (reached) => {
        version = reached
      },
      (error: unknown) => {
        begun = undefined
        throw error
      },
    )
    return begun
  }
  return {
    ...afterEach(begin, operations),
    begin,
    /** The version of the schema; 0 until the database was reached. */
    version: () => version,
    hear: () => hearing.begin(),
    /** Stops prolonging a lease, without asking the database for anything. */
    forget: (taken: TakenSession) => leases.forget(taken),
    close: async () => {
      if (isClosed) return
      isClosed = true
      leases.close()
      const given = (async () => {
        await upkeep.unlockAll()
        await leases.releaseAll()
        await hearing.close()
      })().catch(() => {})
      await atMost(CLOSE_MS, given)
      const ended = connection.close().catch(() => {})
      await atMost(LINGER_MS, ended)
      connection.destroy()
      hearing.destroy()
    },
  }
}

/** Waits for work, and no longer than this. It keeps the process alive meanwhile, which connections do not. */
async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}

type Operation = (...args: never[]) => Promise<unknown>

/** Has each operation wait until the store has begun. */
function afterEach<T extends Readonly<Record<string, Operation>>>(begin: () => Promise<unknown>, all: T): T {
  const waiting = Object.entries(all).map(([name, operation]) => [
    name,
    async (...args: never[]) => {
      await begin()
      return await operation(...args)
    },
  ])
  return Object.fromEntries(waiting) as T
}
