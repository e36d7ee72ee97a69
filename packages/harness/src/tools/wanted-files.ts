import type { Matches } from "../platform/patterns/automaton.js"
import { filePattern, namesHidden, PatternError } from "../platform/patterns/file-pattern.js"
import { ToolError } from "../platform/text/errors.js"

/** Which files a call asks for, and what ripgrep must be told to find them. */
export interface WantedFiles {
  readonly matches: Matches
  readonly args: readonly string[]
}

export function wantedFiles(pattern: string | undefined): WantedFiles {
  if (pattern === undefined) return { matches: () => true, args: [] }
  try {
    return { matches: filePattern(pattern), args: namesHidden(pattern) ? ["--hidden", "--glob=!.git"] : [] }
  } catch (cause) {
    if (cause instanceof PatternError) throw new ToolError(cause.message, { cause })
    throw cause
  }
}
