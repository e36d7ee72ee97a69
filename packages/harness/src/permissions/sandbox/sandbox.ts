/** How far a command is confined: it may write nothing, or the workspace only. */
export type Reach = "read-only" | "workspace"

/** What a user or an agent may say about that: "off" confines nothing. */
export type SandboxSetting = Reach | "off"

/** What a sandboxed command sees of the machine. Every path exists, is absolute, and contains no link. */
export interface Confinement {
  /** The workspace: where the command runs. */
  readonly cwd: string
  readonly reach: Reach
  readonly network: boolean
  /** Folders that the command gets an empty one of its own for: /tmp, /run. */
  readonly temporary: readonly string[]
  /** Files and folders that look empty: the store, keys, sockets, what the permissions deny. */
  readonly hidden: readonly string[]
  /** Paths that stay visible, read-only, although they lie in a temporary folder. */
  readonly shown: readonly string[]
  /** Paths of the workspace that stay read-only although the workspace may be written. */
  readonly kept: readonly string[]
  /** Folders of the workspace that do not exist and must not come to be with something in them. */
  readonly barred: readonly string[]
  /** Folders that may be written but neither moved nor replaced, because something in them is kept. */
  readonly pinned: readonly string[]
}

/** A way to run commands that cannot change or see more than their confinement says. */
export interface Sandbox {
  readonly name: string
  /** Program and arguments that run the command with bash inside. */
  wrap(command: string, confinement: Confinement): readonly string[]
}
