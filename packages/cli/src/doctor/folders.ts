import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  type Stats,
  statfsSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { redact } from "@sotto/core/secrets"
import { configFolder, dataFolder, isShared, openStore, storePlace } from "@sotto/harness"
import { type CheckResult, counted, failed, ok, warning } from "./check-result.js"

/** Bytes below which a long session may not fit, and below which nothing does. */
const LITTLE = 200_000_000
const NONE = 1_000_000

export async function store(): Promise<CheckResult> {
  const place = storePlace(process.env)
  if (isShared({ path: place })) return opened(place)
  const folder = dirname(place)
  const free = freeSpace(folder)
  if (free !== undefined && free < NONE)
    return failed(
      `The disk of ${folder} is full: ${shown(free)} are free. Nothing that is said can be kept, so nothing is sent.`,
      "Free some space, or set SOTTO_HOME to a folder on another disk.",
    )
  const blocked = blockedAt(folder)
  if (blocked !== undefined)
    return failed(
      `${blocked} cannot be written: sessions have nowhere to be kept.`,
      `Mend its owner and its permissions (it has to be yours), or set SOTTO_HOME to a folder of yours.`,
    )
  const found = await opened(place)
  if (free !== undefined && free < LITTLE)
    return warning(`${found.text}; only ${shown(free)} are free on its disk.`, "Free some space.")
  return found
}

async function opened(place: string): Promise<CheckResult> {
  const store = await openStore(place)
  const count = (await store.list()).length
  await store.close()
  return ok(`${store.path}: ${counted(count, "session")}`)
}

/** Finds the nearest place above a folder that is in the way of writing it. */
function blockedAt(folder: string): string | undefined {
  if (!existsSync(folder)) return dirname(folder) === folder ? folder : blockedAt(dirname(folder))
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return lstatSync(folder).isFile() ? folder : undefined
  } catch {
    return folder
  }
}

function freeSpace(folder: string): number | undefined {
  try {
    const { blocks, bavail, bsize } = statfsSync(existing(folder))
    // A file system without a disk has no blocks at all.
    return blocks === 0 ? undefined : bavail * bsize
  } catch {
    return undefined // A file system that does not say.
  }
}

function existing(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder))
}

function shown(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.floor(bytes / 1_000)} kB` : `${Math.floor(bytes / 1_000_000)} MB`
}

const OTHERS_READ = 0o044
const OTHERS_WRITE = 0o022

/** Files that only their owner should read. Sotto keeps them closed; a copy or a backup may have opened them. */
const SECRET = /^(?:keys\.json|mcp-logins\.json|server\.token|channels\.json|trust\.json|sessions\.db.*)$/

/**
 * Checks who else may read or change Sotto's files. It looks before anything is opened: Sotto closes a file of its own
 * whenever it opens one.
 */
export async function permissions(): Promise<CheckResult> {
  const folders = [...new Set([configFolder(process.env), dataFolder(process.env)])].filter((folder) =>
    existsSync(folder),
  )
  const found = folders.flatMap(openTo)
  if (found.length === 0) return ok("only you can read keys and sessions, and change settings")
  const paths = found.map(({ path }) => path)
  return {
    state: "failed",
    text: "Others on this machine may read or change what is yours:",
    remedy: `Run: chmod go-rwx ${paths.map(quoted).join(" ")}`,
    more: found.map(({ path, why }) => `${path} ${why}`),
  }
}

function openTo(folder: string): readonly { readonly path: string; readonly why: string }[] {
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  const places = [folder, ...entries.map(({ name }) => join(folder, name))]
  return places.flatMap((path) => {
    const why = whyOpen(path, lstatSync(path))
    return why === undefined ? [] : [{ path, why }]
  })
}

function whyOpen(path: string, { mode, uid }: Stats): string | undefined {
  const name = path.slice(dirname(path).length + 1)
  const own = process.getuid?.()
  if (own !== undefined && uid !== own) return "belongs to another user"
  if ((mode & OTHERS_WRITE) !== 0) return "can be changed by others"
  if ((mode & OTHERS_READ) === 0 || (mode & 0o170000) === 0o040000) return undefined
  if (SECRET.test(name)) return "can be read by others"
  return name === "sotto.json" && hasSecret(path) ? "has a key in it, and can be read by others" : undefined
}

function hasSecret(path: string): boolean {
  try {
    const text = readFileSync(path, "utf8")
    return redact(text, []) !== text
  } catch {
    return false
  }
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
