/** Only what is UTF-8: a damaged text is said to be damaged, and not shown as another one. */
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder("utf-8", { ignoreBOM: true })

/**
 * Returns the text of a column that was read as `CAST(… AS BLOB)`, or undefined if it is not a text. Texts are always
 * read like this: the SQLite binding ends the process over a text that is not UTF-8.
 */
export function textIn(column: unknown): string | undefined {
  try {
    return column instanceof ArrayBuffer ? strict.decode(column) : undefined
  } catch {
    return undefined
  }
}

/** Returns the same text with a replacement character for every byte that does not belong to a text. */
export function nearestText(column: unknown): string {
  return column instanceof ArrayBuffer ? lenient.decode(column) : ""
}
