import { resolve } from "node:path"
import type { Entry } from "@sotto/core"
import { unifiedDiff } from "../../tools/diff.js"
import { decode } from "../../tools/file-views/text-file.js"
import { lineRegions } from "../../tools/line-regions.js"
import { changedFiles } from "./changed.js"
import { bytesOf, carryOutRestore, planRestore, type RestoreOutcome, type RestoreParts } from "./restore.js"
import { type ChangedFile, type FileVersion, isSameVersion, readVersion } from "./version.js"

/** Bytes of a file that is still compared; more is not for reading on a screen. */
const LARGEST = 2_000_000

/** What has become of a file that the session changed. */
export interface FileChange {
  readonly file: ChangedFile
  /**
   * `changed`: as the session left it. `as-it-was`: the change was undone, by the session or by another program.
   * `touched`: another program changed it too, since or meanwhile. `deleted`: the file is gone.
   */
  readonly state: "changed" | "as-it-was" | "touched" | "deleted"
  readonly isNew: boolean
  /**
   * From before the first change to now, as a unified diff; undefined if one of the two is not text, or was not kept.
   */
  readonly diff: string | undefined
}

/**
 * Lists the files that several logs changed which were written in one directory, such as a session's and its
 * subagents', and compares what is there now with what was there before.
 */
export async function fileChanges(
  logs: readonly (readonly Entry[])[],
  parts: RestoreParts,
): Promise<readonly FileChange[]> {
  const [first = [], ...others] = logs
  // Each log counts its own entries: together they go by the time.
  const log = others.length === 0 ? first : logs.flat().sort((a, b) => a.at - b.at)
  const files = changedFiles(log, -1).filter((file) => !isFolder(file))
  return Promise.all(files.map((file) => fileChange(file, parts)))
}

/** Brings files back to what they were before. Returns what was left, and why. */
export async function undoFiles(
  files: readonly ChangedFile[],
  parts: RestoreParts,
): Promise<RestoreOutcome["left"]> {
  const rows = await planRestore(files, parts)
  const back = rows.filter(({ state }) => state === "back")
  const { left } = await carryOutRestore(
    back.map(({ path, now, to }) => ({ path, before: now, after: to })),
    parts,
  )
  return [...rows.flatMap(({ path, why }) => (why === undefined ? [] : [{ path, why }])), ...left]
}

async function fileChange(file: ChangedFile, parts: RestoreParts): Promise<FileChange> {
  const { path, before, after, mixed } = file
  const now = readVersion(resolve(parts.cwd, path), LARGEST)
  const version = now?.version ?? null
  const old = before === null ? "" : await textOf(before, parts)
  const bytes = now?.version.is === "file" ? now.bytes : undefined
  const current = now === null ? "" : bytes && decode(bytes)?.text
  return {
    file,
    isNew: before === null,
    state: isSameVersion(version, before)
      ? "as-it-was"
      : version === null && after !== null
        ? "deleted"
        : !isSameVersion(version, after) || mixed
          ? "touched"
          : "changed",
    diff:
      old === undefined || current === undefined
        ? undefined
        : unifiedDiff(path, old, current, lineRegions(old, current)),
  }
}

async function textOf(version: FileVersion, parts: RestoreParts): Promise<string | undefined> {
  const bytes = version.is === "file" ? await bytesOf(version, parts) : undefined
  return bytes && bytes.byteLength <= LARGEST ? decode(bytes)?.text : undefined
}

function isFolder({ before, after }: ChangedFile): boolean {
  return (before?.is ?? "folder") === "folder" && (after?.is ?? "folder") === "folder"
}
