import { type Agent, checkAgents, defaultAgent, findAgent } from "../agent/agent.js"
import { SottoError } from "../errors.js"
import { QUEUED_COMMAND } from "../inbox/frame.js"
import type { Roster } from "../ledger/page.js"
import type { Entry, ModelChoice } from "../log/entry.js"
import { checkTools, pinTools } from "../prompt/tools.js"
import type { Kind } from "../reminder/reminder.js"
import { type Budget, DEFAULT_PER_STEP } from "../rules/budget.js"
import type { Rule } from "../rules/rule.js"
import { type ConfiguredRule, configureRules, type KindSettings } from "../rules/settings.js"
import { standardRules } from "../rules/standard/index.js"
import { estimateTokens, type TokenCounter } from "../tokens.js"
import type { ToolDefinition } from "../wire/tool.js"

/**
 * What a session is made of. The names of the agents and the kinds of the rules are inferred from what is given, so that
 * `switchAgent` and `setReminder` take no others. Written as a type by itself, `SessionOptions` takes any.
 */
export interface SessionOptions<A extends string = string, K extends Kind = Kind> {
  /** The agents that can be switched between, at least one. */
  readonly agents: readonly Agent<A>[]
  /** Where to start; the first primary agent unless given. */
  readonly agent?: NoInfer<A>
  /** The model to begin with. */
  readonly model: ModelChoice
  /** What the model can call. The harness runs the calls. */
  readonly tools?: readonly ToolDefinition[]
  /** `standardRules()` unless given. */
  readonly rules?: readonly Rule<K>[]
  /** Settings by kind; `false` turns one off. */
  readonly reminders?: { readonly [P in NoInfer<K>]?: KindSettings }
  /** How much of the context reminders may take. */
  readonly budget?: Budget
  /** Whether a system prompt that comes out different is told as a difference, or sent anew. */
  readonly system?: "pinned" | "recompute"
  /** Whether an agent's own prompt is followed by the paragraph that explains reminders; true unless given. */
  readonly explainReminders?: boolean
  /** Whether a message from a channel may start an idle agent. */
  readonly channelsWake?: boolean
  /** Whether what the model may snip carries `[id:…]` tags. */
  readonly snip?: boolean
  /** Whether tags carry a nonce of this session. */
  readonly nonce?: boolean
  /** Counts the tokens of a text; an estimate by its bytes unless given. */
  readonly countTokens?: TokenCounter
  /** The time in milliseconds, for the log. Nothing else depends on it. */
  now(): number
  /** An id that no other session has. */
  newId(): string
  /** Called before an entry takes effect: what cannot be made durable did not happen. */
  onAppend?(entries: readonly Entry[]): void
}

/** The options, checked, with everything they leave open decided. */
export interface Config {
  readonly agents: readonly Agent[]
  readonly agent: Agent
  readonly tools: ReturnType<typeof pinTools>
  readonly repeatable: ReadonlySet<string>
  readonly rules: readonly ConfiguredRule[]
  readonly roster: Roster
  /** Whether a human's words that arrive mid-turn are introduced. */
  readonly framesHumans: boolean
  readonly frameText: string | undefined
  readonly perStep: number
  readonly share: number | undefined
  readonly recompute: boolean
  readonly explainReminders: boolean
  readonly idTags: boolean
  readonly count: TokenCounter
}

export function configure(options: SessionOptions): Config {
  const { agents, tools = [], budget = {}, reminders = {} } = options
  checkAgents(agents)
  checkTools(tools)
  checkBudget(budget)
  const rules = configureRules(options.rules ?? standardRules(), reminders)
  const framing = reminders[QUEUED_COMMAND] ?? {}
  const kinds = (enabled: boolean) =>
    rules.filter((one) => one.enabled === enabled).map(({ rule }) => rule.kind)
  return {
    agents,
    agent: options.agent === undefined ? defaultAgent(agents) : findAgent(agents, options.agent),
    tools: pinTools(tools),
    repeatable: new Set(tools.filter((tool) => tool.safeToRepeat).map((tool) => tool.name)),
    rules,
    roster: { on: kinds(true), off: kinds(false) },
    framesHumans: framing !== false,
    frameText: framing === false ? undefined : framing.text,
    perStep: budget.perStep ?? DEFAULT_PER_STEP,
    share: budget.share,
    explainReminders: options.explainReminders ?? true,
    recompute: options.system === "recompute",
    idTags: options.snip ?? false,
    count: options.countTokens ?? estimateTokens,
  }
}

function checkBudget({ perStep, share }: Budget): void {
  if (perStep !== undefined && !(perStep >= 0))
    throw new SottoError("bad-options", `budget.perStep is ${perStep}.`, "Use a number of tokens from 0.")
  if (share !== undefined && !(share >= 0 && share <= 1))
    throw new SottoError(
      "bad-options",
      `budget.share is ${share}.`,
      "Use a share of the context from 0 to 1.",
    )
}
