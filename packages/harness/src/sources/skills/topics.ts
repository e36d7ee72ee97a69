import type { Json } from "@sotto/core"
import { filePattern } from "../../platform/patterns/file-pattern.js"
import type { Skill } from "./skills.js"

/** What a skill is about, as far as it can be told from a path or the input of a call. */
export interface Topics {
  /** By paths as seen from where the agent works and from the project's root, with slashes. */
  hasPath(...paths: readonly string[]): boolean
  hasWord(input: Json): boolean
}

const LONGEST_INPUT = 1_000
const SHORTEST_WORD = 3

/**
 * Collects `paths` and `topics` of the skill; beside them its name, and the kinds of file that its description names.
 */
export function topicsOf({ name, description, paths, topics }: Skill): Topics {
  const kinds = [...description.matchAll(/(?<![\w.*/])\*?\.([a-z][a-z0-9]{1,5})(?![\w.])/gi)].map(
    ([, kind]) => `*.${kind}`,
  )
  const patterns = [...paths, ...kinds].flatMap(usable)
  const words = [name, ...topics].filter(({ length }) => length >= SHORTEST_WORD).map(wordPattern)
  return {
    hasPath: (...seen) => seen.some((path) => patterns.some((matches) => matches(path))),
    hasWord: (input) => textsIn(input).some((text) => words.some((word) => word.test(text))),
  }
}

/** Others' patterns may be no patterns: then they match nothing. */
function usable(pattern: string): readonly ((path: string) => boolean)[] {
  try {
    return [filePattern(pattern)]
  } catch {
    return []
  }
}

/** Matches a topic as a word of its own; "code-review" is also "code review" and "code_review". */
function wordPattern(topic: string): RegExp {
  const source = topic
    .split(/[-_\s]+/)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"))
    .join("[-_\\s]")
  return new RegExp(`(?<![\\p{L}\\p{N}])${source}(?![\\p{L}\\p{N}])`, "iu")
}

/** Paths, patterns and commands; whole contents of files are not what a call is about. */
function textsIn(input: Json): readonly string[] {
  if (typeof input === "string") return input.length <= LONGEST_INPUT ? [input] : []
  if (input === null || typeof input !== "object") return []
  return Object.values(input).flatMap((inner: Json) => textsIn(inner))
}
