/** What a program does, as far as can be told without running it. */
export type RunEffect = "read" | "write" | "unknown"

/** A command that the line runs: each simple command of it, and each command that such a command runs. */
export interface ProgramRun {
  /** Tells the kinds of touches apart. */
  readonly is: "run"
  /** The words as the program gets them, with single spaces: `\rm  'x'` is `rm x`. */
  readonly command: string
  /** What it does. `unknown` stands for anything. */
  readonly effect: RunEffect
  /**
   * True if the command is there to look but runs code of the workspace or of its tools (`tsc --noEmit`, `npm ls`): it
   * counts as reading where a sandbox confines it.
   */
  readonly confinable?: true
  /** False if a part of the command is known only when it runs. */
  readonly exact?: false
  /** What the command may turn out to be, with `*` for what is not known. Compare it with `overlap` of `@sotto/shell/patterns`. */
  readonly perhaps?: readonly string[]
  /** The part of the line that says so. */
  readonly part: string
}

/** Where a path lies, links followed. `anywhere`: it is known only when the command runs. */
export type PathReach = "inside" | "outside" | "anywhere"

/** A file or folder that the line reads. */
export interface FileRead {
  /** Tells the kinds of touches apart. */
  readonly is: "read"
  /** The path, links followed: relative to the folder if it is inside, as it is written if it may be anywhere. */
  readonly path: string
  /** Where the path lies. */
  readonly reach: PathReach
  /** True if everything below the path may be read too. */
  readonly below?: true
  /** False if the path is known only in part: a name that the shell completes, a variable. */
  readonly exact?: false
  /** Paths that may be read, with `*` for what is not known. Compare them with `overlap` of `@sotto/shell/patterns`. */
  readonly perhaps?: readonly string[]
  /** The part of the line that says so. */
  readonly part: string
}

/** A file or folder that the line changes, makes or removes. */
export interface FileWrite {
  /** Tells the kinds of touches apart. */
  readonly is: "write"
  /** The path, links followed: relative to the folder if it is inside, as it is written if it may be anywhere. */
  readonly path: string
  /** Where the path lies. */
  readonly reach: PathReach
  /** The part of the line that says so. */
  readonly part: string
}

/** A folder outside the given one that the line goes to, or may go to. */
export interface FolderVisit {
  /** Tells the kinds of touches apart. */
  readonly is: "visit"
  /** The folder, or the word as it is written if the folder is known only when the line runs. */
  readonly path: string
  /** False if the folder is known only when the line runs. */
  readonly exact?: false
  /** The part of the line that says so. */
  readonly part: string
}

/** Anything that the line touches. */
export type CommandTouch = ProgramRun | FileRead | FileWrite | FolderVisit

/** A command that talks to another machine, by what its program is for. */
export interface NetworkUse {
  /** The program that talks, or `bash` itself for `/dev/tcp`. */
  readonly program: string
  /** The host or the remote, if the words name it. */
  readonly to?: string
  /** The part of the line that says so. */
  readonly part: string
}

/** Something in the line that cannot be told without running it. */
export interface Doubt {
  /** What makes it doubtful, in words. */
  readonly why: string
  /** The part of the line that is doubtful. */
  readonly part: string
}
