import { rm } from "node:fs/promises"
import { resolve } from "node:path"
import { type Entry, removed, type Session } from "@sotto/core"
import type { Awaitable } from "../../platform/awaitable.js"
import { reasonOf } from "../../platform/text/errors.js"
import { locate } from "../../platform/workspace/location.js"
import { hashOf } from "../../tools/file-views/known-files.js"
import { bytesIfAny, writeWhole } from "../../tools/file-views/text-file.js"
import { type FileFact, fileFactIn, fileKey } from "./facts.js"

/** A file that the agent wrote, and what was there before it did. */
export interface WrittenFile {
  /** Relative to the workspace where it is inside, else absolute. */
  readonly path: string
  /** The hash of what the agent wrote last. */
  readonly wrote: string
  /** The hash of what was there before the first write, or null if nothing was. */
  readonly before: string | null
  /** Between two of its writes another program changed the file, so that going back would lose that change. */
  readonly mixed?: true
}

/** Lists the files that the agent wrote after an entry of its log. What commands did to files is not recorded. */
export function filesAt(log: readonly Entry[], seq: number): readonly WrittenFile[] {
  const written = new Map<string, WrittenFile>()
  for (const entry of log) {
    const { path, fact } = fileFactIn(entry) ?? {}
    if (entry.seq <= seq || path === undefined || fact?.before === undefined) continue
    const known = written.get(path)
    const mixed = known !== undefined && (known.mixed === true || known.wrote !== fact.before)
    const before = known === undefined ? fact.before : known.before
    written.set(path, { path, wrote: fact.hash, before, ...(mixed && { mixed }) })
  }
  return [...written.values()]
}

/**
 * Lists the written files of several logs that were written in one directory, such as a session's and its subagents'.
 */
export function filesOf(logs: readonly (readonly Entry[])[]): readonly WrittenFile[] {
  const [first = [], ...others] = logs
  return filesAt(others.length === 0 ? first : logs.flat().sort((a, b) => a.at - b.at), -1)
}

/** What a rewind did to the files. */
export interface Restored {
  readonly restored: readonly WrittenFile[]
  /** What was left as it is, and why, in words for people. */
  readonly conflicts: readonly { readonly path: string; readonly why: string }[]
}

/** Puts back what was there, file by file, and only where the agent's last write is still what is there. */
export async function restoreFiles(
  written: readonly WrittenFile[],
  { cwd, content }: { readonly cwd: string; content(hash: string): Awaitable<string | undefined> },
): Promise<Restored> {
  const restored: WrittenFile[] = []
  const conflicts: { readonly path: string; readonly why: string }[] = []
  for (const file of written) {
    const why = await restoreOne(file, cwd, content).catch(reasonOf)
    if (why === undefined) restored.push(file)
    else conflicts.push({ path: file.path, why })
  }
  return { restored, conflicts }
}

/** Writes down what was put back, so that a later rewind knows it for the agent's. After the session was rewound. */
export function recordRestored({ restored }: Restored, session: Session, cwd: string): void {
  for (const { path, wrote, before } of restored) {
    const fact: FileFact | undefined = before === null ? undefined : { hash: before, before: wrote }
    session.observe(fileKey(resolve(cwd, path), cwd), fact ?? removed())
  }
}

/** Says why a file was left; undefined if it is as it was. */
async function restoreOne(
  { path: shown, wrote, before, mixed }: WrittenFile,
  cwd: string,
  content: (hash: string) => Awaitable<string | undefined>,
): Promise<string | undefined> {
  const path = resolve(cwd, shown)
  const place = await locate(path, cwd)
  if (place.path !== path) return "a link has taken its place"
  const bytes = await bytesIfAny(place)
  const now = bytes === undefined ? null : hashOf(bytes)
  if (now === before) return undefined
  if (now !== wrote) return now === null ? "it was deleted since" : "somebody else has changed it since"
  if (mixed) return "somebody else has changed it between two writes of the agent, which would be lost"
  if (before === null) {
    await rm(path)
    return undefined
  }
  const text = await content(before)
  if (text === undefined) return "what was there before was too long to keep, or no text"
  await writeWhole(path, text)
  return undefined
}
