import type { Entry } from "@sotto/core"
import type { ProjectRuntime, SessionSummary } from "@sotto/harness"
import { wordsOf } from "../../state/restore.js"
import { duration } from "../../view/look.js"

/** A stored session as it is offered. What needs its log is read when it is asked for, and once. */
export interface OfferedSession {
  readonly summary: SessionSummary
  readonly title: string
  readonly age: string
  /** Everything in it that can be searched: its title, its id, and what the person has said. */
  readonly words: () => string
  /** How it went: the person's words and the answers, the newest last. */
  readonly preview: () => readonly Said[]
}

interface Said {
  readonly by: "user" | "agent"
  readonly text: string
}

const MOST_LISTED = 200
const MOST_PREVIEWED = 12

/** The other sessions of this directory that have something in them, the newest first. */
export function sessionsHere(workplace: ProjectRuntime, except: string): readonly OfferedSession[] {
  const now = workplace.now()
  return workplace
    .store()
    .list()
    .filter(({ cwd, parent, id }) => cwd === workplace.cwd && parent === undefined && id !== except)
    .filter(({ messages, damaged }) => messages > 0 && damaged === undefined)
    .slice(0, MOST_LISTED)
    .map((summary) => offered(summary, workplace, now))
}

function offered(summary: SessionSummary, workplace: ProjectRuntime, now: number): OfferedSession {
  const { id } = summary
  const said = once(() => saidIn(logOf(workplace, id)))
  const own = once(() => said().filter(({ by }) => by === "user"))
  return {
    summary,
    get title() {
      return summary.title ?? (own()[0]?.text.trim().split("\n")[0] || id).slice(0, 60)
    },
    age: ago(now - summary.updated),
    words: once(() =>
      [summary.title ?? "", summary.summary ?? "", id, ...own().map(({ text }) => text)].join("\n"),
    ),
    preview: () => said().slice(-MOST_PREVIEWED),
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** A session that cannot be read is listed by its id: what is wrong with it is said when it is opened. */
function logOf(workplace: ProjectRuntime, id: string): readonly Entry[] {
  try {
    return workplace.store().load(id)
  } catch {
    return []
  }
}

function saidIn(log: readonly Entry[]): readonly Said[] {
  return log.flatMap((entry): readonly Said[] => {
    if (entry.type === "said")
      return entry.origin.kind === "human" && !entry.hidden
        ? [{ by: "user", text: wordsOf(entry.content) }]
        : []
    if (entry.type !== "replied") return []
    const text = wordsOf(entry.reply.parts).trim()
    return text === "" ? [] : [{ by: "agent", text }]
  })
}

function ago(milliseconds: number): string {
  const days = Math.floor(milliseconds / 86_400_000)
  return days > 0 ? `${days} ${days === 1 ? "day" : "days"} ago` : `${duration(milliseconds / 1000)} ago`
}
