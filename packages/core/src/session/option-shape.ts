import type { Agent } from "../vocabulary/agent.js"
import { reasonOf } from "../vocabulary/errors.js"
import { plain } from "../vocabulary/json.js"
import type { ModelChoice } from "../vocabulary/model.js"
import {
  callable,
  either,
  exact,
  exactly,
  flag,
  instant,
  list,
  map,
  maybe,
  name,
  number,
  object,
  type Shape,
  should,
  text,
} from "../vocabulary/shape.js"
import type { ToolDefinition } from "../vocabulary/tool.js"
import { carrier, model, tool, tuningFields } from "../vocabulary/value-shape.js"
import { badInput, named } from "./input.js"

/** Budgets may be without limit. */
const amount: Shape = (value) =>
  typeof value === "number" && !Number.isNaN(value) ? undefined : should("a number", value)

const agentFields: { readonly [K in keyof Agent]-?: Shape } = {
  ...tuningFields,
  name,
  description: maybe(text),
  mode: maybe(exactly("primary", "subagent", "all")),
  planning: maybe(flag),
  native: maybe(flag),
  hidden: maybe(flag),
  color: maybe(text),
  permission: maybe(
    list(object({ permission: text, pattern: text, action: exactly("allow", "ask", "deny") })),
  ),
  model: maybe(either(text, named(model))),
  variant: maybe(text),
  prompt: maybe(either(object({ add: text }), text)),
  steps: maybe(number),
}

const settings = exact({
  text: maybe(text),
  throttle: maybe(exact({ steps: maybe(amount), turns: maybe(amount), limit: maybe(amount) })),
  carrier: maybe(carrier),
  priority: maybe(number),
  budget: maybe(amount),
})

export const OPTION_SHAPES = {
  agents: list(object(agentFields)),
  agent: maybe(text),
  model: named(model),
  tools: maybe(list(tool)),
  rules: maybe(list(object({}))),
  reminders: maybe(map((value) => (value === false ? undefined : settings(value)))),
  budget: maybe(exact({ perStep: maybe(amount), share: maybe(amount) })),
  system: maybe(exactly("pinned", "recompute")),
  explainReminders: maybe(either(flag, text)),
  channelsWake: maybe(flag),
  snip: maybe(flag),
  cacheKey: maybe(name),
  nonce: maybe(flag),
  economy: maybe(object({ judge: callable, summaryPays: callable })),
  countTokens: maybe(callable),
  now: callable,
  newId: callable,
  onAppend: maybe(callable),
}

interface PlainOptions {
  readonly agents: readonly Agent[]
  readonly model: ModelChoice
  readonly tools?: readonly ToolDefinition[]
}

const fail = (wrong: string) => badInput("The options", wrong, "See the type SessionOptions.")

/** Refuses options of the wrong shape. Returns copies of those that become part of the log. */
export function checkedOptions(options: object): PlainOptions {
  const given: Record<string, unknown> = {}
  // A class may have them as methods, so that not all need be its own.
  if (options)
    for (const name of Object.keys(OPTION_SHAPES)) given[name] = (options as Record<string, unknown>)[name]
  const { agents, model, tools } = given
  let copies: object
  try {
    copies = plain({ agents, model, tools })
  } catch (error) {
    throw fail(reasonOf(error))
  }
  const wrong = exact(OPTION_SHAPES)({ ...options, ...given, ...copies })
  if (wrong !== undefined) throw fail(wrong)
  return copies as PlainOptions
}

/** Checks the harness's clock and ids at each use: what they give is logged. */
export function checkedSources(options: { now(): number; newId(): string }) {
  const give = (source: string, wrong: string | undefined) => {
    if (wrong !== undefined)
      throw badInput(`${source}()`, wrong, `Have ${source}() return what was asked for.`)
  }
  return {
    now: (): number => {
      const at = options.now()
      give("now", instant(at))
      return at
    },
    newId: (): string => {
      const id = options.newId()
      give("newId", name(id))
      return id
    },
  }
}
