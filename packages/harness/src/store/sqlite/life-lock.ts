import { existsSync, readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import type Libsql from "libsql"
import { privateFolder } from "../../platform/workspace/private-files.js"
import { connect } from "./sqlite.js"

/** Files of the dead are cleared away when there are more than `MANY`, and not while they are this young. */
const MANY = 20
const YOUNG_MS = 60_000

/**
 * A lock of the operating system that a holder of sessions has while it lives: on a file of its own beside the store.
 * It goes with the process, however that ends, and is seen from every container that shares the folder. Numbers of
 * processes are not: they mean nothing in another namespace, and are used again.
 */
export class LifeLock {
  readonly #folder: string
  readonly #token: string
  #lock: Libsql.Database | undefined
  #begun = false

  constructor(store: string, token: string) {
    this.#folder = folderOf(store)
    this.#token = token
  }

  /** Takes the lock, once. Where the disk knows no locks it goes without. */
  begin(): void {
    if (this.#begun) return
    this.#begun = true
    privateFolder(this.#folder)
    clearDead(this.#folder)
    const lock = connect(join(this.#folder, this.#token))
    try {
      lock.exec(LOCK)
      this.#lock = lock
    } catch {
      lock.close()
      rmSync(join(this.#folder, this.#token), { force: true })
    }
  }

  end(): void {
    if (this.#lock === undefined) return
    this.#lock.close()
    this.#lock = undefined
    rmSync(join(this.#folder, this.#token), { force: true })
  }
}

const LOCK = "PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE"

/** Takes a lock of this name beside the store: what gives it back, or undefined if another process has it. */
export function lockNamed(store: string, name: string): (() => void) | undefined {
  privateFolder(folderOf(store))
  const lock = connect(join(folderOf(store), name))
  try {
    lock.exec(LOCK)
    return () => lock.close()
  } catch {
    lock.close()
    return undefined
  }
}

/** True if the holder with this token lives; undefined if it left no file to tell by. */
export function lives(store: string, token: string): boolean | undefined {
  const path = join(folderOf(store), token)
  if (!/^[\w-]+$/.test(token) || !existsSync(path)) return undefined
  if (isLocked(path)) return true
  rmSync(path, { force: true })
  return false
}

function clearDead(folder: string): void {
  const names = readdirSync(folder)
  if (names.length <= MANY) return
  for (const name of names) {
    const path = join(folder, name)
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age > YOUNG_MS && !isLocked(path)) rmSync(path, { force: true })
  }
}

/** Asks SQLite too: opening the file in another way would undo this process's own lock when the file is closed. */
function isLocked(path: string): boolean {
  const probe = connect(path)
  try {
    probe.exec(LOCK)
    return false
  } catch (error) {
    // What cannot be told is not taken away from anybody.
    return error instanceof Error
  } finally {
    probe.close()
  }
}

function folderOf(store: string): string {
  return `${store}-locks`
}
