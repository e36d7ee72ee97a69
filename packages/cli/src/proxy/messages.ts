import { writeSync } from "node:fs"
import { fileReason, openPrivate } from "@sotto/harness"
import { counted, whole } from "../output/figures.js"
import { oneLine } from "../screen/inert.js"
import { err } from "../screen/printer.js"
import { UsageError } from "../usage.js"
import type { CallTold } from "./analysis/analysis.js"

/** Lines that are kept for the end while the command has the terminal. */
const MOST_KEPT = 40

export function callLine({
  number,
  ms,
  status,
  error,
  seen,
  breaks,
  problem,
  mends,
  fellBack,
}: CallTold): string {
  const time = ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
  const parts = [
    ...(seen === undefined
      ? []
      : [`thread ${seen.thread}, call ${seen.call}${seen.model && `, ${seen.model}`}`]),
    ...(seen?.countsTokens ? ["counts tokens"] : []),
    ...(seen?.tokens === undefined ? [] : [tokensText(seen.tokens)]),
    ...(status !== undefined && status >= 400 ? [`refused with ${status}`] : []),
    ...(error === undefined ? [] : [error.replace(/\.$/, "")]),
    ...(problem === undefined ? [] : [`the request is ${problem}`]),
    ...(mends > 0 ? [`mended in ${counted(mends, "place")}`] : []),
    ...(fellBack === undefined ? [] : ["sent as it came, although there was something to mend"]),
    time,
    ...breaks.map(
      ({ cause, lostTokens, detail }) => `BREAK ${cause}, ${whole(lostTokens)} tokens lost: ${detail}`,
    ),
  ]
  return oneLine(`${number}  ${parts.join("; ")}`)
}

type Tokens = NonNullable<NonNullable<CallTold["seen"]>["tokens"]>

function tokensText({ sent, read, written, reported }: Tokens): string {
  const words = [`${whole(read)} read`, ...(written > 0 ? [`${whole(written)} written`] : [])]
  return `${counted(sent, "token")}, ${words.join(", ")}${reported ? "" : " (predicted)"}`
}

/** Where the proxy's words go while it runs: to standard error, to a file, or nowhere until the terminal is free again. */
export interface ProxyMessages {
  say(line: string): void
  rest(): readonly string[]
}

export function tellingTo(log: string | undefined, isTerminalTaken: boolean): ProxyMessages {
  if (log !== undefined) return toFile(log)
  if (!isTerminalTaken) return { say: (line) => err.line(line), rest: () => [] }
  const kept: string[] = []
  let dropped = 0
  return {
    say: (line) => {
      kept.push(line)
      if (kept.length > MOST_KEPT) {
        kept.shift()
        dropped++
      }
    },
    rest: () => [
      ...(dropped > 0 ? [`(${counted(dropped, "earlier line")} left out: --log FILE keeps them all)`] : []),
      ...kept.splice(0),
    ],
  }
}

function toFile(path: string): ProxyMessages {
  let file: number
  try {
    file = openPrivate(path)
  } catch (error) {
    throw new UsageError(`--log ${path} cannot be written: ${fileReason(error)}`)
  }
  return {
    say: (line) => {
      try {
        writeSync(file, `${line}\n`)
      } catch {
        // Do not disturb the user for a full disk: the findings come at the end all the same.
      }
    },
    rest: () => [],
  }
}
