import type { Aside, AssistantPart, Entry, Session } from "@sotto/core"
import { endOf } from "./endings.js"
import { asidesOf, endingAfter, eventsOf, type HarnessEvent, type TurnEnd } from "./events.js"

/** An entry of a stored session, and the events that a watcher would have heard of it. */
export interface Retold {
  readonly entry: Entry
  readonly events: readonly HarnessEvent[]
}

const UNKNOWN = "It is not known whether this ran: Sotto ended meanwhile."

/**
 * Tells a session again from its log, by the events with which it was told while it went on. What was taken back by a
 * rewind is left out. What the log does not keep is missing: errors, retries, progress.
 */
export function retold(session: Session): readonly Retold[] {
  const ids = callIds(session.log)
  const kept = withoutRewound(session.log)
  const ends = turnEnds(kept, session.isInTurn)
  const asides = grouped(session)
  return kept.map((entry, i) => {
    const told = () => (entry.type === "step" ? (asides.get(`${entry.turn}.${entry.step}`) ?? []) : [])
    const end = ends.get(i)
    return {
      entry,
      events: [
        ...spokenIn(entry, ids),
        ...eventsOf(entry, told),
        ...callsIn(entry, ids),
        ...(end === undefined ? [] : [end]),
      ],
    }
  })
}

function grouped(session: Session): ReadonlyMap<string, readonly Aside[]> {
  const groups = new Map<string, Aside[]>()
  for (const aside of asidesOf(session)) {
    const key = `${aside.turn}.${aside.step}`
    const known = groups.get(key)
    if (known) known.push(aside)
    else groups.set(key, [aside])
  }
  return groups
}

function withoutRewound(log: readonly Entry[]): readonly Entry[] {
  let kept: Entry[] = []
  for (const entry of log) {
    // What was said and not delivered by then still waits.
    if (entry.type === "rewound") kept = kept.filter(({ seq, type }) => seq < entry.step || type === "said")
    else if (entry.type === "redone") {
      const since = kept.filter(({ seq, type }) => seq >= entry.before && type === "said")
      kept = [...withoutRewound(log.slice(0, entry.before)), ...since]
    } else kept.push(entry)
  }
  return kept
}

/** Lists the words of a reply, also of one that was cut short. */
export function spokenIn(entry: Entry, ids: CallIds): readonly HarnessEvent[] {
  const reply =
    entry.type === "replied" ? entry.reply : "interrupts" in entry ? entry.interrupts?.kept : undefined
  if (reply === undefined) return []
  return reply.parts.flatMap((part): HarnessEvent[] => {
    if (part.type === "text" || part.type === "reasoning") return [{ type: part.type, text: part.text }]
    // In a reply that is whole, calls are told after it.
    return entry.type === "replied" || part.type !== "tool-call" ? [] : toolCall(part, ids)
  })
}

export function callsIn(entry: Entry, ids: CallIds): readonly HarnessEvent[] {
  switch (entry.type) {
    case "replied":
      return entry.reply.parts.flatMap((part) => toolCall(part, ids))
    case "recovered":
      return entry.calls.map((id) => ({ type: "tool-result", id, output: UNKNOWN, error: true }))
    default:
      return []
  }
}

function toolCall(part: AssistantPart, ids: CallIds): HarnessEvent[] {
  const id = ids.get(part)
  if (part.type !== "tool-call" || part.unfinished || id === undefined) return []
  return [{ type: "tool-call", id, name: part.name, input: part.input }]
}

export type CallIds = ReadonlyMap<AssistantPart, string>

/** Finds the id that the session goes by for each call: the provider's, unless that is missing or was used before. */
function callIds(log: readonly Entry[]): CallIds {
  const ids = new Map<AssistantPart, string>()
  const taken = new Set<string>()
  for (const entry of log) nameCalls(entry, ids, taken)
  return ids
}

/** Adds the ids of the calls of one more entry. */
export function nameCalls(entry: Entry, ids: Map<AssistantPart, string>, taken: Set<string>): void {
  if (entry.type !== "replied") return
  let count = 0
  for (const part of entry.reply.parts) {
    if (part.type !== "tool-call") continue
    const wanted = part.id.replace(/[^a-zA-Z0-9_-]/g, "_")
    let id = wanted !== "" && !taken.has(wanted) ? wanted : `call-${entry.seq}-${count}`
    while (taken.has(id)) id += "-"
    count++
    taken.add(id)
    ids.set(part, id)
  }
}

function turnEnds(log: readonly Entry[], isInTurn: boolean): ReadonlyMap<number, HarnessEvent> {
  const ends = new Map<number, HarnessEvent>()
  let open: { step: Extract<Entry, { type: "step" }>; place: number; end?: TurnEnd } | undefined
  const close = (end: TurnEnd | undefined) => {
    if (open === undefined) return
    const reason = end ?? open.end ?? endOf(undefined, open.step.last)
    ends.set(open.place, { type: "turn-end", reason, steps: open.step.step })
    open = undefined
  }
  for (const [place, entry] of log.entries()) {
    if (entry.type === "step") {
      if (open?.step.turn !== entry.turn) close(undefined)
      open = { step: entry, place }
    } else if (open && entry.type === "replied")
      open = { ...open, place, end: endOf(entry.reply.stop, open.step.last) }
    else if (open && (entry.type === "result" || entry.type === "recovered")) open = { ...open, place }
    else if (open && entry.type === "aborted") {
      open = { ...open, place }
      close(endingAfter(entry.reason))
    } else if (open && entry.type === "ended") {
      open = { ...open, place }
      close("done")
    }
  }
  if (!isInTurn) close(undefined)
  return ends
}
