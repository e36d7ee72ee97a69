import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import type { SessionExport } from "./contract.js"
import { StoreError, translated } from "./error.js"
import { parseExport } from "./jsonl.js"

/**
 * Writes sessions to a folder, each to a compressed export of its own, and reads each file back: their paths by session.
 * On return the files are on disk. No file is written over. If something fails, none of them is left.
 */
export function writeArchives(
  folder: string,
  sessions: readonly SessionExport[],
): ReadonlyMap<string, string> {
  const written: string[] = []
  try {
    // Not closed to others if it is there already: the user may have named a folder that serves more than Sotto.
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const parts = sessions.map(({ id, lines }) => {
      const path = freePath(folder, id)
      const part = `${path}.part-${process.pid}`
      written.push(part)
      writeWhole(part, gzipSync(`${lines.join("\n")}\n`))
      parseExport(exportText(readFileSync(part), path))
      return { id, path, part }
    })
    for (const { path, part } of parts) {
      renameSync(part, path)
      written.push(path)
    }
    flushFolder(folder)
    return new Map(parts.map(({ id, path }) => [id, path]))
  } catch (error) {
    removeArchives(written)
    throw translated(error, folder)
  }
}

export function removeArchives(paths: Iterable<string>): void {
  for (const path of paths) rmSync(path, { force: true })
}

function freePath(folder: string, id: string): string {
  const name = encodeURIComponent(id).slice(0, 150)
  for (let i = 1; ; i++) {
    const path = join(folder, `${name}${i === 1 ? "" : `-${i}`}.jsonl.gz`)
    if (!existsSync(path)) return path
  }
}

function writeWhole(path: string, bytes: Buffer): void {
  const file = openSync(path, "w", 0o600)
  try {
    writeFileSync(file, bytes)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Flushes a folder: a file's name is in its folder, which has to be on disk too. */
function flushFolder(folder: string): void {
  // Windows opens no folders.
  if (process.platform === "win32") return
  const opened = openSync(folder, "r")
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** Bytes of an export that are read, as they are and unpacked. A session with that much has years of work in it. */
export const LARGEST_EXPORT = 256 * 1024 * 1024

/** Reads an export as text, compressed or not. `name` is the file that an error is about. */
export function exportText(bytes: Buffer, name = "The export"): string {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b
  try {
    const plain = isCompressed ? gunzipSync(bytes, { maxOutputLength: LARGEST_EXPORT }) : bytes
    return new TextDecoder("utf-8", { fatal: true }).decode(plain)
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE")
      throw new StoreError(
        "bad-import",
        `${name} unpacks to more than 256 MB, which is the limit.`,
        "Import an export as `sotto export` or `sotto sessions archive` writes it. Nothing was imported.",
        { cause },
      )
    const why = isCompressed ? "it cannot be decompressed, or is no text" : "it is no UTF-8 text"
    const remedy = "Import a whole export, as `sotto export` writes it. Nothing was imported."
    throw new StoreError("bad-import", `The export is damaged: ${why}.`, remedy, { cause })
  }
}
