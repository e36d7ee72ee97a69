import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** What a figure measures: the code of all packages, without their tests. */
const FOLDERS = ["src", "bin"]
const DIGITS = 10

/**
 * Digests the packages' code as it is on the disk. It is made of what git calls the files, so that a commit's digest can be
 * compared with it, and needs no history: it is the same in a shallow clone and after a rebase.
 */
export function digestOfTree(root: string): string {
  const packages = join(root, "packages")
  const files = readdirSync(packages).flatMap((name) =>
    FOLDERS.flatMap((folder) => {
      const within = join(packages, name, folder)
      if (!existsSync(within)) return []
      return readdirSync(within, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name: file }) => join(parentPath, file))
    }),
  )
  return digestOf(
    files.map((file) => [file.slice(root.length).replace(/^\//, ""), blobOf(readFileSync(file))]),
  )
}

/** Digests the same files at a commit; undefined if this clone does not have it, or git is missing. */
export function digestOfCommit(root: string, commit: string): string | undefined {
  const listed = git(root, ["ls-tree", "-r", commit, "packages/"])
  if (listed === undefined) return undefined
  const files = listed.split("\n").flatMap((line): [string, string][] => {
    const [, blob = "", path = ""] = /^\d+ blob ([0-9a-f]+)\t(.*)$/.exec(line) ?? []
    return new RegExp(`^packages/[^/]+/(?:${FOLDERS.join("|")})/`).test(path) ? [[path, blob]] : []
  })
  return digestOf(files)
}

/** Reads the version of the command at a commit; undefined if this clone does not have it. */
export function versionOfCommit(root: string, commit: string): string | undefined {
  const file = git(root, ["show", `${commit}:packages/cli/package.json`])
  return file === undefined ? undefined : (JSON.parse(file) as { version: string }).version
}

/** Names the commit that the packages' code is of; undefined if there is none, or the code has changes since. */
export function commitOfTree(root: string): string | undefined {
  const commit = git(root, ["rev-parse", "--short=7", "HEAD"])?.trim()
  return commit !== undefined && digestOfCommit(root, commit) === digestOfTree(root) ? commit : undefined
}

function git(root: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync("git", args, {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: 2 ** 26,
    })
  } catch {
    return undefined
  }
}

function digestOf(files: readonly (readonly [path: string, blob: string])[]): string {
  const lines = files.map(([path, blob]) => `${blob} ${path}`).toSorted()
  return createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, DIGITS)
}

function blobOf(content: Buffer): string {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex")
}
