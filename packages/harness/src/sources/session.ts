import type { Entry, Queued, Session, Signal } from "@sotto/core"

/** Lists what people said that the boundary to come delivers. */
export function dueNow(session: Pick<Session, "due">): readonly Queued[] {
  return session.due().filter(({ origin, hidden }) => origin.kind === "human" && !hidden)
}

/** Lists what was noted of a type so far, without what a rewind took back. */
export function notedIn(log: readonly Entry[], type: string): readonly Signal[] {
  let noted: { readonly seq: number; readonly signal: Signal }[] = []
  for (const entry of log) {
    if (entry.type === "noted" && entry.signal.type === type) noted.push(entry)
    else if (entry.type === "rewound") noted = noted.filter(({ seq }) => seq < entry.step)
  }
  return noted.map(({ signal }) => signal)
}
