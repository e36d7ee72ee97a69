import type { Interface } from "node:readline"
import { Left } from "../exit.js"
import { out } from "../screen/printer.js"
import { UsageError } from "../usage.js"

/**
 * When each line was begun. A person who was already typing as a question appeared had not read it, and what waited in
 * the terminal was typed earlier still.
 */
export class TypedLines {
  #begun = 0
  #arrived = 0

  /** Expects to be called before the reader gets the keys: `line` is what the reader holds of the line so far. */
  arrived(line: string, now: number): void {
    if (line === "") this.#begun = now
    this.#arrived = now
  }

  /** Returns when the first key of the completed line came. The next line may have come with the same keys. */
  completed(): number {
    const begun = this.#begun
    this.#begun = this.#arrived
    return begun
  }
}

/** Hears of every line that is typed, with the time at which its first key came. */
export function onTypedLine(
  stdin: NodeJS.ReadStream,
  open: () => Interface,
  take: (line: string, begun: number) => void,
): Interface {
  const typed = new TypedLines()
  let reader: Interface | undefined
  // Before the reader, whose own listener takes the keys.
  const hear = () => typed.arrived(reader?.line ?? "", performance.now())
  stdin.on("data", hear)
  reader = open()
  reader.once("close", () => stdin.removeListener("data", hear))
  reader.on("line", (line) => take(line, typed.completed()))
  return reader
}

/**
 * Reads a line that is typed or pasted and not shown, such as a key. Undefined if the person ends the input without
 * one. Ctrl+C throws Left.
 */
export async function hiddenLine(prompt: string): Promise<string | undefined> {
  const { stdin } = process
  stdin.setRawMode(true)
  stdin.setEncoding("utf8")
  out.print(prompt)
  try {
    return await new Promise<string | undefined>((resolve, reject) => {
      let line = ""
      const done = (settle: () => void) => {
        stdin.off("data", hear)
        stdin.off("end", end)
        settle()
      }
      const end = () => done(() => resolve(undefined))
      const hear = (chunk: string) => {
        // Some terminals mark what is pasted, asked to or not.
        for (const character of PASTE_MARKS.reduce((text, mark) => text.replaceAll(mark, ""), chunk)) {
          if (character === "\r" || character === "\n") return done(() => resolve(line))
          if (character === "\u0003") return done(() => reject(new Left()))
          if (character === "\u0004" && line === "") return end()
          if (character === "\u0015") line = ""
          else if (character === "\u007f" || character === "\b") line = line.slice(0, -1)
          else line += character
        }
      }
      stdin.on("data", hear)
      stdin.once("end", end)
      stdin.resume()
    })
  } finally {
    stdin.pause()
    stdin.setRawMode(false)
    out.line()
  }
}

const PASTE_MARKS = ["\u001b[200~", "\u001b[201~"]

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
