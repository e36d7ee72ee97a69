import type { Word } from "../parse/words.js"

/**
 * What a command does. "confinable": it is there to look but runs code of the workspace or of its tools, so that it
 * counts as reading only where a sandbox confines it.
 */
export type Effect = "read" | "confinable" | "unknown" | "write"

/** What is known of one program call. */
export interface Judgement {
  readonly effect: Effect
  /** Paths it changes, where the program's arguments say so. */
  readonly targets?: readonly Word[]
  /** Files it reads. */
  readonly reads?: readonly ReadPath[]
  /** The command it runs: judged instead. */
  readonly runs?: readonly Word[]
  /** Variables set for the command it runs. */
  readonly assigns?: readonly string[]
  /** The shell script it runs, and whether the shell is one that reads some of bash's syntax otherwise. */
  readonly script?: { readonly source: string; readonly posix: boolean }
  /** It looks at the repository that it is in: programs that the repository names must not run. */
  readonly repository?: boolean
  /** Folders it goes to before it does anything, each from the one before. */
  readonly within?: readonly Word[]
  /** Where it goes: relative paths start there afterwards. */
  readonly enters?: Word
}

export interface ReadPath {
  readonly path: Word
  /** With everything below it. */
  readonly below?: boolean
  /** It may be something else than a path, and counts only if there is such a file. */
  readonly ifThere?: boolean
  /** It starts at the top of the repository that the folder is in. */
  readonly fromTop?: boolean
  /** Links that lie below it are followed. */
  readonly follows?: boolean
  /** A name that the shell completes must not turn out to be an option: the option might name another file. */
  readonly noOption?: boolean
}

export type Program = (args: readonly Word[]) => Judgement

export const reads: Judgement = { effect: "read" }
export const unknown: Judgement = { effect: "unknown" }
export const writes: Judgement = { effect: "write" }

/** Texts of words that are all known, or undefined. */
export function texts(words: readonly Word[]): readonly string[] | undefined {
  const known: string[] = []
  for (const word of words) {
    if (word.kind !== "static") return undefined
    known.push(word.text)
  }
  return known
}

const badness: Readonly<Record<Effect, number>> = { read: 0, confinable: 1, unknown: 2, write: 3 }

export function worse(one: Effect, other: Effect): Effect {
  return badness[one] >= badness[other] ? one : other
}
