import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, writeSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { privateFolder } from "../platform/workspace/private-files.js"

/** Copies a file of the store to the folder "damaged" beside it, if it is there. */
export function copyAside(store: string, file: string): void {
  if (!existsSync(file)) return
  const [path, copy] = newFile(join(damagedFolder(store), basename(file)), "")
  closeSync(copy)
  copyFileSync(file, path)
}

/** Saves lines as a file of their own in the folder "damaged" beside the store: its path. No file is overwritten. */
export function saveAside(store: string, sessionId: string, lines: readonly (string | Buffer)[]): string {
  const name = encodeURIComponent(sessionId).slice(0, 100)
  const [path, file] = newFile(join(damagedFolder(store), name), ".jsonl")
  try {
    for (const line of lines) writeSync(file, Buffer.concat([Buffer.from(line), Buffer.from("\n")]))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  return path
}

function damagedFolder(store: string): string {
  const folder = join(dirname(store), "damaged")
  privateFolder(folder)
  return folder
}

function newFile(base: string, ending: string): readonly [path: string, file: number] {
  for (let i = 1; ; i++) {
    const path = `${base}-${i}${ending}`
    try {
      return [path, openSync(path, "wx", 0o600)]
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
    }
  }
}
