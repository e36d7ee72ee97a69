import { type Dirent, readdirSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { overlap } from "../patterns.js"
import { follow, isInside } from "./location.js"

/** Limits the entries that are looked through for one command line. */
export const MOST_ENTRIES = 20_000

interface Reading {
  /** The last name is a pattern of the shell, or words in braces. */
  readonly isPattern: boolean
  /** Links below it are followed. */
  readonly follows?: boolean
  /** Counts the entries that may still be looked through. */
  readonly budget: { left: number }
}

/**
 * Finds where else a reading of the path leads, through links that its words do not name: a link that a pattern of the
 * shell may complete, and, for a program that follows links, those below the path. Undefined where there are too many
 * to know.
 */
export function linksAt(
  path: string,
  { isPattern, follows = false, budget }: Reading,
): readonly string[] | undefined {
  const named = isPattern ? linksIn(dirname(path), expanded(basename(path))) : []
  if (!follows) return named
  const found = [...named]
  const starts = isPattern ? [dirname(path)] : [path]
  const seen = new Set<string>()
  for (let folder = starts.shift(); folder !== undefined; folder = starts.shift()) {
    const real = follow(folder, "/")
    if ([...seen].some((one) => isInside(real, one))) continue
    seen.add(real)
    const below = [real]
    for (let at = below.shift(); at !== undefined; at = below.shift())
      for (const entry of entriesOf(at)) {
        if (budget.left-- <= 0) return undefined
        const whole = join(at, entry.name)
        if (entry.isDirectory()) below.push(whole)
        if (!entry.isSymbolicLink()) continue
        const target = follow(whole, "/")
        if ([...seen].some((one) => isInside(target, one))) continue
        found.push(whole)
        starts.push(target)
      }
  }
  return found
}

/** Writes a pattern of the shell as a pattern of rules, which covers at least as much. */
export function expanded(target: string): string {
  return target.replace(/\[[^\]]*\]|\{[^}]*\}|[*?]|[[\]{}]/g, "*")
}

function linksIn(folder: string, pattern: string): readonly string[] {
  return entriesOf(folder).flatMap((entry) =>
    entry.isSymbolicLink() && overlap(pattern, entry.name) ? [join(folder, entry.name)] : [],
  )
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return [] // Not there, no folder, or nothing that a command could list either.
  }
}
