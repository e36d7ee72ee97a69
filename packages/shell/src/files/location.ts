import { lstatSync, readlinkSync, realpathSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join, parse, relative, sep } from "node:path"

/** A path that leads nowhere: the message says why, and what to do. */
export class PathError extends Error {
  override readonly name = "PathError"
}

/** Where a path leads. */
export interface Location {
  /** Absolute, without links: where a read or write of it really goes. */
  readonly path: string
  /** Relative to the workspace, with slashes; the absolute path where it is outside. What rules are matched with. */
  readonly relative: string
  /** Whether it is in the workspace, by where links and `..` lead. */
  readonly inside: boolean
}

/** Like the kernel, after as many links a path is taken for a circle. */
const mostLinks = 40

/**
 * Finds where a path leads, whether or not anything is there yet. Looks at once: a thread for each look costs many
 * times more.
 */
export async function locate(input: string, cwd: string): Promise<Location> {
  if (input.includes("\0")) throw new PathError("The path contains a NUL byte. Use a path without it.")
  const root = realFolder(cwd)
  const path = follow(expandHome(input), root)
  const below = relative(root, path)
  const inside = below !== ".." && !below.startsWith(`..${sep}`) && parse(below).root === ""
  const shown = below === "" ? "." : below
  return { path, relative: (inside ? shown : path).split(sep).join("/"), inside }
}

const real = new Map<string, string>()

/** Looks a folder up once: a workspace stays where it is while a session works in it. */
function realFolder(cwd: string): string {
  const root = real.get(cwd) ?? realpathSync.native(cwd)
  real.set(cwd, root)
  return root
}

function expandHome(input: string): string {
  return input === "~" || input.startsWith("~/") ? join(homedir(), input.slice(1)) : input
}

/**
 * Follows the links of a path, component by component: `link/..` is the parent of where the link leads, and a link to
 * something that does not exist yet leads there all the same (a write would create it).
 */
export function follow(input: string, start: string): string {
  const absolute = parse(input).root
  let path = absolute === "" ? start : absolute
  const pending = components(input.slice(absolute.length))
  let links = 0
  for (let part = pending.shift(); part !== undefined; part = pending.shift()) {
    if (part === "..") {
      path = dirname(path)
      continue
    }
    const next = join(path, part)
    const target = linkTarget(next)
    if (target === undefined) {
      path = next
      continue
    }
    links += 1
    if (links > mostLinks) throw new PathError(`${input} goes through too many symbolic links.`)
    const root = parse(target).root
    if (root !== "") path = root
    pending.unshift(...components(target.slice(root.length)))
  }
  return path
}

function components(path: string): string[] {
  return path.split(sep === "\\" ? /[\\/]/ : "/").filter((part) => part !== "" && part !== ".")
}

function linkTarget(path: string): string | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    return found?.isSymbolicLink() ? readlinkSync(path) : undefined
  } catch {
    return undefined // Nothing there, or nothing we may look at: the name itself is all there is to judge.
  }
}

/** True if a path is the folder or lies below it. Both without links. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
