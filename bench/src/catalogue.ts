import { type Aside, estimateTokens, type Request, type Rule, standardRules } from "@sotto/core"
import { codingSession } from "./coding-session.js"
import { table } from "./figures.js"

const SEED = 20261115
const STEPS = 200
/** Other sessions of the same make, to see whether the seed was a lucky one. */
const OTHERS = 20
const MOST = 0.02

export async function run(): Promise<void> {
  const quiet = measure(standardRules())
  const noisy = measure(standardRules().map(unthrottled))
  const others = Array.from({ length: OTHERS }, (_, i) => measure(standardRules(), i).share)
  const kinds = [...new Set([...quiet.asides, ...noisy.asides].map(({ kind }) => kind))].toSorted()
  const row = (name: string, asides: (figures: Figures) => readonly Aside[]) => [
    name,
    ...[quiet, noisy].flatMap((figures) => {
      const told = asides(figures)
      return [String(told.length), number(tokensOf(told)), percent(tokensOf(told) / figures.context)]
    }),
  ]
  const page = [
    `A coding session of ${STEPS} steps (seed ${SEED}), all standard rules, default settings; beside it the same session`,
    "with every rule made to speak whenever it could: no throttle, and nothing remembered of what was told. A step has",
    "one or two calls with outputs of 1 to 4 kB. Reminders count with their tags and all that they quote: files that the",
    "user mentions and messages sent mid-turn too.",
    "",
    ...table(
      ["kind", "times", "tokens", "share", "unthrottled", "tokens", "share"],
      [
        ...kinds.map((kind) => row(kind, ({ asides }) => asides.filter((aside) => aside.kind === kind))),
        row("all", ({ asides }) => asides),
      ],
    ),
    "",
    ...table(
      ["", "reminders", "of tokens", "share", "unthrottled", "of tokens", "share"],
      [
        ["in the last request's context", ...shareCells(quiet), ...shareCells(noisy)],
        ["in all requests added up", ...sumCells(quiet), ...sumCells(noisy)],
      ],
    ),
    "",
    `share of the last request's context: ${percent(quiet.share)} (at most ${percent(MOST)}: ${quiet.share <= MOST ? "PASS" : "above"})`,
    `the same over ${OTHERS} other seeds: ${percent(Math.min(...others))} to ${percent(Math.max(...others))}, ${percent(mean(others))} on average`,
    `said twice (same kind, key and text): ${quiet.repeated.length} (none: ${quiet.repeated.length === 0 ? "PASS" : "above"}); unthrottled: ${noisy.repeated.length}`,
    ...quiet.repeated.map(({ kind, text }) => `  ${kind}: ${text.split("\n")[0]}`),
  ]
  console.log(page.join("\n"))
}

/** What a run of the session cost. There is no rebase in it, so all that was told is in the last context. */
export interface Figures {
  readonly asides: readonly Aside[]
  /** Those that said what their kind had said before about the same key. */
  readonly repeated: readonly Aside[]
  /** Tokens of the last request, and what part of them is reminders. */
  readonly context: number
  readonly share: number
  /** Tokens of all requests added up, as a provider without a cache would count them, and of the reminders in them. */
  readonly sent: number
  readonly sentReminders: number
}

export function measure(rules: readonly Rule[], seed = SEED): Figures {
  const { session, requests } = codingSession(seed, STEPS, rules)
  const asides = session.asides()
  const contexts = contextTokens(requests)
  const context = contexts.at(-1) ?? 0
  const seen = new Set<string>()
  const repeated = asides.filter(({ kind, key, text }) => {
    const name = JSON.stringify([kind, key, text])
    return seen.size === seen.add(name).size
  })
  const reminders = requests.map(({ turn, step }) =>
    tokensOf(asides.filter((aside) => aside.turn < turn || (aside.turn === turn && aside.step <= step))),
  )
  return {
    asides,
    repeated,
    context,
    share: tokensOf(asides) / context,
    sent: contexts.reduce((sum, tokens) => sum + tokens, 0),
    sentReminders: reminders.reduce((sum, tokens) => sum + tokens, 0),
  }
}

/** The rule as it would be without a memory: it speaks at every boundary at which it has anything to say. */
export function unthrottled(rule: Rule): Rule {
  // The inbox speaks for its kind, once for every message.
  if (rule.kind === "queued_command") return rule
  const forgetful = { memo: () => undefined, spoken: { ever: 0, lately: 0 } }
  return { ...rule, throttle: {}, decide: (moment) => rule.decide({ ...moment, ...forgetful }) }
}

/** Tokens of each request. They are all of one epoch: each adds to the one before. */
function contextTokens(requests: readonly Request[]): readonly number[] {
  const pins = requests[0]?.pins
  let tokens = estimateTokens(pins?.system ?? "") + estimateTokens(JSON.stringify(pins?.tools ?? []))
  let counted = 0
  return requests.map(({ messages }) => {
    for (const { content } of messages.slice(counted))
      for (const block of content) tokens += blockTokens(block)
    counted = messages.length
    return tokens
  })
}

type Block =
  Request["messages"] extends Iterable<infer M>
    ? M extends { content: readonly (infer B)[] }
      ? B
      : never
    : never

function blockTokens(block: Block): number {
  switch (block.type) {
    case "text":
    case "reasoning":
      return estimateTokens(block.text)
    case "tool-call":
      return estimateTokens(block.name) + estimateTokens(JSON.stringify(block.input))
    case "tool-result":
      return block.content.reduce((sum, inner) => sum + blockTokens(inner), 0)
    case "image":
    case "file":
      throw new Error("This session has no media.")
    case "tool-added":
    case "tool-removed":
      throw new Error("The tools of this session do not change.")
  }
}

function shareCells({ asides, context, share }: Figures): readonly string[] {
  return [number(tokensOf(asides)), number(context), percent(share)]
}

function sumCells({ sent, sentReminders }: Figures): readonly string[] {
  return [number(sentReminders), number(sent), percent(sentReminders / sent)]
}

function tokensOf(asides: readonly Aside[]): number {
  return asides.reduce((sum, { tokens }) => sum + tokens, 0)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function number(value: number): string {
  return value.toLocaleString("en")
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)}%`
}
