import type { Call } from "../call.js"
import { check } from "../lens.js"
import type { Break, Report, ThreadReport } from "../report.js"

/** What a matcher returns, to vitest and jest alike. */
interface Verdict {
  readonly pass: boolean
  readonly message: () => string
}

/**
 * For a declaration of your own: `interface Assertion<T> extends LensMatchers<T>` in a module "vitest", or
 * `interface Matchers<R> extends LensMatchers<R>` in a namespace jest.
 */
export interface LensMatchers<R = unknown> {
  /** Each call only adds to the one before it in its thread. A summary of the history is allowed. */
  toBeAppendOnly(): R
  /** Reminders are less than this share of what each thread sends: 0.02 is two percent. */
  toKeepRemindersUnder(share: number): R
}

/** Matchers for the `expect` of a test runner: `expect.extend(lensMatchers)`. */
export const lensMatchers = {
  toBeAppendOnly(received: unknown): Verdict {
    const found = reportOf(received, "toBeAppendOnly").threads.flatMap((thread) =>
      thread.breaks.filter(({ cause }) => cause !== "compacted").map((one) => ({ thread, one })),
    )
    return {
      pass: found.length === 0,
      message: () =>
        found.length === 0
          ? "Expected a break, but each call only adds to the one before."
          : `Expected each call to only add to the one before it:\n${found.map(describeBreak).join("\n")}`,
    }
  },

  toKeepRemindersUnder(received: unknown, share: number): Verdict {
    const { threads } = reportOf(received, "toKeepRemindersUnder")
    const over = threads.filter((thread) => shareOf(thread) >= share)
    return {
      pass: over.length === 0,
      message: () =>
        over.length === 0
          ? `Expected reminders of ${percent(share)} or more of what is sent.`
          : `Expected reminders to stay under ${percent(share)} of what is sent:\n${over.map(describeShare).join("\n")}`,
    }
  },
}

/** Takes calls, bodies, or a report that was made already. */
function reportOf(received: unknown, matcher: string): Report {
  if (isReport(received)) return received
  if (received === null || typeof received !== "object" || !(Symbol.iterator in received))
    throw new TypeError(
      `${matcher} takes a list of calls, a list of request bodies, or the report of check().`,
    )
  return check(Array.from(received as Iterable<unknown>, callOf))
}

function isReport(value: unknown): value is Report {
  return value !== null && typeof value === "object" && "version" in value && "threads" in value
}

function callOf(value: unknown, i: number): Call {
  const isCall = value !== null && typeof value === "object" && "body" in value && "source" in value
  return isCall ? (value as Call) : { source: "calls", number: i + 1, body: value }
}

function describeBreak({ thread, one }: { readonly thread: ThreadReport; readonly one: Break }): string {
  const { call, segment, cause, detail, before, after } = one
  return `  thread ${thread.id}, call ${call} at ${segment}: ${cause} (${detail})\n    was: ${before}\n    is:  ${after}`
}

const shareOf = ({ reminders }: ThreadReport) => reminders.reduce((sum, { share }) => sum + share, 0)

function describeShare(thread: ThreadReport): string {
  const kinds = thread.reminders.map(({ kind, times, share }) => `${kind} ${percent(share)} (${times} times)`)
  return `  thread ${thread.id}: ${percent(shareOf(thread))}: ${kinds.join(", ")}`
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`
}
