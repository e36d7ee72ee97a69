import type { ScriptedFailure } from "../script/script.js"

/** The header with which a client asks for a fault. */
export const FAULT_HEADER = "x-rehearsal-fault"

export interface AskedFault {
  readonly failure: ScriptedFailure
  /** How many times the same request fails before it is answered. */
  readonly times: number
}

const FORM =
  /^(?<what>[a-z]*)[ =]?(?<value>\d{3}|before|middle)?(?:\s+retry-after=(?<after>\d+))?(?:\s*\*\s*(?<times>\d+))?$/

export const FAULT_FORMS =
  "529, 429 retry-after=2, drop=before, drop=middle, event=529, malformed; with *N: the first N times only"

/**
 * Reads a fault as the header asks for it: `529`, `429 retry-after=2`, `drop=middle`, `event=529`, `malformed`, each
 * with `*2` for the first two times that the same request comes. Undefined for any other text.
 */
export function faultIn(header: string): AskedFault | undefined {
  const { what, value, after, times } = FORM.exec(header.trim().toLowerCase())?.groups ?? {}
  const failure = failureOf(what ?? "", value, after === undefined ? undefined : Number(after))
  if (failure === undefined) return undefined
  return { failure, times: times === undefined ? Number.POSITIVE_INFINITY : Number(times) }
}

function failureOf(
  what: string,
  value: string | undefined,
  retryAfter: number | undefined,
): ScriptedFailure | undefined {
  const status = value === undefined ? Number.NaN : Number(value)
  const isStatus = status >= 400 && status <= 599
  if (retryAfter !== undefined && (what !== "" || !isStatus)) return undefined
  switch (what) {
    case "":
    case "status":
      return isStatus ? { status, ...(retryAfter !== undefined && { retryAfter }) } : undefined
    case "event":
      return isStatus ? { event: status } : undefined
    case "drop":
      return value === "before" || value === "middle" ? { drop: value } : undefined
    case "malformed":
      return value === undefined ? { malformed: true } : undefined
    default:
      return undefined
  }
}
