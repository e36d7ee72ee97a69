import type { Word } from "./words.js"

/** One simple command of a script, wherever in it. */
export interface SimpleCommand {
  readonly text: string
  readonly words: readonly Word[]
  /** Names that get a value: before the command for it alone, without a command for all that follow. */
  readonly assigns: readonly string[]
  readonly redirects: readonly Redirect[]
  /** Operands of a test, which may be files. */
  readonly tested?: readonly Word[]
  /** Runs any number of times or later: in a loop or a function. */
  readonly repeated: boolean
  /** Why it cannot be judged. */
  readonly doubt?: string
}

export interface Redirect {
  /** `open file`: writes to one that is open already, by its name under /dev. */
  readonly use: "none" | "reads" | "writes" | "open file" | "unknown"
  readonly target: Word | undefined
}

/** What cannot be parsed, in words. */
export class Unparsable extends Error {
  override readonly name = "Unparsable"
}
