import { Left } from "../exit.js"
import { out } from "../screen/printer.js"

/**
 * A line that is typed or pasted and not shown, such as a key. Undefined if the person ends the input without one.
 * Ctrl+C throws Left.
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
