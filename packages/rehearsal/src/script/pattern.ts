import type { Pattern } from "./script.js"

/** Makes a test of whether a text matches; undefined if the pattern is not a valid expression. */
export function patternOf(pattern: Pattern): ((text: string) => boolean) | undefined {
  const found = /^\/(.+)\/([a-z]*)$/s.exec(pattern)
  if (found === null) return (text) => text.includes(pattern)
  try {
    const expression = new RegExp(found[1] ?? "", (found[2] ?? "").replace(/[gy]/g, ""))
    return (text) => expression.test(text)
  } catch {
    return undefined
  }
}
