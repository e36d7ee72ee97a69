import type { Readable } from "node:stream"

/** Bytes that a server may send within a minute: more than any needs, and less than would keep this process busy. */
export const MOST_PER_MINUTE = 200_000_000

/** Calls `over` at each chunk that comes after a stream has brought more than it may within a minute. */
export function limitFlow(stream: Readable, over: () => void): void {
  let since = Date.now()
  let bytes = 0
  stream.on("data", (chunk: Buffer) => {
    if (Date.now() - since > 60_000) [since, bytes] = [Date.now(), 0]
    bytes += chunk.length
    if (bytes > MOST_PER_MINUTE) over()
  })
}
