/** A problem that a language server sees in a file. */
export interface DiagnosticProblem {
  /** Counted from 1. */
  readonly line: number
  readonly severity: "error" | "warning"
  readonly message: string
  /** Who says so, and the number it has there: "ts 2322". */
  readonly source?: string
}

/** A file with more has other problems than a model can solve by being told. */
const MOST = 10_000
const LONGEST_MESSAGE = 1_000
const LONGEST_SOURCE = 60

/** Reads the errors and warnings of a report as it came over the wire, worst first. Leaves out what makes no sense. */
export function problemsOf(report: unknown): readonly DiagnosticProblem[] {
  if (!Array.isArray(report)) return []
  const found = report.slice(0, MOST).flatMap((one: unknown) => problemOf(one) ?? [])
  return found.toSorted((a, b) => rank(a) - rank(b) || a.line - b.line)
}

function problemOf(one: unknown): DiagnosticProblem | undefined {
  if (!isObject(one) || typeof one.message !== "string") return undefined
  const severity = SEVERITIES[typeof one.severity === "number" ? one.severity : 1]
  const start = isObject(one.range) ? one.range.start : undefined
  const line = isObject(start) ? start.line : undefined
  if (severity === undefined || typeof line !== "number" || !Number.isSafeInteger(line) || line < 0)
    return undefined
  const source = [one.source, one.code].filter((part) => typeof part === "string" || typeof part === "number")
  return {
    line: line + 1,
    severity,
    message: one.message.slice(0, LONGEST_MESSAGE),
    ...(source.length > 0 && { source: source.join(" ").slice(0, LONGEST_SOURCE) }),
  }
}

/** Information and hints are for people who look at the line anyway. */
const SEVERITIES: Readonly<Record<number, DiagnosticProblem["severity"]>> = { 1: "error", 2: "warning" }

/** Lists those that are not among the known ones. Lines shift, so that one which only moved is the same. */
export function newOf(
  problems: readonly DiagnosticProblem[],
  known: readonly DiagnosticProblem[],
): readonly DiagnosticProblem[] {
  const gone = without(known, problems, placeOf)
  return without(without(problems, known, placeOf), gone, nameOf)
}

/** Lists the known ones that are still there. */
export function stillIn(
  problems: readonly DiagnosticProblem[],
  known: readonly DiagnosticProblem[],
): readonly DiagnosticProblem[] {
  const gone = new Set(newOf(known, problems))
  return known.filter((problem) => !gone.has(problem))
}

function nameOf({ severity, message, source = "" }: DiagnosticProblem): string {
  return [severity, source, message].join("\n")
}

function placeOf(problem: DiagnosticProblem): string {
  return `${problem.line}\n${nameOf(problem)}`
}

/** Removes one for one: two of a name are two. */
function without(
  problems: readonly DiagnosticProblem[],
  others: readonly DiagnosticProblem[],
  name: (problem: DiagnosticProblem) => string,
): readonly DiagnosticProblem[] {
  const counts = new Map<string, number>()
  for (const other of others) counts.set(name(other), (counts.get(name(other)) ?? 0) + 1)
  return problems.filter((problem) => {
    const count = counts.get(name(problem)) ?? 0
    counts.set(name(problem), count - 1)
    return count <= 0
  })
}

function rank({ severity }: DiagnosticProblem): number {
  return severity === "error" ? 0 : 1
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null
}
