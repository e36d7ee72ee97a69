import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { appendPrivate, privateFolder } from "@sotto/harness"

const MOST = 500

/** What was said in this project, oldest first. */
export interface History {
  readonly entries: readonly string[]
  add(text: string): void
}

/** Keeps the history in a file of the project's own, one JSON text a line, so that two windows can both add to it. */
export function openHistory(dataFolder: string, cwd: string): History {
  const folder = join(dataFolder, "history")
  const path = join(folder, `${createHash("sha256").update(cwd).digest("hex").slice(0, 16)}.jsonl`)
  const entries = [...read(path)]
  return {
    entries,
    add(text) {
      if (text.trim() === "" || entries.at(-1) === text) return
      entries.push(text)
      try {
        privateFolder(folder)
        appendPrivate(path, `${JSON.stringify(text)}\n`)
      } catch {
        // A disk that is full or read-only costs the history of this window, and nothing else.
      }
    },
  }
}

function read(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .slice(-MOST)
      .flatMap((line) => textIn(line))
  } catch {
    return []
  }
}

function textIn(line: string): readonly string[] {
  try {
    const text: unknown = JSON.parse(line)
    return typeof text === "string" ? [text] : []
  } catch {
    return []
  }
}
