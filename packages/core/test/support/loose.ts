import type { Session } from "@sotto/core"

type Call = (...given: readonly unknown[]) => unknown

/** A session as a program without types sees it: any command takes anything. */
export type Loose = {
  readonly [K in keyof Session]: Session[K] extends (...given: never) => unknown ? Call : never
}

export const loose = (session: Session) => session as unknown as Loose

/** All that a session lets one know of it but its ledger. */
export const known = (session: Session) =>
  JSON.stringify([session.log, session.phase, session.queue(), session.view(), session.agent, session.model])
