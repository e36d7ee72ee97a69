import { createHash } from "node:crypto"
import type { Entry } from "@sotto/core"
import Sqlite from "libsql"
import type { Store } from "../src/store/store.js"
import type { StoredSession } from "../src/store/upkeep.js"
import type { PostgresServer } from "./postgres-server.js"
import { stored, work } from "./store-support.js"

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}

/** An entry that names texts of files. */
export function naming(seq: number, ...hashes: readonly string[]): Entry {
  return { type: "noted", signal: { type: "files", hashes }, seq, at: 2_000 + seq } as Entry
}

/** A session with a bit of everything that a store keeps of one. Given back at the end. */
export async function wholeSession(
  store: Store,
  id: string,
  text = `text of ${id}\0 – “ünï” 🙂`,
): Promise<void> {
  const session = await stored(store, id, `/work/${id}`)
  work(session, `Read it, ${id}`)
  store.keep(hashOf(text), text)
  await store.append(id, [naming(session.log.length, hashOf(text))])
  await store.describe(id, {
    title: `The title of ${id} “🙂”`,
    summary: `What came of ${id}`,
    labels: ["grün", "a label"],
    metadata: { ticket: `no. ${id}` },
  })
  await store.post(id, { id: "carried", command: { type: "say", text: "a" } })
  await store.carryOut(id, "carried", () => ({ is: "done", result: { queued: true } }))
  await store.post(id, { id: "first", command: { type: "say", text: "b" } })
  await store.post(id, { id: "second", command: { type: "say", text: "c" } })
  store.setAtWork(id, true)
  await store.release(id)
}

/** A session that has nothing to do. */
export async function idleSession(store: Store, id: string, words = `Read it, ${id}`): Promise<void> {
  work(await stored(store, id), words)
  await store.release(id)
}

export async function allOf(store: Store): Promise<readonly (StoredSession | undefined)[]> {
  const ids = (await store.list()).map(({ id }) => id)
  return await Promise.all(ids.sort().map((id) => store.upkeep.read(id)))
}

/** Runs statements beside a store, as something that damages it would. `$` stands for the schema. */
export async function beside(place: string, server: () => PostgresServer, sql: string): Promise<void> {
  if (!place.startsWith("postgres")) {
    const sqlite = new Sqlite(place)
    sqlite.exec(`PRAGMA foreign_keys = OFF; ${sql.replaceAll("$.", "")}`)
    sqlite.close()
    return
  }
  const schema = new URL(place).searchParams.get("schema") ?? ""
  await server().query(
    `SET session_replication_role = replica; ${sql.replaceAll("$.", `"${schema}".`)}; RESET session_replication_role`,
  )
}
