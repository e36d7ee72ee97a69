import { writeFileSync } from "node:fs"
import { resolve } from "node:path"
import type { Message } from "@sotto/core"
import type { SessionSummary } from "@sotto/harness"
import { itemsOf, wordsOf } from "../state/restore.js"
import { duration } from "../view/look.js"
import type { Around, Command } from "./command.js"

const MOST_LISTED = 200

export const resume: Command = {
  name: "resume",
  argument: "[ID]",
  help: "go on with another session of this directory",
  run: async (around, argument) => {
    const chosen = argument === "" ? await choose(around) : argument
    if (chosen !== undefined) await around.openSession(chosen)
  },
}

async function choose({ workplace, talk, pick, say }: Around): Promise<string | undefined> {
  const here = workplace
    .store()
    .list()
    .filter(
      ({ cwd, parent, id }) => cwd === workplace.cwd && parent === undefined && id !== talk().session.id,
    )
    .filter(({ messages, damaged }) => messages > 0 && damaged === undefined)
    .slice(0, MOST_LISTED)
  if (here.length === 0) {
    say("There is no other session of this directory.")
    return undefined
  }
  const now = workplace.now()
  return pick(
    "Go on with",
    here.map((one) => ({
      value: one.id,
      label: labelOf(one, workplace),
      detail: `${ago(now - one.updated)}, ${one.messages} messages`,
    })),
  )
}

function labelOf({ id, title }: SessionSummary, workplace: Around["workplace"]): string {
  if (title !== undefined) return title
  const first = firstSaid(id, workplace)
  const words = first?.type === "said" ? wordsOf(first.content).trim().split("\n")[0] : ""
  return (words || id).slice(0, 60)
}

/** A session that cannot be read is listed by its id: what is wrong with it is said when it is opened. */
function firstSaid(id: string, workplace: Around["workplace"]) {
  try {
    return workplace
      .store()
      .load(id)
      .find((entry) => entry.type === "said")
  } catch {
    return undefined
  }
}

function ago(milliseconds: number): string {
  const days = Math.floor(milliseconds / 86_400_000)
  return days > 0 ? `${days} days ago` : `${duration(milliseconds / 1000)} ago`
}

export const clear: Command = {
  name: "clear",
  help: "begin a new session; this one stays stored",
  run: (around) => around.openSession(),
}

export const exportSession: Command = {
  name: "export",
  argument: "[FILE]",
  help: "write the session to a file: Markdown if it ends in .md, else the log, one entry a line",
  run: ({ talk, workplace, say }, argument) => {
    const { session } = talk()
    const name = argument === "" ? `sotto-${session.id.slice(0, 8)}.md` : argument
    const path = resolve(workplace.cwd, name)
    const text = name.endsWith(".md")
      ? markdownOf(session.view())
      : `${workplace.store().exportJsonl(session.id).join("\n")}\n`
    // Somebody's file is not overwritten by a name that was chosen in passing.
    writeFileSync(path, text, { flag: argument === "" ? "w" : "wx" })
    say(`written to ${path}`)
  },
}

function markdownOf(view: readonly Message[]): string {
  const parts = itemsOf(view).map((item) => {
    if (item.is === "user") return `## ${item.text.replaceAll("\n", "\n## ")}`
    if (item.is === "text") return item.text
    if (item.is !== "call") return ""
    const { name, input, output } = item.call
    const fence = "`".repeat(Math.max(3, ...[...output.matchAll(/`+/g)].map(([run]) => run.length + 1)))
    return `${fence}\n${name} ${JSON.stringify(input)}\n\n${output}\n${fence}`
  })
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`
}
