import { readFileSync } from "node:fs"

interface Line {
  readonly request: { readonly body: string }
  readonly sent?: { readonly body: string }
}

/** How many of the bodies that a server received are not in a recording, byte for byte, as what was sent. */
export function differing(received: readonly string[], file: string): number {
  const sent = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line)
    .map((line) => (line.sent ?? line.request).body)
  return received.filter((body) => !sent.includes(body)).length
}
