import { existsSync, lstatSync, readFileSync, realpathSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { gitPointer } from "../../workspace/git-pointer.js"
import { isInside } from "../../workspace/location.js"
import type { Place } from "../../workspace/place.js"
import type { Confinement, Reach } from "./sandbox.js"
import { secretPaths } from "./secrets.js"
import { socketPaths } from "./sockets.js"

export interface ConfineOptions {
  readonly reach: Reach
  readonly network: boolean
  /** More to hide: files that the permissions deny. */
  readonly unreadable?: readonly string[]
}

/** Other programs' temporary files and sockets: private, so that nothing there is seen, taken orders from, or left. */
const TEMPORARY = ["/tmp", "/var/tmp", "/run", "/var/run", "/private/tmp", "/private/var/folders"]

/** Files of a workspace from which programs are started later, outside the sandbox. */
const STARTS_PROGRAMS = ["sotto.json", ".sotto", ".mcp.json"]
/** Git runs programs from these, so that one that is made by a command is as bad as one that is changed. */
const FOLDERS_OF_GIT = ["hooks", "modules"]
const OF_GIT = ["hooks", "config", "config.worktree", "modules", "info"]

/** Looks at the machine as it is now. A command is confined anew each time, because files come and go. */
export function confine({ cwd, env }: Place, options: ConfineOptions): Confinement {
  const { reach, network, unreadable = [] } = options
  const temporary = real(TEMPORARY)
  const secrets = real([...secretPaths(env), ...unreadable])
  const hidden = [...new Set([...secrets, ...real(socketPaths())])]
  const git = gitFolders(cwd)
  const wanted = real([...git, ...(network ? ["/etc/resolv.conf"] : [])])
  return {
    cwd,
    reach,
    network,
    temporary,
    hidden,
    // A repository may name any folder as its own, but it brings no secret to light.
    shown: wanted.filter((path) => !secrets.some((secret) => isInside(path, secret))),
    ...(reach === "workspace" ? keptIn(cwd) : { kept: [], barred: [], pinned: [] }),
  }
}

function keptIn(cwd: string): Pick<Confinement, "kept" | "barred" | "pinned"> {
  const git = join(cwd, ".git")
  const isFolder = lstatSync(git, { throwIfNoEntry: false })?.isDirectory() ?? false
  const own = isFolder ? OF_GIT.map((name) => join(git, name)) : [git]
  const kept = [...own, ...STARTS_PROGRAMS.map((name) => join(cwd, name))]
  const folders = isFolder ? FOLDERS_OF_GIT.map((name) => join(git, name)) : []
  return {
    kept: real(kept).filter((path) => isInside(path, cwd)),
    barred: folders.filter((path) => !lstatSync(path, { throwIfNoEntry: false })),
    pinned: isFolder ? [git] : [],
  }
}

/** What exists of the paths, by the names where it really is. */
function real(paths: readonly string[]): readonly string[] {
  const found = paths.flatMap((path) => {
    try {
      return [realpathSync.native(path)]
    } catch {
      return [] // Nothing there, or nothing that we can reach ourselves.
    }
  })
  return [...new Set(found)]
}

/** The repository around the workspace, and the git folders of a linked worktree or submodule, wherever they are. */
function gitFolders(cwd: string): readonly string[] {
  for (let folder = cwd; dirname(folder) !== folder; folder = dirname(folder)) {
    const git = join(folder, ".git")
    const found = lstatSync(git, { throwIfNoEntry: false })
    if (found === undefined || TEMPORARY.includes(folder)) continue
    return found.isDirectory() ? [folder] : [folder, ...linkedGit(git)]
  }
  return []
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
