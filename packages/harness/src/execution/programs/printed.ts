import type { Environment } from "../../platform/workspace/folders.js"
import { childEnvironment } from "./environment.js"
import { findProgram } from "./find-program.js"
import { startPrinting } from "./start.js"
import { helper } from "./supervise.js"

export interface PrintedLimits {
  /** Bytes that are taken at most. A program that prints more has printed nothing. */
  readonly most: number
  /** Milliseconds that it may take. */
  readonly within: number
}

/**
 * Gives what a program prints, as it is; undefined if it fails, prints too much, or takes too long. The program gets no
 * provider's key.
 */
export async function printedBy(
  argv: readonly [string, ...string[]],
  env: Environment,
  { most, within }: PrintedLimits,
): Promise<Buffer | undefined> {
  const [name, ...args] = argv
  const program = findProgram(name, process.cwd(), env)
  if (program === undefined) return undefined
  const launch = await helper([program, ...args], { cwd: process.cwd(), env })
  return new Promise((resolve) => {
    // Not the platform's own `timeout`: for a program that cannot be started, its timer goes on and holds up the end.
    const signal = AbortSignal.timeout(within)
    const child = startPrinting(launch, { env: childEnvironment(env), signal })
    const pieces: Buffer[] = []
    let size = 0
    child.stdout.on("data", (piece: Buffer) => {
      size += piece.length
      if (size <= most) pieces.push(piece)
      else child.kill()
    })
    child.stderr.resume()
    child.once("error", () => resolve(undefined))
    child.once("close", (code) => resolve(code === 0 && size <= most ? Buffer.concat(pieces) : undefined))
  })
}
