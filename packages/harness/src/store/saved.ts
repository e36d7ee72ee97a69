import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from "node:fs"
import { dirname, join } from "node:path"

/** Saves lines as a file of their own in the folder "damaged" beside the store: its path. No file is overwritten. */
export function saveAside(store: string, sessionId: string, lines: readonly (string | Buffer)[]): string {
  const folder = join(dirname(store), "damaged")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const [path, file] = newFile(join(folder, encodeURIComponent(sessionId).slice(0, 100)))
  try {
    for (const line of lines) writeSync(file, Buffer.concat([Buffer.from(line), Buffer.from("\n")]))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  return path
}

function newFile(base: string): readonly [path: string, file: number] {
  for (let i = 1; ; i++) {
    const path = `${base}-${i}.jsonl`
    try {
      return [path, openSync(path, "wx", 0o600)]
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
    }
  }
}
