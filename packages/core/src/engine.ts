import type { Entry } from "./log/entry.js"
import type { Rule } from "./rules/rule.js"
import type { SessionOptions } from "./session/options.js"
import { Session } from "./session/session.js"
import { SottoError } from "./vocabulary/errors.js"
import type { Kind } from "./vocabulary/reminder.js"

export type { Taken } from "./session/session.js"

/** The options of a session that has only the rules it is given. */
export interface EngineOptions<A extends string = string, K extends Kind = Kind>
  extends SessionOptions<A, K> {
  /** All rules of the session. An empty list is a session without reminders. */
  readonly rules: readonly Rule<K>[]
}

/**
 * Creates a conversation without the standard rules, for programs that count kilobytes and bring their own texts: a
 * bundler leaves the standard ones out. All else is as with `createSession` of `@sotto/core`.
 *
 * @example
 * ```ts run
 * import { defineRule } from "@sotto/core"
 * import { createSession } from "@sotto/core/engine"
 *
 * const hurry = defineRule({
 *   kind: "hurry",
 *   decide: ({ step }) => (step === 3 ? [{ forms: [{ line: "Be brief." }] }] : []),
 * })
 * const session = createSession({
 *   agents: [{ name: "build" }],
 *   model: { id: "claude-sonnet-5-5" },
 *   rules: [hurry],
 *   now: () => Date.now(),
 *   newId: () => crypto.randomUUID(),
 * })
 * session.say("Refactor the parser.")
 * ```
 */
export function createSession<const A extends string, K extends Kind>(
  options: EngineOptions<A, K>,
): Session<A, K> {
  return new Session<A, K>(options, [], noRules)
}

/** Restores a session as `restoreSession` of `@sotto/core` does, with only the rules that the options name. */
export function restoreSession<const A extends string, K extends Kind>(
  options: EngineOptions<A, K>,
  log: readonly Entry[],
  how: { readonly crashed?: boolean } = {},
): Session<A, K> {
  const session = new Session<A, K>(options, log, noRules)
  if (how.crashed) session.recover()
  return session
}

function noRules(): never {
  throw new SottoError(
    "bad-options",
    "The options have no `rules`.",
    "Give some, if only `[]`; `@sotto/core` brings the standard ones.",
  )
}
