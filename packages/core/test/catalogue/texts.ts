import type { Form, Session, SessionOptions } from "@sotto/core"
import { estimateTokens } from "@sotto/core"
import type { Case, Drive } from "./case.js"
import { boundary, compact, inTurn, nothing, sessionFor } from "./walker.js"

/** Something the harness wrote, and which kind had it written. */
export interface Text {
  readonly kind: string
  /** The harness's own words: the line of a reminder, or a frame around somebody's message. */
  readonly line: string
  /** The outside text that follows the line, if any. */
  readonly body: string | undefined
  readonly tokens: number
}

/** Everything a session has had the model told, by the log. */
function textsIn(session: Session): readonly Text[] {
  return session.log.flatMap((entry): Text[] => {
    if (entry.type !== "step") return []
    const frames = entry.delivered.flatMap(({ frame }) => {
      if (frame === undefined) return []
      return [frame.before, frame.after, frame.apart].flatMap((line) => line ?? [])
    })
    return [
      ...frames.map((line) => ({
        kind: "queued_command",
        line,
        body: undefined,
        tokens: estimateTokens(line),
      })),
      ...entry.reminders.map((one) => ({
        kind: one.kind,
        line: one.line,
        body: one.body?.text,
        tokens: cost(one),
      })),
    ]
  })
}

/** By the engine's own measure, whatever counter the case has. */
function cost(form: Form & { readonly tokens: number }): number {
  return form.tokens > 0 ? form.tokens : estimateTokens(`<system-reminder>\n${form.line}\n</system-reminder>`)
}

/** All ways to have the kind speak. */
export function drivesOf(one: Case): readonly Drive[] {
  const { drive: afterwards = nothing, says } = one.afterCompaction
  const recompacted = inTurn(one.drive, (session) => void boundary(session), compact, afterwards)
  return [
    one.drive,
    ...(one.together ? [one.together.drive] : []),
    ...Object.values(one.variants ?? {}).map(({ drive }) => drive),
    ...(says === undefined ? [] : [recompacted]),
  ]
}

/** What the kind says after a drive, at the first boundary and, for what had to wait, the two after it. */
function tell(one: Case, drive: Drive, overrides: Partial<SessionOptions> = {}): readonly Text[] {
  const session = sessionFor(one, overrides)
  const before = textsIn(session).length
  drive(session)
  for (let i = 0; i < 3; i++) boundary(session)
  return textsIn(session)
    .slice(before)
    .filter(({ kind }) => kind === one.kind)
}

/** Every text of a kind: as it is, and as it comes out of a budget that is one token too small for it. */
export function allTexts(one: Case): readonly Text[] {
  return drivesOf(one).flatMap((drive) => {
    const full = tell(one, drive)
    const largest = Math.max(0, ...full.map(({ tokens }) => tokens))
    return [...full, ...tell(one, drive, { budget: { perStep: largest - 1 }, countTokens: estimateTokens })]
  })
}
