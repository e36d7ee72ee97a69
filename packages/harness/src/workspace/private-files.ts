import {
  appendFileSync,
  chmodSync,
  fchmodSync,
  fstatSync,
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

/** Replaces a file as a whole: whoever reads it finds the old content or the new, and never a part. */
export function writePrivate(path: string, content: string | Uint8Array): void {
  const draft = `${path}.${process.pid}.new`
  try {
    writeFileSync(draft, content, { mode: FILE })
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** Closes a file to others that may be there from before. It is not opened: closing it would undo locks on it. */
export function keepPrivate(path: string): void {
  closeToOthers(path, FILE)
}

function closeToOthers(path: string, mode: number): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || (found.mode & OTHERS) === 0 || !isOurs(found.uid)) return
  try {
    chmodSync(path, mode)
  } catch {
    // A file system without modes has none to set.
  }
}

function isOurs(uid: number): boolean {
  return process.getuid === undefined || process.getuid() === uid
}
