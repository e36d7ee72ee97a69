import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { connect } from "./sqlite/sqlite.js"

/** A session in a database of opencode. */
export interface OpencodeSession {
  readonly id: string
  /** Its messages, each with its parts as a line of JSON, in the form of opencode's own export. */
  messages(): Iterable<string>
}

interface Row {
  readonly id: string
  readonly data: string
}

/**
 * Reads the sessions of a database of opencode. Reads a copy, which is removed when the process ends: SQLite would
 * write files beside a database that it opens, and this one belongs to another program.
 */
export function opencodeSessions(path: string): readonly OpencodeSession[] {
  const folder = mkdtempSync(join(tmpdir(), "sotto-opencode-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  const copy = join(folder, basename(path))
  for (const ending of ["", "-wal"]) if (existsSync(path + ending)) copyFileSync(path + ending, copy + ending)
  const database = connect(copy)
  const sessions = database.prepare("SELECT DISTINCT session_id AS id FROM message ORDER BY session_id")
  const messages = database.prepare("SELECT id, data FROM message WHERE session_id = ? ORDER BY id")
  const parts = database.prepare("SELECT id, data FROM part WHERE message_id = ? ORDER BY id")
  return (sessions.all() as Pick<Row, "id">[]).map(({ id }) => ({
    id,
    *messages() {
      for (const message of messages.all(id) as Row[])
        yield messageLine(id, message, parts.all(message.id) as Row[])
    },
  }))
}

/** Makes the line of a message. Hands damaged data on as it is, for the reader of the lines to say so. */
function messageLine(sessionID: string, { id, data }: Row, parts: readonly Row[]): string {
  try {
    return JSON.stringify({
      info: { id, sessionID, ...JSON.parse(data) },
      parts: parts.map((part) => JSON.parse(part.data)),
    })
  } catch {
    return data.replaceAll("\n", " ")
  }
}
