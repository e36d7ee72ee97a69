import type { Entry } from "../log/entry.js"
import type { StandardKind } from "../rules/kinds.js"
import { standardRules } from "../rules/standard/index.js"
import { checkDialectName } from "../vocabulary/model.js"
import type { Kind } from "../vocabulary/reminder.js"
import type { SessionOptions } from "./options.js"
import { Session } from "./session.js"

/**
 * Creates a conversation.
 *
 * @example
 * ```ts run
 * import { createSession } from "@sotto/core"
 * import * as anthropic from "@sotto/core/anthropic"
 *
 * const session = createSession({
 *   agents: [{ name: "build" }],
 *   model: { id: "claude-sonnet-5-5" },
 *   now: () => Date.now(),
 *   newId: () => crypto.randomUUID(),
 * })
 * session.say("Refactor the parser.")
 * const next = session.next()
 * if (next.is === "request") console.log(anthropic.encode(next.request).messages.length)
 * ```
 */
export function createSession<const A extends string, K extends Kind = StandardKind>(
  options: SessionOptions<A, K>,
): Session<A, K> {
  checkDialectName(options?.model)
  return new Session<A, K>(options, [], standardRules)
}

/**
 * Restores the session as it was: the rules do not run again, and later requests are the same to the byte. Restoring logs nothing.
 * If a Sotto of another format wrote the log, the next request begins an epoch, and an entry `format` says so. With
 * `crashed`, the session is recovered too, and logs that: calls that may have run are answered "interrupted, outcome
 * unknown". Say `crashed` when the program that ran the session may have ended in the middle of a call.
 *
 * @example
 * ```ts
 * const session = restoreSession(options, await store.read(id), { crashed: true })
 * ```
 */
export function restoreSession<const A extends string, K extends Kind = StandardKind>(
  options: SessionOptions<A, K>,
  log: readonly Entry[],
  how: { readonly crashed?: boolean } = {},
): Session<A, K> {
  const session = new Session<A, K>(options, log, standardRules)
  if (how.crashed) session.recover()
  return session
}
