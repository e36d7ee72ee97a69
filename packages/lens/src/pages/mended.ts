import { redact } from "@sotto/core/secrets"
import type { Call, HttpDialectName } from "../call.js"
import { excerpts, readable } from "../compare/excerpt.js"
import { segmentOf } from "../segments/make.js"
import { SECTIONS, type Segment } from "../segments/segment.js"
import { slotsOf } from "../segments/slots.js"
import type { Mended } from "./page.js"

const LONGEST = 4_000

/** Compares what the harness sent with what went out, and lists what the proxy changed. */
export function mendsOf(call: Call, dialect: HttpDialectName, model: string): readonly Mended[] {
  if (call.sent === undefined) return []
  const original = segmentsIn(call.body, dialect, model)
  const sent = segmentsIn(call.sent.body, dialect, model)
  const gone = missingFrom(original, sent)
  const added = missingFrom(sent, original)
  const hosts = added.filter((one) => gone.some((other) => isInside(other, one)))
  const moved = [...gone].map((one): Mended => {
    const { path } = one
    if (hosts.some((host) => isInside(one, host))) return { path, message: "went out inside a tool result" }
    const host = hosts.find(({ kind, name }) => one.kind === kind && one.name === name)
    if (host !== undefined) {
      added.splice(added.indexOf(host), 1)
      return { path, message: "went out with reminders inside", ...around(one, host) }
    }
    const instead = added.find(({ path }) => path === one.path)
    if (instead === undefined) return { path: one.path, message: "was not sent", withheld: shown(one) }
    added.splice(added.indexOf(instead), 1)
    return {
      path: one.path,
      message: "went out as it had been sent before",
      ...around(one, instead),
    }
  })
  const told = added.map((one): Mended => ({ path: one.path, message: "was added", told: shown(one) }))
  const marks = marksOf(sent).filter((path) => !marksOf(original).includes(path))
  const marked = marks.map((path): Mended => ({ path, message: "got a cache marker" }))
  return [...moved, ...told, ...marked]
}

/** True if a block of reminders stands inside a tool result now. */
function isInside({ isReminder, reminders }: Segment, host: Segment): boolean {
  if (!isReminder || host.kind !== "result") return false
  return reminders.every(({ hash }) => host.reminders.some((one) => one.hash === hash))
}

function segmentsIn(body: unknown, dialect: HttpDialectName, model: string): readonly Segment[] {
  const slots = slotsOf(body, dialect, model === "" ? undefined : model)
  return SECTIONS.flatMap((section) => slots[section].map(segmentOf))
}

/** Lists those that another list does not have, each as often as it is missing. */
function missingFrom(list: readonly Segment[], other: readonly Segment[]): Segment[] {
  const left = new Map<string, number>()
  for (const { hash } of other) left.set(hash, (left.get(hash) ?? 0) + 1)
  return list.filter(({ hash }) => {
    const count = left.get(hash) ?? 0
    if (count > 0) left.set(hash, count - 1)
    return count === 0
  })
}

function marksOf(segments: readonly Segment[]): readonly string[] {
  return segments.filter(({ marked }) => marked).map(({ path }) => path)
}

function around(original: Segment, sent: Segment): Pick<Mended, "withheld" | "told"> {
  const { before, after } = excerpts(original, sent, { before: 500, after: 2_000 })
  return { withheld: before, told: after }
}

function shown(segment: Segment): string {
  return redact(readable(segment)).slice(0, LONGEST)
}
