import { type Dirent, readdirSync } from "node:fs"
import { join } from "node:path"
import { setImmediate as turnOfLoop } from "node:timers/promises"

/** Folders that are read without giving other work a turn. */
const AT_ONCE = 200

export interface WalkOptions {
  /** Folders that are read at most. */
  readonly most: number
  /** False for a folder that is left out. Links are never followed. */
  enters?(name: string): boolean
}

/** Goes through a tree, outer folders first. Yields each folder with what lies in it. */
export async function* foldersBelow(
  root: string,
  { most, enters = () => true }: WalkOptions,
): AsyncGenerator<{ readonly folder: string; readonly entries: readonly Dirent[] }> {
  const folders = [root]
  for (const [count, folder] of folders.entries()) {
    if (count % AT_ONCE === AT_ONCE - 1) await turnOfLoop()
    const entries = entriesOf(folder)
    for (const entry of entries)
      if (entry.isDirectory() && folders.length < most && enters(entry.name))
        folders.push(join(folder, entry.name))
    yield { folder, entries }
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return [] // Gone, or closed to us.
  }
}
