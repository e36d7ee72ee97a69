import {
  appendFileSync,
  chmodSync,
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"

/**
 * Files and folders of Sotto's own, wherever they are made: what they hold is nobody else's business. A folder that
 * the user has made may be open to others, so the mode of a parent promises nothing.
 */
const FILE = 0o600
const FOLDER = 0o700
const OTHERS = 0o077

/** Makes a folder that only its owner may enter. One of ours from before is closed to others. */
export function privateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: FOLDER })
  closeToOthers(path, FOLDER)
}

/** Opens a file to add to it, and makes it if it is missing, readable by its owner only. */
export function openPrivate(path: string): number {
  const file = openSync(path, "a", FILE)
  const { mode, uid } = fstatSync(file)
  if ((mode & OTHERS) !== 0 && isOurs(uid)) fchmodSync(file, FILE)
  return file
}

export function appendPrivate(path: string, content: string | Uint8Array): void {
  appendFileSync(path, content, { mode: FILE })
  closeToOthers(path, FILE)
}

/**
 * Replaces a file as a whole, readable by its owner only: whoever reads it finds the old content or the new, and never a
 * part. The content is on disk before it takes the place of the old one.
 */
export function replacePrivate(path: string, content: string | Uint8Array): void {
  const beside = `${path}.${process.pid}.tmp`
  try {
    const file = openSync(beside, "w", FILE)
    try {
      fchmodSync(file, FILE)
      writeFileSync(file, content)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(beside, path)
  } catch (error) {
    rmSync(beside, { force: true })
    throw error
  }
}

/** Milliseconds: a writer that died has left its lock. */
const STALE = 10_000
const LONGEST_WAIT = 5_000
const PAUSE = 10

/** Does some short work while no other process does the same: `path` is there meanwhile. */
export function whileLocked(path: string, work: () => void): void {
  const until = Date.now() + LONGEST_WAIT
  for (;;) {
    try {
      closeSync(openSync(path, "wx", FILE))
      break
    } catch (cause) {
      if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause
    }
    const held = statSync(path, { throwIfNoEntry: false })
    if (held !== undefined && Date.now() - held.mtimeMs > STALE) rmSync(path, { force: true })
    else if (Date.now() > until) throw new Error(`another process holds ${path}`)
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE)
  }
  try {
    work()
  } finally {
    rmSync(path, { force: true })
  }
}

/** Closes a file to others that may be there from before. It is not opened: closing it would undo locks on it. */
export function keepPrivate(path: string): void {
  closeToOthers(path, FILE)
}

function closeToOthers(path: string, mode: number): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || (found.mode & OTHERS) === 0 || !isOurs(found.uid)) return
  // The mode of a file would make a folder unusable, whoever named it by mistake.
  if (found.isDirectory() !== (mode === FOLDER)) return
  try {
    chmodSync(path, mode)
  } catch {
    // A file system without modes has none to set.
  }
}

function isOurs(uid: number): boolean {
  return process.getuid === undefined || process.getuid() === uid
}
