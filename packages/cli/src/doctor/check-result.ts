/**
 * What a check found. A warning is something that works less well than it could; only a failure changes the exit code.
 * A check is skipped where what it needs is broken, and told elsewhere.
 */
export interface CheckResult {
  readonly state: "ok" | "warning" | "skipped" | "failed"
  readonly text: string
  /** What to do about it. */
  readonly remedy?: string
  /** Below it, one a line. */
  readonly more?: readonly string[]
}

export type DoctorCheck = () => Promise<CheckResult>

export function ok(text: string, more?: readonly string[]): CheckResult {
  return { state: "ok", text, ...(more !== undefined && { more }) }
}

export function warning(text: string, remedy: string): CheckResult {
  return { state: "warning", text, remedy }
}

export function failed(text: string, remedy?: string): CheckResult {
  return { state: "failed", text, ...(remedy !== undefined && { remedy }) }
}

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`
}
