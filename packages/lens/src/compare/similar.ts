/** Measures how much of two texts is the same at their ends, from 0 to 1. */
export function similarity(a: string, b: string): number {
  const longest = Math.max(a.length, b.length)
  if (longest === 0) return 1
  const start = commonStart(a, b)
  const limit = Math.min(a.length, b.length) - start
  let end = 0
  while (end < limit && a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end)) end++
  return (start + end) / longest
}

export function commonStart(a: string, b: string): number {
  const limit = Math.min(a.length, b.length)
  let i = 0
  while (i < limit && a.charCodeAt(i) === b.charCodeAt(i)) i++
  return i
}
