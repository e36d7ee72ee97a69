import type { Entry } from "@sotto/core"
import type { Append, LeaseChange } from "./history.js"
import type { SeenRequest } from "./model.js"

/** What a command wrote down: that it began or ended. */
export interface Effect {
  readonly life: string
  readonly message: string
  readonly call: string
  readonly is: "begun" | "ended"
  readonly at: number
}

interface StormSession {
  readonly id: string
  /** What the storm calls it: "s3". */
  readonly name: string
  /** Ids of the messages that somebody has a receipt for, in the order in which they were posted. */
  readonly posted: readonly string[]
  readonly log: readonly Entry[]
}

/** Everything that a storm leaves behind. */
export interface Record {
  readonly sessions: readonly StormSession[]
  readonly requests: readonly SeenRequest[]
  readonly effects: readonly Effect[]
  readonly leases: readonly LeaseChange[]
  readonly appends: readonly Append[]
}

export interface Findings {
  /** What must not be. */
  readonly faults: readonly string[]
  readonly figures: {
    readonly messages: number
    readonly requests: number
    readonly commands: number
    readonly appends: number
    /** How often a session changed from one worker to another. */
    readonly takeovers: number
    /** Effects of a worker after a newer fence was granted to another, and by how many milliseconds the latest was. */
    readonly residual: number
    readonly residualRequests: number
    readonly residualBegun: number
    readonly residualEnded: number
    readonly latest: number
  }
}

/** Looks for what may not be, in the logs, in what the database wrote down, and in what model and commands saw. */
export function check(record: Record): Findings {
  const faults = [
    ...record.sessions.flatMap((session) => [...logFaults(session), ...callFaults(session, record)]),
    ...record.requests.flatMap((request) => requestFaults(request, record)),
    ...leaseFaults(record.leases),
    ...record.appends.flatMap(({ session, seq, by, holder }) =>
      by === holder
        ? []
        : [`append under a lost lease: ${by} wrote entry ${seq} of ${session}, which ${holder} had`],
    ),
  ]
  return { faults, figures: figuresOf(record) }
}

/** Every message once, in order, and answered. */
function logFaults({ name, posted, log }: StormSession): readonly string[] {
  const said = log.flatMap((entry) => (entry.type === "said" && isTask(entry.id) ? [entry.id] : []))
  const delivered = log
    .flatMap((entry) => (entry.type === "step" ? entry.delivered.map(({ id }) => id) : []))
    .filter(isTask)
  const gap = log.findIndex(({ seq }, i) => seq !== i)
  const lastStep = log.findLastIndex(({ type }) => type === "step")
  const lastReply = log.findLastIndex(({ type }) => type === "replied")
  return [
    ...(gap < 0 ? [] : [`${name}: entry ${gap} of the log has the number ${log[gap]?.seq}`]),
    ...differences(`${name}: said`, said, posted),
    ...differences(`${name}: delivered`, delivered, posted),
    ...(lastReply < lastStep ? [`${name}: the last request was never answered`] : []),
  ]
}

function differences(what: string, found: readonly string[], expected: readonly string[]): readonly string[] {
  if (found.join() === expected.join()) return []
  const twice = found.filter((id, i) => found.indexOf(id) !== i)
  const lost = expected.filter((id) => !found.includes(id))
  if (twice.length > 0) return [`${what} twice: ${twice.join(", ")}`]
  if (lost.length > 0) return [`${what} never: ${lost.join(", ")}`]
  return [`${what} in another order: ${found.join(", ")}`]
}

/** Every call is answered once, and runs once at most; one that was answered by its own result has run. */
function callFaults({ name, log }: StormSession, { effects }: Record): readonly string[] {
  const calls = log.flatMap((entry) =>
    entry.type === "replied"
      ? entry.reply.parts.flatMap((part) => (part.type === "tool-call" ? [part.id] : []))
      : [],
  )
  const own = new Set(log.flatMap((entry) => (entry.type === "result" ? [entry.callId] : [])))
  return calls.flatMap((call) => {
    const begun = effects.filter((effect) => effect.call === call && effect.is === "begun")
    const who = begun.map(({ life, at }) => `${life} at ${at}`).join(", ")
    if (begun.length > 1) return [`${name}: the command of ${call} ran ${begun.length} times: ${who}`]
    return begun.length === 0 && own.has(call) && !isUnknown(log, call)
      ? [`${name}: ${call} has a result, and its command never ran`]
      : []
  })
}

/** Somebody ended it before it wrote anything down: its worker was killed, or lost its lease. */
function isUnknown(log: readonly Entry[], call: string): boolean {
  return log.some(
    (entry) =>
      (entry.type === "recovered" && entry.calls.includes(call)) ||
      (entry.type === "result" && entry.callId === call && entry.error === true),
  )
}

/** No request holds a message twice, or in another order than they were posted in. */
function requestFaults({ session, messages, life }: SeenRequest, { sessions }: Record): readonly string[] {
  const posted = sessions.find(({ name }) => name === session)?.posted ?? []
  const expected = posted.slice(0, messages.length)
  return messages.join() === expected.join()
    ? []
    : [`${session}: ${life} sent a request with the messages ${messages.join(", ")}`]
}

/** Fences grow one by one, and nobody gets a lease before the one of another has ended. */
function leaseFaults(leases: readonly LeaseChange[]): readonly string[] {
  const newest = new Map<string, LeaseChange>()
  return leases.flatMap((change) => {
    const before = newest.get(change.session)
    newest.set(change.session, change)
    if (change.is === "released") return []
    const faults: string[] = []
    if (change.fence !== (before?.fence ?? 0) + 1)
      faults.push(`the fence of ${change.session} went from ${before?.fence ?? 0} to ${change.fence}`)
    if (before?.is === "granted" && before.by !== change.by && (change.before ?? 0) > change.at)
      faults.push(`two owners of ${change.session}: ${change.by} got it while ${before.by} had it`)
    return faults
  })
}

function figuresOf({ sessions, requests, effects, leases, appends }: Record): Findings["figures"] {
  const ids = new Map(sessions.map(({ name, id }) => [name, id]))
  const late = (life: string, name: string, at: number) => lateness(leases, life, ids.get(name) ?? "", at)
  const lateRequests = requests.map(({ life, session, at }) => late(life, session, at)).filter((ms) => ms > 0)
  const lateEffects = (is: Effect["is"]) =>
    effects
      .filter((effect) => effect.is === is)
      .map(({ life, message, at }) => late(life, message.split("-")[0] ?? "", at))
      .filter((ms) => ms > 0)
  const [begun, ended] = [lateEffects("begun"), lateEffects("ended")]
  const grants = leases.filter(({ is }) => is === "granted")
  const takeovers = grants.filter((grant, i) => {
    const before = grants.slice(0, i).findLast(({ session }) => session === grant.session)
    return before !== undefined && before.by !== grant.by
  })
  return {
    messages: sessions.reduce((sum, { posted }) => sum + posted.length, 0),
    requests: requests.length,
    commands: effects.filter(({ is }) => is === "begun").length,
    appends: appends.length,
    takeovers: takeovers.length,
    residual: lateRequests.length + begun.length + ended.length,
    residualRequests: lateRequests.length,
    residualBegun: begun.length,
    residualEnded: ended.length,
    latest: Math.round(Math.max(0, ...lateRequests, ...begun, ...ended)),
  }
}

/** By how much an effect of a worker came after another had got the session; 0 if the worker had it. */
function lateness(leases: readonly LeaseChange[], life: string, session: string, at: number): number {
  const granted = leases.filter((one) => one.session === session && one.is === "granted")
  const own = granted.findLastIndex((one) => one.by === life && one.at <= at)
  const next = granted.slice(own + 1).find((one) => one.by !== life && one.at <= at)
  return next === undefined ? 0 : at - next.at
}

function isTask(id: string): boolean {
  return /^s\d+-m\d+$/.test(id)
}
