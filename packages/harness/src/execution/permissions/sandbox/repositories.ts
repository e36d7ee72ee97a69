import { existsSync, lstatSync, readFileSync, renameSync, type Stats } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { gitPointer } from "@sotto/shell/git"
import { foldersBelow } from "../../../platform/workspace/walk.js"

/** Parts of a git folder by which git starts programs, or is sent to another folder that names some. */
export const PROGRAMS_OF_GIT = [
  ...["hooks", "config", "config.worktree", "modules", "info", "worktrees", "commondir"],
  ...["objects/info/alternates", "objects/info/http-alternates"],
]

/** Folders that are no repository's, whatever lies in them. */
const ANYBODYS = ["/tmp", "/var/tmp", "/run", "/var/run", "/private/tmp"]
/** Folders that are looked into at most. */
const MOST_FOLDERS = 200_000
const DISARMED = "made-in-sandbox"

/** Finds the repository that a folder is in, with its git folders, which lie elsewhere for a linked worktree. */
export function repositoryAround(
  cwd: string,
): { readonly root: string; readonly git: readonly string[] } | undefined {
  for (let root = cwd; dirname(root) !== root; root = dirname(root)) {
    const git = join(root, ".git")
    const found = lstatSync(git, { throwIfNoEntry: false })
    if (found === undefined || ANYBODYS.includes(root)) continue
    return { root, git: found.isDirectory() ? [git] : [git, ...linkedGit(git)] }
  }
  return undefined
}

function linkedGit(file: string): readonly string[] {
  const named = gitPointer(lineOf(file) ?? "")
  if (named === undefined) return []
  const folder = resolve(dirname(file), named)
  const common = lineOf(join(folder, "commondir"))
  const all = common === undefined ? [folder] : [folder, resolve(folder, common)]
  return all.filter((one) => existsSync(join(one, "HEAD")))
}

function lineOf(file: string): string | undefined {
  try {
    if (!lstatSync(file).isFile()) return undefined
    return readFileSync(file, "utf8").split("\n")[0]?.trim()
  } catch {
    return undefined
  }
}

/** What makes git obey a folder, by the path: a `.git`, the HEAD of a bare repository, a part that was added to a `.git`. */
export type GitMarks = ReadonlyMap<string, string>

/**
 * Finds everything in a workspace that makes git obey a folder. What a confined command adds to it would start programs
 * outside the sandbox, the next time that git runs there.
 */
export async function gitMarksIn(cwd: string): Promise<GitMarks> {
  const marks = new Map<string, string>()
  const enters = (name: string) => !isGit(name)
  for await (const { folder, entries } of foldersBelow(cwd, { most: MOST_FOLDERS, enters })) {
    const names = new Set(entries.map(({ name }) => name))
    const isBare = names.has("HEAD") && names.has("objects") && names.has("refs")
    if (isBare) mark(marks, join(folder, "HEAD"))
    for (const name of names) if (isGit(name)) markRepository(marks, join(folder, name))
  }
  return marks
}

/** Names of paths in the marks that are git folders, or files that lead to one. */
export function repositoriesOf(marks: GitMarks): readonly string[] {
  return [...marks.keys()].filter((path) => isGit(basename(path)))
}

/** Renames what was added since, so that git takes it for nothing. Returns what it renamed, relative to the workspace. */
export async function disarm(cwd: string, before: GitMarks): Promise<readonly string[]> {
  const known = new Set(before.values())
  const added = [...(await gitMarksIn(cwd))].filter(([path, id]) => before.get(path) !== id && !known.has(id))
  const renamed: string[] = []
  for (const [path] of added) {
    if (!lstatSync(path, { throwIfNoEntry: false })) continue
    renameSync(path, freeName(`${path}.${DISARMED}`))
    renamed.push(relative(cwd, path))
  }
  return renamed
}

/** Ignores case: some file systems do not tell capitals apart, and git takes `.GIT` for `.git` there. */
function isGit(name: string): boolean {
  return name.toLowerCase() === ".git"
}

function markRepository(marks: Map<string, string>, git: string): void {
  mark(marks, git)
  for (const part of PROGRAMS_OF_GIT) mark(marks, join(git, part))
}

/** Files are told apart by what they are on disk: a folder that was moved brings its repository along. */
function mark(marks: Map<string, string>, path: string): void {
  let found: Stats | undefined
  try {
    found = lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return // What is above it is no folder.
  }
  if (found !== undefined) marks.set(path, `${found.dev}:${found.ino}:${found.mode >> 12}`)
}

function freeName(path: string): string {
  let name = path
  for (let count = 2; lstatSync(name, { throwIfNoEntry: false }); count++) name = `${path}-${count}`
  return name
}
