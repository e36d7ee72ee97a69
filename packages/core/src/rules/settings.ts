import type { Carrier } from "../vocabulary/capabilities.js"
import { blankText, SottoError } from "../vocabulary/errors.js"
import { ownField } from "../vocabulary/json.js"
import { isBlank } from "../vocabulary/message.js"
import type { Kind } from "../vocabulary/reminder.js"
import { queuedCommand } from "./queued-command.js"
import { defineRule, type Rule, type Throttle } from "./rule.js"

/** What a user may change about one kind. `false` turns it off. */
export type KindSettings =
  | false
  | {
      /** Replaces the line; `{{line}}`, `{{key}}` and the rule's own values can stand in it. */
      readonly text?: string
      readonly throttle?: Throttle
      readonly carrier?: Carrier
      readonly priority?: number
      /** The most tokens a step for this kind. */
      readonly budget?: number
    }

/** A rule as it runs: the author's word, then the user's. */
export interface ConfiguredRule {
  readonly rule: Rule
  readonly enabled: boolean
  readonly priority: number
  readonly throttle: Throttle
  readonly carrier: Carrier | undefined
  readonly budget: number
  readonly text: string | undefined
}

export function configureRules(
  rules: readonly Rule[],
  settings: { readonly [kind: Kind]: KindSettings | undefined },
): readonly ConfiguredRule[] {
  const kinds = new Set<Kind>()
  for (const rule of rules) {
    if (kinds.has(rule.kind) || (rule.kind === queuedCommand.kind && rule !== queuedCommand))
      throw new SottoError(
        "duplicate-kind",
        `Two rules have the kind "${rule.kind}".`,
        "Rename one, or leave the standard one out.",
      )
    kinds.add(rule.kind)
  }
  for (const [kind, own] of Object.entries(settings)) {
    if (!kinds.has(kind) && kind !== queuedCommand.kind)
      throw new SottoError(
        "unknown-kind",
        `reminders.${kind}: there is no rule of this kind.`,
        `The kinds are: ${[...kinds].join(", ")}.`,
      )
    if (own && own.text !== undefined && isBlank(own.text)) throw blankText(`reminders.${kind}.text`)
  }
  return rules.map((rule) => configure(rule, ownField(settings, rule.kind) ?? (rule.optIn ? false : {})))
}

function configure(rule: Rule, settings: KindSettings): ConfiguredRule {
  const own = settings === false ? {} : settings
  const throttle = own.throttle ?? rule.throttle ?? {}
  return {
    rule: defineRule({ ...rule, throttle }),
    enabled: settings !== false,
    priority: own.priority ?? rule.priority ?? 50,
    throttle,
    carrier: own.carrier ?? rule.carrier,
    budget: own.budget ?? Number.POSITIVE_INFINITY,
    text: own.text,
  }
}
