import { type IndexedPath, lettersOf } from "./file-index.js"

/** Finds the best matches for what was typed, best first. Empty: what stands at the top. */
export function ranked(query: string, paths: readonly IndexedPath[], most: number): readonly IndexedPath[] {
  const wanted = query.toLowerCase()
  if (wanted === "")
    return paths
      .filter(({ path }) => isAtTop(path))
      .sort(byPath)
      .slice(0, most)
  const letters = lettersOf(wanted)
  const best: { readonly one: IndexedPath; readonly score: number }[] = []
  let worst = Number.NEGATIVE_INFINITY
  for (const one of paths) {
    if ((one.letters & letters) !== letters) continue
    const score = scoreOf(wanted, one.lower)
    if (score === undefined || (best.length >= most * 4 && score <= worst)) continue
    best.push({ one, score })
    if (best.length >= most * 8) {
      best.sort((a, b) => b.score - a.score)
      best.length = most * 4
      worst = best.at(-1)?.score ?? worst
    }
  }
  return best
    .sort((a, b) => b.score - a.score || byPath(a.one, b.one))
    .slice(0, most)
    .map(({ one }) => one)
}

/** Scores a path: higher is better; undefined if the letters do not occur in this order. */
export function scoreOf(wanted: string, path: string): number | undefined {
  const name = path.lastIndexOf("/", path.length - 2) + 1
  const whole = path.lastIndexOf(wanted)
  if (whole >= 0) {
    const isStart = whole === 0 || isBreak(path.charCodeAt(whole - 1))
    const inName = whole >= name || whole + wanted.length > name
    const isAll =
      whole === name && (whole + wanted.length === path.length || path[whole + wanted.length] === ".")
    return 1_000 + (inName ? 500 : 0) + (isStart ? 200 : 0) + (isAll ? 300 : 0) - path.length
  }
  return scatteredScore(wanted, path, name)
}

/**
 * Matches from the end, so that the name of the file counts before its folders; by codes, because it is most of the
 * work.
 */
function scatteredScore(wanted: string, path: string, name: number): number | undefined {
  let score = -path.length / 4
  let run = 0
  let last = path.length
  let left = wanted.length - 1
  for (let at = path.length - 1; at >= left; at--) {
    if (path.charCodeAt(at) !== wanted.charCodeAt(left)) continue
    run = at === last - 1 ? run + 1 : 0
    const isStart = at === 0 || isBreak(path.charCodeAt(at - 1))
    score += run * 8 + (at >= name ? 6 : 0) + (isStart ? 12 : 0)
    if (left-- === 0) return score
    last = at
  }
  return undefined
}

function isBreak(code: number): boolean {
  return code === 47 || code === 46 || code === 95 || code === 45 || code === 32
}

function isAtTop(path: string): boolean {
  const slash = path.indexOf("/")
  return slash < 0 || slash === path.length - 1
}

function byPath(a: IndexedPath, b: IndexedPath): number {
  return a.path < b.path ? -1 : 1
}
