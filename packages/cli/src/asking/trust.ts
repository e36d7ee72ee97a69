import { createInterface } from "node:readline"
import type { TrustQuestion } from "@sotto/harness"
import { Left } from "../leaving.js"
import { questionLines } from "../output/trust.js"
import { out } from "../screen/printer.js"
import { ARMING } from "./line-asking.js"
import { onTypedLine } from "./typed-lines.js"

/** The one answer that means yes: nobody types it by accident. */
const YES = "trust"
const PROMPT = `Type "${YES}" to trust it, or press Enter to go on without these: `

/**
 * Asks in a terminal, a line at a time. Only a line counts whose first key came after the prompt was shown. Any line but
 * the one word goes on without, and so does the end of input. Ctrl+C throws Left.
 */
export async function askForTrust(question: TrustQuestion): Promise<boolean> {
  for (const line of questionLines(question)) out.line(line)
  const isTrusted = (await answerTyped()).trim().toLowerCase() === YES
  out.line(isTrusted ? "Trusted." : "Not now: all of that is left out.")
  return isTrusted
}

function answerTyped(): Promise<string> {
  const { stdin, stdout } = process
  return new Promise((resolve, reject) => {
    let readyAt: number | undefined
    let timer: NodeJS.Timeout | undefined
    const take = (line: string, begun: number) => {
      if (readyAt === undefined || begun < readyAt) return
      resolve(line)
      reader.close()
    }
    const reader = onTypedLine(
      stdin,
      () => createInterface({ input: stdin, output: stdout, prompt: PROMPT }),
      take,
    )
    const ready = () => {
      stdin.removeListener("data", arm)
      discard(reader)
      out.line()
      reader.prompt()
      readyAt = performance.now()
    }
    // Every key before the prompt starts the wait again: a person who is still typing has not read the question. What
    // waited in the terminal is read in the turn of the event loop after that.
    const arm = () => {
      clearTimeout(timer)
      timer = setTimeout(() => setImmediate(ready), ARMING)
    }
    stdin.on("data", arm)
    arm()
    reader.once("SIGINT", () => {
      reject(new Left())
      reader.close()
    })
    reader.once("close", () => {
      clearTimeout(timer)
      stdin.removeListener("data", arm)
      resolve("")
    })
  })
}

/** Empties the line that was begun before it could be an answer. */
function discard(reader: ReturnType<typeof createInterface>): void {
  reader.write(null, { ctrl: true, name: "e" })
  reader.write(null, { ctrl: true, name: "u" })
}
