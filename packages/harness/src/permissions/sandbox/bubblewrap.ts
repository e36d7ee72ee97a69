import { isInside } from "../../workspace/location.js"
import type { Confinement, Sandbox } from "./sandbox.js"

type Mount =
  | { readonly as: "empty" | "read-only" | "writable"; readonly path: string }
  | { readonly as: "hidden"; readonly path: string; readonly isFolder: boolean }

/** Forbids user namespaces inside the sandbox. Versions before 0.8 do not know it, and setuid installations refuse it. */
const NO_NAMESPACES = ["--unshare-user", "--disable-userns"]

/** Settings of the kernel. Root may write them without any capability, and one of them names a program to be run. */
const KERNEL = ["sys", "sysrq-trigger", "irq", "bus", "fs", "scsi", "acpi", "mtrr", "driver", "pressure"].map(
  (name) => `/proc/${name}`,
)

/** The ways to call bubblewrap, the strictest first. */
export function bubblewraps(program: string, isFolder: (path: string) => boolean): readonly Sandbox[] {
  return [NO_NAMESPACES, []].map((namespaces) => ({
    name: "bubblewrap",
    wrap: (command, confinement) => [
      program,
      ...namespaces,
      ...bubblewrapArguments(confinement, isFolder),
      ...["--", "bash", "-c", command],
    ],
  }))
}

/**
 * The file system read-only; on top of it, from the outermost path inwards, what is empty, hidden or writable. No
 * capabilities, because root could remount with them. Its own processes, network and /proc.
 */
export function bubblewrapArguments(
  confinement: Confinement,
  isFolder: (path: string) => boolean,
): readonly string[] {
  const mounts = mountsOf(confinement, isFolder)
  const emptied = mounts.filter((mount) => mount.as === "hidden" && mount.isFolder)
  return [
    ...["--ro-bind", "/", "/"],
    ...["--dev", "/dev"],
    ...["--proc", "/proc"],
    ...KERNEL.flatMap((path) => ["--ro-bind-try", path, path]),
    ...mounts.flatMap(argumentsFor),
    // Where NixOS keeps its programs: a link, which has to be there by its name.
    ...["--ro-bind-try", "/run/current-system", "/run/current-system"],
    // At the end, because bubblewrap first has to make the places for mounts below them.
    ...emptied.flatMap(({ path }) => ["--remount-ro", path]),
    "--unshare-all",
    ...(confinement.network ? ["--share-net"] : []),
    ...["--cap-drop", "ALL"],
    "--die-with-parent",
    // Without a session of its own, a command could type into our terminal.
    "--new-session",
    ...["--setenv", "TMPDIR", "/tmp"],
    ...["--setenv", "XDG_CACHE_HOME", "/tmp/.cache"],
    ...["--chdir", confinement.cwd],
  ]
}

function mountsOf(confinement: Confinement, isFolder: (path: string) => boolean): readonly Mount[] {
  const { cwd, reach, temporary, hidden, shown, kept, barred, pinned } = confinement
  const covers = [...temporary, ...hidden].filter((path) => path !== cwd)
  const isBuried = (path: string) => covers.some((cover) => isInside(path, cover))
  const isSeen = (path: string) =>
    covers.every(
      (cover) => cover === path || !isInside(path, cover) || isShownBelow(path, cover, [cwd, ...shown]),
    )
  const writable = reach === "workspace" ? [cwd, ...pinned] : []
  const readable = [...shown, cwd].filter((path) => isBuried(path) && !writable.includes(path))
  const masks = hidden.filter((path) => path !== cwd && !temporary.includes(path) && isSeen(path))
  const mounts: readonly Mount[] = [
    ...temporary.filter((path) => path !== cwd).map((path): Mount => ({ as: "empty", path })),
    ...readable.map((path): Mount => ({ as: "read-only", path })),
    ...writable.map((path): Mount => ({ as: "writable", path })),
    ...(reach === "workspace" ? kept : []).map((path): Mount => ({ as: "read-only", path })),
    // Bubblewrap makes an empty folder in the workspace for each: git has them as a rule.
    ...barred.map((path): Mount => ({ as: "hidden", path, isFolder: true })),
    ...masks.map((path): Mount => ({ as: "hidden", path, isFolder: isFolder(path) })),
  ]
  return mounts.toSorted(byDepth)
}

/** Whether something between the cover and the path brings the path to light again. */
function isShownBelow(path: string, cover: string, visible: readonly string[]): boolean {
  return visible.some((one) => one !== cover && isInside(one, cover) && isInside(path, one))
}

/** Outer folders first: what lies deeper is mounted over them. At the same path, the mount that was listed last counts. */
function byDepth(one: Mount, other: Mount): number {
  return depth(one.path) - depth(other.path)
}

function depth(path: string): number {
  return path === "/" ? 0 : path.split("/").length
}

function argumentsFor(mount: Mount): readonly string[] {
  const { as, path } = mount
  switch (as) {
    case "empty":
      return ["--tmpfs", path]
    case "hidden":
      // With its device, so that a program that reads its settings there finds none, instead of failing.
      return mount.isFolder ? ["--tmpfs", path] : ["--dev-bind", "/dev/null", path]
    case "read-only":
      return ["--ro-bind", path, path]
    case "writable":
      return ["--bind", path, path]
  }
}
