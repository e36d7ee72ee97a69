import { createInterface } from "node:readline"
import { printable, type Trust, type TrustChange, type TrustItem, type TrustQuestion } from "@sotto/harness"
import { out } from "../screen/printer.js"

/** The one answer that means yes: nobody types it by accident, nor before they have read the question. */
const YES = "trust"

/** One thing that needs trust, on one line. Its fields hold no character that could hide something. */
export function itemText({ what, where, detail }: TrustItem): string {
  return `${what} (${where}): ${detail}`
}

/** What a run without anybody to ask has left out. */
export function leftOutLines({ leftOut, changes }: Pick<Trust, "leftOut" | "changes">): readonly string[] {
  if (leftOut.length === 0) return []
  const why = changes === undefined ? "is not trusted" : "has changed since you trusted it"
  return [
    `sotto: this folder ${why}. Left out:`,
    ...leftOut.map((item) => `  ${itemText(item)}`),
    "`sotto trust add` trusts the folder; --trust or SOTTO_TRUST=1 does so for one run.",
  ]
}

/** What somebody is asked before anything of the folder takes effect. */
export function questionLines({ folder, items, changes }: TrustQuestion): readonly string[] {
  const head = `Do you trust ${printable(folder)}?`
  if (changes === undefined)
    return [
      head,
      "It brings along what takes effect only if you do:",
      ...items.map((item) => `  ${itemText(item)}`),
    ]
  return [
    head,
    "You trusted it before. What it brings along has changed since:",
    ...changes.flatMap(changeLines),
    "What takes effect in all:",
    ...items.map((item) => `  ${itemText(item)}`),
  ]
}

function changeLines({ is, item, before }: TrustChange): readonly string[] {
  switch (is) {
    case "new":
      return [`  + ${itemText(item)}`]
    case "gone":
      return [`  - ${itemText(item)}`]
    case "changed":
      return [...(before ? [`  - ${itemText(before)}`] : []), `  + ${itemText(item)}`]
  }
}

/** Asks in a terminal, a line at a time. Anything but the one word goes on without, and so does the end of input. */
export async function askInLines(question: TrustQuestion): Promise<boolean> {
  for (const line of questionLines(question)) out.line(line)
  const reader = createInterface({ input: process.stdin, output: process.stdout })
  try {
    const answer = await new Promise<string>((resolve) => {
      reader.once("close", () => resolve(""))
      reader.once("SIGINT", () => resolve(""))
      reader.question(`Type "${YES}" and Enter to trust it; Enter goes on without: `, resolve)
    })
    const isTrusted = answer.trim().toLowerCase() === YES
    out.line(isTrusted ? "Trusted." : "Not now: all of that is left out.")
    return isTrusted
  } finally {
    reader.close()
  }
}
