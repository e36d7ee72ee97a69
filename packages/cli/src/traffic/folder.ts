import { readdirSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { fileReason, type OpencodeSession, readRegularText } from "@sotto/harness"
import { UsageError } from "../usage.js"

const SOURCE = /\.(jsonl|ndjson|json|har)(\.gz)?$|^opencode[\w-]*\.db$/
const PASSED_OVER = new Set(["node_modules", ".git"])

/** The files of a folder and those below it that may be recordings or session files, by name. Links are not followed. */
export function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry): readonly string[] => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return PASSED_OVER.has(entry.name) ? [] : filesIn(path)
      return entry.isFile() && SOURCE.test(entry.name) ? [path] : []
    })
}

/** Where older versions of opencode keep sessions: a folder for messages and one for their parts. */
export function opencodeStorageIn(folder: string): string | undefined {
  return [folder, join(folder, "storage")].find((path) =>
    ["message", "part"].every((name) => statSync(join(path, name), { throwIfNoEntry: false })?.isDirectory()),
  )
}

/** The sessions of such a folder. The names of messages and parts sort by time. */
export function storedSessions(storage: string): readonly OpencodeSession[] {
  return namesIn(join(storage, "message")).map((id) => ({
    id,
    *messages() {
      for (const name of namesIn(join(storage, "message", id))) {
        const info = textOf(join(storage, "message", id, name))
        const own = join(storage, "part", basename(name, ".json"))
        const parts = namesIn(own).map((part) => textOf(join(own, part)))
        yield `{"info":${info},"parts":[${parts.join(",")}]}`
      }
    },
  }))
}

function namesIn(folder: string): readonly string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  return readdirSync(folder).sort()
}

/** Messages and parts are small: even a picture has a few megabytes. */
const LARGEST = 64 * 1024 * 1024

/** A file of JSON on one line. */
function textOf(path: string): string {
  try {
    return (readRegularText(path, LARGEST) ?? "").replaceAll("\n", " ").trim()
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${fileReason(error)}.`)
  }
}
