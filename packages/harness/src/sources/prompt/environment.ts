import { lstatSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { type Absent, unavailable } from "@sotto/core"
import { gitPointer } from "@sotto/shell/git"
import { readRegularText } from "../../platform/workspace/regular-file.js"
import type { Observation } from "../source.js"

export interface EnvironmentOptions {
  readonly cwd: string
  /** Milliseconds. */
  now(): number
}

/**
 * Observes layer 2's facts about where and when. Cheap enough for every boundary: two or three small reads, no process.
 */
export function observeEnvironment({
  cwd,
  now,
}: EnvironmentOptions): readonly Observation<"date" | `environment:${string}`, string | Absent>[] {
  return [
    { key: "environment:directory", value: cwd },
    { key: "environment:platform", value: `${process.platform} (${process.arch})` },
    { key: "environment:git", value: gitState(cwd) },
    { key: "date", value: localDate(new Date(now())) },
  ]
}

/** Gives the day it is where the user is, as 2026-11-15. */
export function localDate(date: Date): string {
  const two = (value: number) => String(value).padStart(2, "0")
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

const LONGEST_NAME = 200
const LONGEST_HEAD = 65_536

function gitState(cwd: string): string | Absent {
  try {
    const folder = gitFolder(cwd)
    if (folder === undefined) return "not a git repository"
    const head = join(folder, "HEAD")
    // Git writes no link there any more, and a link could have us show the beginning of any file.
    if (lstatSync(head).isSymbolicLink()) return "a git repository"
    const text = readRegularText(head, LONGEST_HEAD)
    return text === undefined ? unavailable() : headState(text)
  } catch {
    // Git may be rewriting it at this moment.
    return unavailable()
  }
}

function headState(head: string): string {
  const line = (head.split("\n")[0] ?? "").trim()
  const branch = /^ref: (?:refs\/heads\/)?(.+)$/.exec(line)?.[1]
  // With the reftable format HEAD is a stub, and the branch is in a binary file.
  if (branch === ".invalid") return "a git repository"
  return branch === undefined
    ? `no branch, at commit ${line.slice(0, 12)}`
    : `branch ${branch.slice(0, LONGEST_NAME)}`
}

/** How long what was found in the folders above is taken to be so: a repository seldom begins or ends there. */
const ABOVE_MS = 1_000

interface RepositoryAbove {
  readonly found: string | undefined
  readonly until: number
}

/** By folder. */
const above = new Map<string, RepositoryAbove>()

/** Finds the folder with HEAD in it: of this folder's repository, or of one that this folder lies in. */
function gitFolder(cwd: string): string | undefined {
  const folder = resolve(cwd)
  const own = gitFolderIn(folder)
  if (own !== undefined) return own
  const known = above.get(folder)
  const now = performance.now()
  if (known !== undefined && now < known.until) return known.found
  const found = gitFolderAbove(folder)
  above.set(folder, { found, until: now + ABOVE_MS })
  return found
}

function gitFolderAbove(below: string): string | undefined {
  for (let folder = below; dirname(folder) !== folder; ) {
    folder = dirname(folder)
    const found = gitFolderIn(folder)
    if (found !== undefined) return found
  }
  return undefined
}

/** Finds it in one folder. In a worktree and in a submodule `.git` is a file that says where the folder is. */
function gitFolderIn(folder: string): string | undefined {
  const path = join(folder, ".git")
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat?.isDirectory()) return path
  if (!stat?.isFile()) return undefined
  const target = gitPointer(readRegularText(path, LONGEST_HEAD) ?? "")
  return target === undefined ? undefined : resolve(folder, target.trim())
}
