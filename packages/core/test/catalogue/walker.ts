import { dynamic, type LedgerRow, type Request, type Session, type SessionOptions } from "@sotto/core"
import { calls, exchange, request, says, start, told } from "../support/session.js"
import type { Case, Drive } from "./case.js"

/** What the model was told at a boundary, and what the ledger has about one kind there. */
export interface Heard {
  readonly request: Request
  readonly text: string
  readonly rows: readonly LedgerRow[]
}

export function optionsOf(one: Case, overrides: Partial<SessionOptions> = {}): Partial<SessionOptions> {
  return { ...one.options, ...overrides }
}

/** A session of the case, after its setup. */
export function sessionFor(one: Case, overrides: Partial<SessionOptions> = {}): Session {
  const session = start(optionsOf(one, overrides))
  one.setup?.(session)
  return session
}

/** One step: a prompt if there is none, the request, a call and its result, or the final answer on the last step. */
export function boundary(session: Session, output = "done"): Request {
  if (session.phase === "idle") session.say("Go")
  const id = `c${session.log.length}`
  const sent = request(session)
  if (sent.toolChoice === "none") session.reply(sent.id, says("all done"))
  else {
    session.reply(sent.id, calls(id))
    session.result(id, output)
  }
  return sent
}

/** So many boundaries. */
export const steps =
  (count: number): Drive =>
  (session) => {
    for (let i = 0; i < count; i++) boundary(session)
  }

/** Ends the turn, and has so many more of one step. */
export const turns =
  (count: number): Drive =>
  (session) => {
    if (session.phase !== "idle") exchange(session, says("done"))
    for (let i = 0; i < count; i++) {
      session.say("Go")
      exchange(session, says("ok"))
    }
  }

/** Signals of one type, one after another. */
export const note =
  (type: string, ...all: readonly object[]): Drive =>
  (session) => {
    for (const fields of all) session.note(dynamic({ type, ...fields }))
  }

/** Values of one fact, one after another. */
export const observe =
  (key: string, ...values: readonly unknown[]): Drive =>
  (session) => {
    for (const value of values) session.observe(dynamic(key), value)
  }

export const compact: Drive = (session) => session.compact("They worked.")
export const nothing: Drive = () => {}

export const inTurn =
  (...drives: readonly Drive[]): Drive =>
  (session) => {
    for (const drive of drives) drive(session)
  }

/** The next boundary, as far as it concerns the kind. */
export function listen(session: Session, { kind }: Pick<Case, "kind">): Heard {
  const sent = boundary(session)
  const rows = session.ledger(sent.step).filter((row) => row.kind === kind)
  return { request: sent, text: told(sent), rows }
}

/** The next boundary of a fresh session after its setup and a drive. */
export function hear(one: Case, drive: Drive, overrides: Partial<SessionOptions> = {}): Heard {
  const session = sessionFor(one, overrides)
  drive(session)
  return listen(session, one)
}

export function outcomes({ rows }: Heard): readonly string[] {
  return rows.map(({ outcome }) => outcome)
}
