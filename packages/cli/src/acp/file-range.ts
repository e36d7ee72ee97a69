import { isAbsolute, relative, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"

export interface Lines {
  readonly from: number
  readonly to: number
}

/** A file, or some of its lines, as an editor names it. */
export interface FileRange {
  /** From the workspace; absolute if it is elsewhere. */
  readonly path: string
  readonly absolute: string
  readonly lines?: Lines
}

/** Reads what a `file:` address names; undefined for any other. `#L10-L20`, `#L10-20` and `#L10:20` are lines. */
export function placeOfUri(uri: string, cwd: string): FileRange | undefined {
  if (!/^file:/i.test(uri)) return undefined
  try {
    const url = new URL(uri)
    const lines = linesOf(url.hash)
    return { ...placeOfPath(fileURLToPath(url), cwd), ...(lines && { lines }) }
  } catch {
    return undefined
  }
}

export function placeOf(pathOrUri: string, cwd: string): FileRange {
  return placeOfUri(pathOrUri, cwd) ?? placeOfPath(pathOrUri, cwd)
}

function placeOfPath(path: string, cwd: string): FileRange {
  const absolute = resolve(cwd, path)
  const inside = relative(cwd, absolute)
  const isOutside = inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)
  return { path: isOutside ? absolute : inside === "" ? "." : inside.split(sep).join("/"), absolute }
}

function linesOf(hash: string): Lines | undefined {
  const [, first, last = first] = /^#L(\d+)(?:[-:]L?(\d+))?$/i.exec(hash) ?? []
  if (first === undefined) return undefined
  const [a, b] = [Number(first), Number(last)]
  return a < 1 || b < 1 ? undefined : { from: Math.min(a, b), to: Math.max(a, b) }
}
