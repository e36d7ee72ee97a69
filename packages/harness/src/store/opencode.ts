import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { connect } from "./sqlite.js"

interface Row {
  readonly id: string
  readonly session_id: string
  readonly message_id?: string
  readonly data: string
}

/**
 * The messages of a database of opencode, each with its parts as a line of JSON, in the form of its own export. Reads a
 * copy: SQLite would write files beside a database that it opens, and this one is somebody else's.
 */
export function* opencodeMessages(path: string): Generator<string> {
  const folder = mkdtempSync(join(tmpdir(), "sotto-opencode-"))
  try {
    const copy = join(folder, basename(path))
    for (const ending of ["", "-wal"])
      if (existsSync(path + ending)) copyFileSync(path + ending, copy + ending)
    const database = connect(copy)
    try {
      const messages = database.prepare("SELECT id, session_id, data FROM message ORDER BY session_id, id")
      const parts = database.prepare("SELECT id, session_id, data FROM part WHERE message_id = ? ORDER BY id")
      for (const message of messages.all() as Row[])
        yield messageLine(message, parts.all(message.id) as Row[])
    } finally {
      database.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Data that is damaged is handed on as it is, for whoever reads the lines to say so. */
function messageLine({ id, session_id: sessionID, data }: Row, parts: readonly Row[]): string {
  try {
    return JSON.stringify({
      info: { id, sessionID, ...JSON.parse(data) },
      parts: parts.map((part) => JSON.parse(part.data)),
    })
  } catch {
    return data.replaceAll("\n", " ")
  }
}
