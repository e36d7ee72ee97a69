import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { privateFolder } from "../workspace/private-files.js"
import type { Store } from "./contract.js"
import { StoreError } from "./error.js"
import { parseExport } from "./jsonl.js"

/** What became of a session that was to be archived. */
export type Archived =
  | { readonly id: string; readonly path: string }
  /** It stays in the store. */
  | { readonly id: string; readonly why: string }

/**
 * Moves the sessions that were last changed before a time out of the store, each to a compressed export in the folder
 * "archive" beside it. A session leaves the store only after its file was read back from the disk.
 */
export function archiveSessions(store: Store, before: number): readonly Archived[] {
  const old = store.list().filter(({ updated, damaged }) => updated < before || damaged !== undefined)
  return old.map(({ id, damaged }) => {
    if (damaged !== undefined) return { id, why: `${damaged}; \`sotto sessions repair ${id}\`` }
    try {
      return { id, path: archive(store, id) }
    } catch (error) {
      if (error instanceof StoreError) return { id, why: error.message }
      throw error
    }
  })
}

function archive(store: Store, id: string): string {
  return store.remove(id, (lines) => {
    const folder = join(store.folder, "archive")
    privateFolder(folder)
    const path = join(folder, `${encodeURIComponent(id).slice(0, 150)}.jsonl.gz`)
    const file = openSync(path, "w", 0o600)
    try {
      writeSync(file, gzipSync(`${lines.join("\n")}\n`))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    parseExport(exportText(readFileSync(path)))
    return path
  })
}

/** An export as text, compressed or not. */
export function exportText(bytes: Buffer): string {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b
  try {
    const plain = isCompressed ? gunzipSync(bytes) : bytes
    return new TextDecoder("utf-8", { fatal: true }).decode(plain)
  } catch (cause) {
    const why = isCompressed ? "it cannot be decompressed, or is no text" : "it is no UTF-8 text"
    const remedy = "Import a whole export, as `sotto export` writes it. Nothing was imported."
    throw new StoreError("bad-import", `The export is damaged: ${why}.`, remedy, { cause })
  }
}
