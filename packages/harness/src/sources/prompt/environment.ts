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

/** Finds the folder with HEAD in it. In a worktree and in a submodule `.git` is a file that says where that is. */
function gitFolder(cwd: string): string | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const path = join(folder, ".git")
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat?.isDirectory()) return path
    if (stat?.isFile()) {
      const target = gitPointer(readRegularText(path, LONGEST_HEAD) ?? "")
      if (target !== undefined) return resolve(folder, target.trim())
    }
    if (dirname(folder) === folder) return undefined
  }
}
