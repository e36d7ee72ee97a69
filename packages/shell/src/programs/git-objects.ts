import { dynamicWord, type Word } from "../parse/words.js"
import type { ReadPath } from "./judgement.js"

const here: Word = { kind: "static", text: ".", source: "." }
/** Anything in the repository. */
export const WHOLE: ReadPath = { path: here, below: true }

export interface Shown {
  /** Whether an object that is named is shown, whatever it is. */
  readonly objects: boolean
  /** Whether a file that is named by its hash is shown even where changes are not. */
  readonly files: boolean
  /** Whether changes are shown with their content. */
  readonly changes: boolean
  /** Whether the input names more. */
  readonly everything: boolean
}

/** Files whose content is shown: `REVISION:PATH`, what follows `--`, operands that may be paths; else everything. */
export function readings(
  operands: readonly Word[],
  paths: readonly Word[],
  shown: Shown,
): readonly ReadPath[] {
  const { objects, changes, everything } = shown
  if (!objects && !changes) return []
  const named = operands.slice(0, operands.length - paths.length)
  const blobs = named.flatMap(pathsIn)
  // Two files of which one is outside are compared as they are, without a word of a repository.
  const files = operands.flatMap((path): readonly ReadPath[] =>
    path.kind === "static" && !path.text.startsWith(":") ? [{ path, below: true, ifThere: true }] : [],
  )
  const found = [...blobs, ...(objects ? files : [])]
  const isFile = shown.files && named.some(mayBeFile)
  if (!changes) return isFile ? [...found, WHOLE] : found
  if (paths.length > 0 && !everything && !isFile) return [...found, ...paths.map(pathspec)]
  const whole = everything || isFile || blobs.length === 0 || named.length > blobs.length
  return whole ? [...found, WHOLE] : found
}

/** Reads what a path may stand for to git: `*` in it is git's own, and `:/` and `:(top)` start elsewhere. */
function pathspec(path: Word): ReadPath {
  if (path.kind !== "static") return { path, below: true }
  if (/^:([!^]|\(exclude\))/.test(path.text) || (!path.text.startsWith(":") && /[*?[\\]/.test(path.text)))
    return WHOLE
  return path.text.startsWith(":") ? { path: dynamicWord(path.source, false) } : { path, below: true }
}

/**
 * Finds the path in `REVISION:PATH`, `:PATH` and `:STAGE:PATH`. `:/TEXT` is a commit that says so, with all its
 * changes.
 */
export function pathsIn(object: Word): readonly ReadPath[] {
  if (object.kind !== "static") return [{ path: object }]
  const { text } = object
  if (text.startsWith(":/")) return [WHOLE]
  const path = /^:[0-3]:/.test(text) ? text.slice(3) : afterRevision(text)
  if (path === undefined) return []
  // Without a dot in front it starts at the top of the repository, from wherever in it.
  return [
    { path: { ...object, text: path || "." }, below: true, ...(!/^\.\.?\//.test(path) && { fromTop: true }) },
  ]
}

/** Gives what follows the first colon that is not part of `@{10:00}` or `^{/fix: x}`. */
function afterRevision(text: string): string | undefined {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]
    if (letter === "{") depth++
    else if (letter === "}") depth = Math.max(0, depth - 1)
    else if (letter === ":" && depth === 0) return text.slice(at + 1)
  }
  return undefined
}

/** True if an object without a path may be a file: one that is named by its hash. */
export function mayBeFile(object: Word): boolean {
  if (object.kind !== "static") return true
  const [, name = ""] = /^\^?([^~^:]*)/.exec(object.text) ?? []
  return afterRevision(object.text) === undefined && /^[\da-f]{4,64}$|-g[\da-f]{4,64}$/i.test(name)
}
