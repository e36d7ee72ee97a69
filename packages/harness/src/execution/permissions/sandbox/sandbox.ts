import { isInside } from "../../../platform/workspace/location.js"

/** How far a command is confined: it may write nothing, or the workspace only. */
export type Reach = "read-only" | "workspace"

/** What a user or an agent may say about that: "off" confines only what runs unasked. */
export type SandboxSetting = Reach | "off"

/**
 * What a sandboxed command sees of the machine: nothing but what is listed here. Every path exists, is absolute, and
 * contains no link. A path counts more than the folders around it; at the same path the later list counts.
 */
export interface Confinement {
  /** The workspace: where the command runs. */
  readonly cwd: string
  readonly reach: Reach
  readonly network: boolean
  /** True if the whole file system is there, read-only, because the rules allow to read outside the workspace. */
  readonly everything: boolean
  /** Links at the top of the file system, with what they hold: /bin and usr/bin. */
  readonly links: readonly (readonly [path: string, target: string])[]
  /** Folders that are there and hold nothing but what else is listed: the home folder. */
  readonly empty: readonly string[]
  /** Folders that the command gets an empty one of its own for, which it can write: /tmp, /run. */
  readonly temporary: readonly string[]
  /** Files and folders that are there, read-only: the system, toolchains, the workspace. */
  readonly shown: readonly string[]
  /** Folders that can be written. */
  readonly writable: readonly string[]
  /** Parts of these that stay read-only: what starts programs later. */
  readonly kept: readonly string[]
  /** Files and folders that look empty: the store, keys, sockets, what the permissions deny. */
  readonly hidden: readonly string[]
}

/** A way to run commands that cannot change or see more than their confinement says. */
export interface Sandbox {
  readonly name: string
  /** Gives the command line that runs the command with bash inside, and a filter of system calls if it takes one. */
  wrap(
    command: string,
    confinement: Confinement,
  ): { readonly argv: readonly string[]; readonly filter?: Uint8Array }
}

/** True if the confinement shows what is at the path, before anything in it is hidden. */
export function isVisible(path: string, confinement: Omit<Confinement, "hidden">): boolean {
  const { everything, shown, writable, temporary } = confinement
  const deepest = (folders: readonly string[]) =>
    Math.max(-1, ...folders.filter((folder) => isInside(path, folder)).map(({ length }) => length))
  const from = Math.max(deepest([...shown, ...writable]), everything ? 0 : -1)
  return from >= 0 && from >= deepest(temporary)
}
