import { defineRule, type Moment, type Rule } from "../rule.js"
import { onCadence } from "../shapes.js"
import { known } from "./facts.js"
import type { CheckedNames } from "./names.js"

export const maxSteps = defineRule({
  kind: "max_steps",
  priority: 100,
  exempt: true,
  decide: ({ last }) => {
    const line =
      "This is the last step of the turn: no tools can be called now. Say what was done and what remains."
    return last ? [{ forms: [{ line }] }] : []
  },
})

const WORTH_SNIPPING = 10_000

/** How large the context was at the last boundary, and where the count of its growth starts. */
type Growth = {
  readonly last: number
  readonly from?: number
}

/**
 * The context grew since the last snip, compaction or nudge. When it shrinks, the count starts with the boundary
 * after, because the one that begins an epoch does not know yet what the epoch keeps.
 */
export const contextEfficiency = (names: CheckedNames): Rule<"context_efficiency", Growth> =>
  defineRule({
    kind: "context_efficiency",
    priority: 20,
    threads: ["main"],
    decide: (moment: Moment<Growth>) => {
      const { snip, context, memo } = moment
      if (!snip) return []
      const { tokens } = context
      const { last, from } = memo() ?? { last: Number.POSITIVE_INFINITY }
      if (tokens < last) return [{ memo: { last: tokens } }]
      if (from === undefined) return [{ memo: { last: tokens, from: tokens } }]
      if (tokens - from < WORTH_SNIPPING) return tokens === last ? [] : [{ memo: { last: tokens, from } }]
      const how = names.snip === undefined ? "" : ` with the ${names.snip} tool`
      const thrift = isThrifty(moment) ? " Old tool results are dropped without that when it pays." : ""
      const line = `The conversation has grown by about 10,000 tokens. Messages and results that are no longer needed can be dropped${how}, by the [id:…] at their end.${thrift}`
      return [{ memo: { last: tokens, from: tokens }, forms: [{ line }] }]
    },
  })

/** True if an economy decides when the conversation is shortened, beside the window. */
function isThrifty(moment: Pick<Moment, "fact">): boolean {
  return known(moment, "economy") !== undefined
}

const LARGE_WINDOW = 1_000_000

/**
 * On a very large window, a quarter full: nothing has to be hurried. Once an epoch, and only where the harness has said
 * that it compacts by itself.
 */
export const compactionReminder = defineRule({
  kind: "compaction_reminder",
  priority: 10,
  threads: ["main"],
  decide: (moment) => {
    const { context, memo } = moment
    const due = context.window >= LARGE_WINDOW && context.tokens > context.window / 4
    if (!due || memo() === true || known(moment, "compaction:auto") !== true) return []
    const when = isThrifty(moment)
      ? "when that pays, and always before the context is full"
      : "before the context is full"
    const line = `The conversation is compacted automatically ${when}: there is no need to cut work short for its length.`
    return [{ memo: true, forms: [{ line }] }]
  },
})

export const tokenUsage = onCadence({
  kind: "token_usage",
  every: { steps: 10 },
  priority: 5,
  optIn: true,
  say: ({ context }) => [
    { line: `About ${context.tokens} of ${context.window} tokens of context are in use.` },
  ],
})
