import { UsageError } from "../usage.js"

const MB = 1024 * 1024

/** Reads standard input to its end, up to a limit: what a person or a program sends by mistake may have none. */
export async function standardInput(what: string, most = 16 * MB): Promise<string> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of process.stdin as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > most)
      throw new UsageError(`${what} on standard input has more than ${most / MB} MB, which is the limit.`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString("utf8")
}
