import type { Entry } from "@sotto/core"
import { type Awaitable, type ProjectRuntime, type SessionSummary, whenThere } from "@sotto/harness"
import { wordsOf } from "../../state/restore.js"
import { duration } from "../../view/look.js"
import { StoredRead } from "../stored-read.js"

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
export function sessionsHere(
  workplace: ProjectRuntime,
  except: string,
  renew: () => void,
): Awaitable<readonly OfferedSession[]> {
  const now = workplace.now()
  return whenThere(workplace.store().list(), (all) =>
    all
      .filter(({ cwd, parent, id }) => cwd === workplace.cwd && parent === undefined && id !== except)
      .filter(({ messages, damaged }) => messages > 0 && damaged === undefined)
      .slice(0, MOST_LISTED)
      .map((summary) => offered(summary, workplace, now, renew)),
  )
}

function offered(
  summary: SessionSummary,
  workplace: ProjectRuntime,
  now: number,
  renew: () => void,
): OfferedSession {
  const { id } = summary
  const log = new StoredRead<readonly Said[]>({
    read: () => whenThere(logOf(workplace, id), saidIn),
    meanwhile: [],
    renew,
    // A session that cannot be read is listed by its id.
    tell: () => {},
  })
  const read = once(() => log.read())
  const said = () => {
    read()
    return log.value
  }
  const own = derived(said, (all) => all.filter(({ by }) => by === "user"))
  return {
    summary,
    get title() {
      return summary.title ?? (own()[0]?.text.trim().split("\n")[0] || id).slice(0, 60)
    },
    age: ago(now - summary.updated),
    words: derived(own, (all) =>
      [summary.title ?? "", summary.summary ?? "", id, ...all.map(({ text }) => text)].join("\n"),
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

/** Makes something of a value, and again only when the value is another. */
function derived<T, U>(from: () => T, make: (value: T) => U): () => U {
  let known: { readonly of: T; readonly made: U } | undefined
  return () => {
    const value = from()
    if (known?.of !== value) known = { of: value, made: make(value) }
    return known.made
  }
}

/** A session that cannot be read is listed by its id: what is wrong with it is said when it is opened. */
function logOf(workplace: ProjectRuntime, id: string): Awaitable<readonly Entry[]> {
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
