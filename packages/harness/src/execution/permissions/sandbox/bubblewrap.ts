import { statSync } from "node:fs"
import { isInside } from "../../../platform/workspace/location.js"
import { HELPER_LIMITS, type ProgramLimits, withinLimits } from "../../programs/launch.js"
import type { Confinement, Sandbox } from "./sandbox.js"
import { systemCallFilter } from "./system-calls.js"

type Mount =
  | { readonly as: "empty" | "read-only" | "writable"; readonly path: string }
  | { readonly as: "hidden"; readonly path: string; readonly isFolder: boolean }

/** Forbids user namespaces inside the sandbox. Versions before 0.8 do not know it, and setuid installations refuse it. */
const NO_NAMESPACES = ["--unshare-user", "--disable-userns"]

/** Settings of the kernel. Root may write them without any capability, and one of them names a program to be run. */
const KERNEL = ["sys", "sysrq-trigger", "irq", "bus", "fs", "scsi", "acpi", "mtrr", "driver", "pressure"].map(
  (name) => `/proc/${name}`,
)

const GB = 1024 ** 3
/** Bytes in each folder that the command has for itself: they take memory. */
const TEMPORARY_SIZE = 2 * GB
/** What each process of a confined command may use at the most. */
const LIMITS: ProgramLimits = { ...HELPER_LIMITS, file: 8 * GB, processor: 3_600, processes: 8_192 }

/** Where tools write that would write into the home folder or the workspace. */
const ELSEWHERE = {
  TMPDIR: "/tmp",
  XDG_CACHE_HOME: "/tmp/.cache",
  npm_config_cache: "/tmp/.npm",
  npm_config_update_notifier: "false",
}
/** The same for a workspace that cannot be written. */
const ELSEWHERE_READING = {
  CARGO_TARGET_DIR: "/tmp/.target",
  MYPY_CACHE_DIR: "/tmp/.mypy",
  RUFF_CACHE_DIR: "/tmp/.ruff",
  PYTHONDONTWRITEBYTECODE: "1",
}
/** Tools that would wait for a network otherwise. */
const OFFLINE = {
  CARGO_NET_OFFLINE: "true",
  GOPROXY: "off",
  GOTOOLCHAIN: "local",
  npm_config_offline: "true",
}

/** Lists the ways to call bubblewrap, the strictest first. An old one takes no filter and no size of a folder. */
export function bubblewraps(program: string, bash: string): readonly Sandbox[] {
  const ways = [true, false].flatMap((isRecent) =>
    [NO_NAMESPACES, []].map((namespaces) => ({ isRecent, namespaces })),
  )
  return ways.map(({ isRecent, namespaces }) => ({
    name: "bubblewrap",
    wrap: (command, confinement) => {
      const filter = isRecent ? systemCallFilter(confinement.reach) : undefined
      return {
        argv: [
          program,
          ...namespaces,
          ...bubblewrapArguments(confinement, isRecent),
          ...(filter ? ["--seccomp", "3"] : []),
          "--",
          ...withinLimits(LIMITS, [bash, "-c", command]),
        ],
        ...(filter && { filter }),
      }
    },
  }))
}

/**
 * Puts together what the command sees, from the outermost path inwards. No capabilities, because root could remount
 * with them. Its own processes, network and /proc.
 */
export function bubblewrapArguments(
  confinement: Confinement,
  isRecent: boolean,
  isFolder: (path: string) => boolean = isFolderOnDisk,
): readonly string[] {
  const { cwd, everything, links, empty, network, reach } = confinement
  const mounts = mountsOf(confinement, isFolder)
  const emptied = mounts.filter((mount) => mount.as === "hidden" && mount.isFolder)
  const size = isRecent ? ["--size", String(TEMPORARY_SIZE)] : []
  const variables = {
    ...ELSEWHERE,
    ...(reach === "read-only" && ELSEWHERE_READING),
    ...(!network && OFFLINE),
  }
  return [
    ...(everything ? ["--ro-bind", "/", "/"] : []),
    ...["--dev", "/dev"],
    ...["--proc", "/proc"],
    ...KERNEL.flatMap((path) => ["--ro-bind-try", path, path]),
    ...links.filter(([path]) => isAtTop(path)).flatMap(([path, target]) => ["--symlink", target, path]),
    ...mounts.flatMap((mount) => argumentsFor(mount, size)),
    ...empty.flatMap((path) => ["--dir", path]),
    // Where NixOS keeps its programs: a link, which has to be there by its name.
    ...["--ro-bind-try", "/run/current-system", "/run/current-system"],
    ...links.filter(([path]) => !isAtTop(path)).flatMap(([path, target]) => ["--symlink", target, path]),
    // At the end, because bubblewrap first has to make the places for mounts below them.
    ...[...emptied.map(({ path }) => path), ...(everything ? [] : ["/"])].flatMap((path) => [
      "--remount-ro",
      path,
    ]),
    "--unshare-all",
    ...(network ? ["--share-net"] : []),
    ...["--cap-drop", "ALL"],
    "--die-with-parent",
    // Without a session of its own, a command could type into our terminal.
    "--new-session",
    ...Object.entries(variables).flatMap(([name, value]) => ["--setenv", name, value]),
    ...["--chdir", cwd],
  ]
}

function mountsOf(confinement: Confinement, isFolder: (path: string) => boolean): readonly Mount[] {
  const { temporary, shown, writable, kept, hidden } = confinement
  const mounts: readonly Mount[] = [
    ...temporary.map((path): Mount => ({ as: "empty", path })),
    ...shown
      .filter((path) => !isShownAlready(path, confinement))
      .map((path): Mount => ({ as: "read-only", path })),
    ...writable.map((path): Mount => ({ as: "writable", path })),
    ...kept.map((path): Mount => ({ as: "read-only", path })),
    ...hidden.map((path): Mount => ({ as: "hidden", path, isFolder: isFolder(path) })),
  ]
  return mounts.toSorted(byDepth)
}

/** True if the path is there anyway, because the nearest folder around it that is mounted is shown. */
function isShownAlready(path: string, { everything, temporary, shown, writable }: Confinement): boolean {
  const longest = (folders: readonly string[]) =>
    Math.max(-1, ...folders.filter((one) => one !== path && isInside(path, one)).map(({ length }) => length))
  const around = Math.max(longest(shown), everything ? 0 : -1)
  return around > longest([...temporary, ...writable]) && !temporary.includes(path)
}

/**
 * Sorts outer folders first: what lies deeper is mounted over them. At the same path, the mount that was listed last
 * counts.
 */
function byDepth(one: Mount, other: Mount): number {
  return depth(one.path) - depth(other.path)
}

function depth(path: string): number {
  return path === "/" ? 0 : path.split("/").length
}

function isAtTop(path: string): boolean {
  return depth(path) === 2
}

function argumentsFor(mount: Mount, size: readonly string[]): readonly string[] {
  const { as, path } = mount
  switch (as) {
    case "empty":
      return [...size, "--tmpfs", path]
    case "hidden":
      // With its device, so that a program that reads its settings there finds none, instead of failing.
      return mount.isFolder ? ["--tmpfs", path] : ["--dev-bind", "/dev/null", path]
    case "read-only":
      return ["--ro-bind", path, path]
    case "writable":
      return ["--bind", path, path]
  }
}

function isFolderOnDisk(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
