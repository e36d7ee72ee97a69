import { createInterface } from "node:readline"
import type { TrustQuestion } from "@sotto/harness"
import { Left } from "../exit.js"
import { questionLines } from "../output/trust.js"
import { out } from "../screen/printer.js"
import { onTypedLine } from "./input.js"
import { ARMING } from "./line-questions.js"

/** The one answer that means yes: a word that the user does not type by accident. */
const YES = "trust"
const PROMPT = `Type "${YES}" to trust it, or press Enter to go on without these: `

/**
 * Asks in a terminal, a line at a time. Only a line counts whose first key came after the question was shown. Any line
 * but the one word goes on without, and so does the end of input. Ctrl+C throws Left.
 */
export async function askForTrust(question: TrustQuestion): Promise<boolean> {
  const answer = await answerTyped(() => {
    for (const line of questionLines(question)) out.line(line)
  })
  const isTrusted = answer.trim().toLowerCase() === YES
  out.line(isTrusted ? "Trusted." : "Not now: all of that is left out.")
  return isTrusted
}

function answerTyped(pose: () => void): Promise<string> {
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
      () => createInterface({ input: stdin, output: stdout, prompt: "" }),
      take,
    )
    const ready = () => {
      stdin.removeListener("data", arm)
      if (reader.line !== "") discard(reader)
      pose()
      reader.setPrompt(PROMPT)
      reader.prompt()
      readyAt = performance.now()
    }
    // The question appears once the user has not typed for a while. What waited in the terminal is read by then, and a
    // person who is in the middle of a line does not answer with the rest of it.
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
