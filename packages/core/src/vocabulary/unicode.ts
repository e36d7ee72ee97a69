/** Half of a surrogate pair. */
export const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

const LONE_SURROGATES = new RegExp(LONE_SURROGATE, "g")

/** Replaces halves of surrogate pairs, which providers answer with 400, and counts them. */
export function wellFormed(text: string): { text: string; count: number } {
  let count = 0
  if (!/[\uD800-\uDFFF]/.test(text)) return { text, count }
  const repaired = text.replace(LONE_SURROGATES, () => {
    count++
    return "\uFFFD"
  })
  return { text: repaired, count }
}

/** Replaces them in every text and name of plain data, such as what a model replied. */
export function wellFormedJson<T>(value: T): { value: T; count: number } {
  const json = JSON.stringify(value)
  let count = 0
  // JSON writes a half as an escape and every whole character as it is.
  if (!json.includes("\\ud")) return { value, count }
  const repaired = json.replace(/\\(ud...|.)/g, (written, what: string) => {
    if (what.length === 1) return written
    count++
    return "\uFFFD"
  })
  return { value: JSON.parse(repaired), count }
}
