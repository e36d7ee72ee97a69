/** What a log could name a text by: its hash, as a string of its own. */
const NAMES = /"([\w+/=-]{16,200})"/g

/** Finds everything in a line of a log that may be the hash of a text. */
export function* namesIn(line: string): Generator<string> {
  for (const [, name] of line.matchAll(NAMES)) if (name !== undefined) yield name
}
