import type { StoreState, Upkeep } from "@sotto/harness/store"
import type { Operations } from "./operations.js"

export interface PostgresUpkeep extends Upkeep {
  /** Texts that removed sessions named. */
  readonly unnamed: Set<string>
}

/** Looks after a store in PostgreSQL. `hear` begins to listen, and says how. */
export function postgresUpkeep(operations: Operations, hear: () => Promise<StoreState>): PostgresUpkeep {
  const unnamed = new Set<string>()
  return {
    unnamed,
    figures: () => operations.figures(),
    hearing: async () => {
      const { hearing, why } = await hear()
      return { hearing, ...(why !== undefined && { why }) }
    },
    holders: () => operations.holders(),
    busy: async () => new Set(await operations.busy()),
    sizes: async () => new Map(await operations.sizes()),
    read: (id) => operations.readStored(id),
    write: (session, from) => operations.writeStored(session, from),
    kept: async (hashes) => new Set(await operations.kept(hashes)),
    texts: async (hashes) => {
      const found = new Map<string, string>()
      for (const { hash, bytes } of await operations.texts(hashes)) {
        const text = textOf(bytes)
        if (text !== undefined) found.set(hash, text)
      }
      return found
    },
    keepTexts: (texts) => operations.keepTexts([...texts].map(([hash, text]) => ({ hash, text }))),
    eachText: async (visit) => {
      for (let after = ""; ; ) {
        const found = await operations.textsAfter(after)
        for (const { hash, bytes } of found) visit(hash, textOf(bytes))
        const last = found.at(-1)
        if (last === undefined) return
        after = last.hash
      }
    },
    strays: () => operations.strays(),
    // The server checks its pages when it reads them.
    integrity: async () => [],
    named: () => operations.named(),
    reclaim: async () => {
      await operations.sweep([...unnamed])
      unnamed.clear()
      return {
        bytes: 0,
        why: "PostgreSQL uses the room for new sessions. Only VACUUM FULL gives it back to the disk, and nobody can work meanwhile",
      }
    },
    exclusively: async (name, work) => {
      if (!(await operations.lockNamed(name))) return undefined
      try {
        return await work()
      } finally {
        await operations.unlockNamed(name)
      }
    },
  }
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
