import { QUEUED_COMMAND } from "../inbox/frame.js"
import type { Entry } from "../log/entry.js"
import { explainReminders } from "../prompt/families.js"
import { checkTools, pinTools } from "../prompt/tools.js"
import { type Budget, DEFAULT_PER_STEP } from "../rules/budget.js"
import type { Rule } from "../rules/rule.js"
import { type ConfiguredRule, configureRules, type KindSettings } from "../rules/settings.js"
import { estimateTokens, guardedCounter } from "../text/tokens.js"
import { type Agent, checkAgents, defaultAgent, findAgent } from "../vocabulary/agent.js"
import type { Economy, TokenCounter } from "../vocabulary/economy.js"
import { SottoError } from "../vocabulary/errors.js"
import type { Roster } from "../vocabulary/ledger-page.js"
import type { ModelChoice } from "../vocabulary/model.js"
import type { Kind } from "../vocabulary/reminder.js"
import type { ToolDefinition } from "../vocabulary/tool.js"
import type { FieldShapes } from "../vocabulary/value-shape.js"
import { checkedOptions, checkedSources, OPTION_SHAPES } from "./option-shape.js"

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
  /**
   * Whether layer 1 of the system prompt ends with the paragraph that explains reminders; true unless given. A text
   * stands for the paragraph.
   */
  readonly explainReminders?: boolean | string
  /** Whether a message from a channel may start an idle agent. */
  readonly channelsWake?: boolean
  /** Whether what the model may snip carries `[id:…]` tags. */
  readonly snip?: boolean
  /** Whether tags carry a nonce of this session. */
  readonly nonce?: boolean
  /**
   * The name under which providers that sort their caches by one keep what this session sends; its id unless given.
   * Sessions that begin with the same bytes share a cache if they share it: give subagents their parent's.
   */
  readonly cacheKey?: string
  /**
   * The engine's own estimate unless given. Where it throws, or gives anything but a number from 0, the estimate stands in
   * for that text; fractions are rounded up. It decides what fits a budget, never the bytes of what was decided: those are
   * in the log, so that a restored session sends them again whatever its counter says.
   */
  readonly countTokens?: TokenCounter
  /**
   * Decides when a rebase pays: `breakEven()` of `@sotto/core/economy`. None unless given, because it drops old tool
   * results: the tools should say first which calls can be made again (`safeToRepeat`, `results`).
   */
  readonly economy?: Economy
  /** Milliseconds, for people who read the log. Only an economy goes by them: a cache that is not used for long is gone. */
  now(): number
  /** A text of 1 to 256 characters, another one each time. */
  newId(): string
  /**
   * Called before an entry takes effect: what cannot be made durable did not happen. So it has to be done when it returns,
   * and a promise is refused. For an asynchronous store: collect the entries here, and await the store before sending a
   * request of `next()`, running a tool or showing what was said. Commands are refused in here; asking is not.
   */
  onAppend?(entries: readonly Entry[]): NotAPromise
}

/** Whatever a function returns that does not return a promise. */
type NotAPromise =
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is the usual case
  void | undefined | null | boolean | number | string | bigint | { readonly then?: undefined }

/** The options, checked, with everything they leave open decided. */
export interface SessionConfig {
  readonly agents: readonly Agent[]
  readonly agent: Agent
  readonly model: ModelChoice
  /** The tools as they were given, and as they are sent. */
  readonly given: readonly ToolDefinition[]
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
  /** The paragraph that explains reminders; empty if the session is to go without. */
  readonly explanation: string
  readonly idTags: boolean
  readonly cacheKey: string | undefined
  readonly economy: Economy | undefined
  now(): number
  newId(): string
  /** Never throws, and always gives a whole number. */
  readonly count: TokenCounter
  /** True if `count` is the caller's: then what it says is logged, because a fold must not ask it again. */
  readonly logsTokens: boolean
}

/** So that the compiler asks for the shape of an option that is new. */
OPTION_SHAPES satisfies FieldShapes<SessionOptions>

export function configure(options: SessionOptions, usualRules: () => readonly Rule[]): SessionConfig {
  const { agents, model, tools = [] } = checkedOptions(options)
  const { budget = {}, reminders = {} } = options
  checkAgents(agents)
  checkTools(tools)
  checkBudget(budget)
  const rules = configureRules(options.rules ?? usualRules(), reminders)
  const framing = reminders[QUEUED_COMMAND] ?? {}
  const kinds = (enabled: boolean) =>
    rules.filter((one) => one.enabled === enabled).map(({ rule }) => rule.kind)
  return {
    agents,
    agent: options.agent === undefined ? defaultAgent(agents) : findAgent(agents, options.agent),
    model,
    given: tools,
    tools: pinTools(tools),
    repeatable: new Set(tools.filter((tool) => tool.safeToRepeat).map((tool) => tool.name)),
    rules,
    roster: { on: kinds(true), off: kinds(false) },
    framesHumans: framing !== false,
    frameText: framing === false ? undefined : framing.text,
    perStep: budget.perStep ?? DEFAULT_PER_STEP,
    share: budget.share,
    explanation: explanationOf(options.explainReminders, options.rules ?? []),
    recompute: options.system === "recompute",
    idTags: options.snip ?? false,
    cacheKey: options.cacheKey,
    economy: options.economy,
    ...checkedSources(options),
    logsTokens: options.countTokens !== undefined,
    count: options.countTokens ? guardedCounter(options.countTokens) : estimateTokens,
  }
}

function explanationOf(given: boolean | string = true, rules: readonly Rule[]): string {
  if (typeof given === "string") return given
  const product = rules.find((rule) => rule.product !== undefined)?.product
  return given ? explainReminders(product === undefined ? {} : { product }) : ""
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
