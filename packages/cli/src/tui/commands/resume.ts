import type { SessionSummary } from "@sotto/harness"
import { wordsOf } from "../state/restore.js"
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
