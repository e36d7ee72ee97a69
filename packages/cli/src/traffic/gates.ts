import { FINDING_KINDS, type Report, type Severity } from "@sotto/lens"
import { UsageError } from "../usage.js"

/** What a report may hold before the command fails. */
export interface Gates {
  readonly maxBreaks?: number
  /** Percent of what a thread sent. */
  readonly maxReminders?: number
  /** Ids of findings, or severities. */
  readonly failOn: readonly string[]
}

const SEVERITIES: readonly Severity[] = ["note", "warning", "error"]

export function gatesOf(values: {
  readonly "max-breaks"?: string | undefined
  readonly "max-reminders"?: string | undefined
  readonly "fail-on"?: readonly string[] | undefined
}): Gates {
  const maxBreaks = numberOf("max-breaks", values["max-breaks"], Number.isInteger, "a whole number")
  const maxReminders = numberOf("max-reminders", values["max-reminders"], Number.isFinite, "a percentage")
  const failOn = (values["fail-on"] ?? []).flatMap((given) => given.split(",")).map((given) => given.trim())
  const known = [...SEVERITIES, ...FINDING_KINDS.map(({ id }) => id)]
  for (const given of failOn)
    if (!known.includes(given))
      throw new UsageError(`--fail-on ${given}: there is no such finding. There are: ${known.join(", ")}.`)
  return {
    failOn,
    ...(maxBreaks !== undefined && { maxBreaks }),
    ...(maxReminders !== undefined && { maxReminders }),
  }
}

/** Takes `--max-reminders 2%` and `2` for the same. */
function numberOf(
  option: string,
  given: string | undefined,
  isFine: (value: number) => boolean,
  what: string,
): number | undefined {
  if (given === undefined) return undefined
  const value = Number(given.replace(/%$/, ""))
  if (given.trim() === "" || !isFine(value) || value < 0)
    throw new UsageError(`--${option} ${given}: use ${what} from 0.`)
  return value
}

export function exceeded(report: Report, { maxBreaks, maxReminders, failOn }: Gates): readonly string[] {
  const sentences: string[] = []
  const breaks = countBreaks(report)
  if (maxBreaks !== undefined && breaks > maxBreaks)
    sentences.push(`${breaks} ${breaks === 1 ? "break" : "breaks"}; --max-breaks allows ${maxBreaks}.`)
  for (const { id, reminders } of report.threads) {
    const percent = reminders.reduce((sum, { share }) => sum + share, 0) * 100
    if (maxReminders !== undefined && percent > maxReminders)
      sentences.push(
        `Thread ${id}: reminders are ${percent.toFixed(1)}% of what it sent; --max-reminders allows ${maxReminders}%.`,
      )
  }
  for (const given of failOn) {
    const least = SEVERITIES.indexOf(given as Severity)
    const found = report.findings.filter(({ id, severity }) =>
      least === -1 ? id === given : SEVERITIES.indexOf(severity) >= least,
    )
    if (found.length > 0)
      sentences.push(`${found.length} ${found.length === 1 ? "finding" : "findings"} for --fail-on ${given}.`)
  }
  return sentences
}

/** Leaves out summaries of the history: they are expected, and a user would not mend them. */
export function countBreaks({ threads }: Report): number {
  return threads.reduce(
    (sum, { breaks }) => sum + breaks.filter(({ cause }) => cause !== "compacted").length,
    0,
  )
}
