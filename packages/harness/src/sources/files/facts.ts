import { isAbsolute, relative, sep } from "node:path"
import type { Entry } from "@sotto/core"

const FAMILY = "file:"

/**
 * The fact `file:<path>`: what the model knows of a file, for the day on which the session is opened again. Contents
 * are in the store, by hash.
 */
export interface FileFact {
  readonly hash: string
  readonly neutralised?: boolean
  /** The model was told that the file is gone; `hash` is of what was read before. */
  readonly gone?: boolean
  /** It was told that there is another content now (null: none), and not which. */
  readonly announced?: string | null
  /** The agent wrote it: the hash of what was there before, or null if nothing was. */
  readonly before?: string | null
}

declare module "@sotto/core" {
  interface CustomFacts {
    "file:*": FileFact
  }
}

export function fileKey(path: string, cwd: string): `file:${string}` {
  return `${FAMILY}${shownPath(path, cwd)}`
}

/** Writes a path relative to the workspace, with slashes, where it is inside; else absolute. */
export function shownPath(path: string, cwd: string): string {
  const below = relative(cwd, path)
  const isInside = below !== "" && below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below)
  return (isInside ? below : path).split(sep).join("/")
}

/** Reads the fact that an entry records, with the path as it was written down. */
export function fileFactIn(entry: Entry): { readonly path: string; readonly fact: FileFact } | undefined {
  if (entry.type !== "observed" || !entry.key.startsWith(FAMILY) || entry.fact.is !== "known")
    return undefined
  const { value } = entry.fact
  return isFileFact(value) ? { path: entry.key.slice(FAMILY.length), fact: value } : undefined
}

/** Checks a fact, because a log may come from another program: any other value tells nothing of a file. */
function isFileFact(value: unknown): value is FileFact {
  if (typeof value !== "object" || value === null) return false
  const { hash, announced = null, before = null } = value as Readonly<Record<string, unknown>>
  const isName = (one: unknown) => one === null || typeof one === "string"
  return typeof hash === "string" && isName(announced) && isName(before)
}
