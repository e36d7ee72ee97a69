import { lstatSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { type Awaitable, whenThere } from "../../platform/awaitable.js"
import { unifiedDiff } from "../../tools/diff.js"
import { hashOf } from "../../tools/file-views/known-files.js"
import { decode } from "../../tools/file-views/text-file.js"
import { lineRegions } from "../../tools/line-regions.js"
import type { WrittenFile } from "./rewind.js"

/** Bytes of a file that is still compared; more is not for reading on a screen. */
const LARGEST = 2_000_000

/** What has become of a file that the agent wrote. */
export interface FileChange {
  readonly file: WrittenFile
  /**
   * `changed`: as the agent left it. `as-it-was`: the change was undone, by the agent or by another program. `touched`:
   * another program changed it too, since or meanwhile. `deleted`: the file is gone.
   */
  readonly state: "changed" | "as-it-was" | "touched" | "deleted"
  readonly isNew: boolean
  /**
   * From before the first write to now, as a unified diff; undefined if one of the two is not text, or was not kept.
   */
  readonly diff: string | undefined
}

/** Compares what is there now with what was there before the agent wrote. */
export function changeOf(
  file: WrittenFile,
  { cwd, content }: { readonly cwd: string; content(hash: string): Awaitable<string | undefined> },
): Awaitable<FileChange> {
  return whenThere(file.before === null ? "" : content(file.before), (old) => changeFrom(file, old, cwd))
}

/** Compares what is there now with a text; undefined if that was not kept, or was no text. */
function changeFrom(file: WrittenFile, old: string | undefined, cwd: string): FileChange {
  const { path, before, wrote, mixed } = file
  const now = bytesAt(resolve(cwd, path))
  const hash = now === undefined ? null : hashOf(now)
  const current = now === undefined ? "" : decode(now)?.text
  return {
    file,
    isNew: before === null,
    state:
      hash === before
        ? "as-it-was"
        : hash === null
          ? "deleted"
          : hash !== wrote || mixed
            ? "touched"
            : "changed",
    diff:
      old === undefined || current === undefined
        ? undefined
        : unifiedDiff(path, old, current, lineRegions(old, current)),
  }
}

/** Reads a file, and follows no link: what it leads to is not what the agent wrote. */
function bytesAt(path: string): Uint8Array | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  return found.isFile() && found.size <= LARGEST ? readFileSync(path) : new Uint8Array([0])
}
