import type { Entry, Queued, Session, Signal } from "@sotto/core"

/** Lists what people said that the boundary to come delivers. */
export function dueNow(session: Pick<Session, "due">): readonly Queued[] {
  return session.due().filter(({ origin, hidden }) => origin.kind === "human" && !hidden)
}

/** Lists what was noted of a type so far, without what a rewind took back. */
export function notedIn(log: readonly Entry[], type: string): readonly Signal[] {
  return notedEntries(log, type).map(({ signal }) => signal)
}

type NotedEntry = Entry & { readonly type: "noted" }

function notedEntries(log: readonly Entry[], type: string): NotedEntry[] {
  let noted: NotedEntry[] = []
  for (const entry of log) {
    if (entry.type === "noted" && entry.signal.type === type) noted.push(entry)
    else if (entry.type === "rewound") noted = noted.filter(({ seq }) => seq < entry.step)
    else if (entry.type === "redone") noted = notedEntries(log.slice(0, entry.before), type)
  }
  return noted
}
