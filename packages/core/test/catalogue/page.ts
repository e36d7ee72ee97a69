import {
  type Aside,
  defineRule,
  estimateTokens,
  type Moment,
  type Rule,
  type SessionOptions,
  standardRules,
  wrapReminder,
} from "@sotto/core"
import type { Case, Drive } from "./case.js"
import { CASES } from "./cases.js"
import { drivesOf } from "./texts.js"
import { boundary, sessionFor } from "./walker.js"
import { WHEN } from "./when.js"

/** `docs/reference/reminders.md`, from the rules themselves and from what the cases make them say. */
export function remindersPage(): string {
  const entries = standardRules().map((rule) => describeRule(rule, caseOf(rule)))
  return [
    "# Reminders",
    "",
    "<!-- Written by `npm run docs` from the rules in packages/core; a test says when it is not current. -->",
    "",
    "Every kind of reminder that Sotto has, when it speaks, and what it costs. Each can be turned off or changed by",
    "its name: `reminders: { todo_reminder: false, plan_mode: { throttle: { turns: 10 } } }`. To add one of your own,",
    "see [Write a rule](../write-a-rule.md).",
    "",
    "- **priority**: higher speaks first. **exempt**: said whatever the budget.",
    "- **trust**: `harness` and `user` may travel with system authority; what quotes anybody else never does.",
    "- **carrier**: how it travels to a model that takes system messages (Claude Opus 5.5), and to one that does not (Claude Sonnet",
    "  4.5), after a tool result; *not told* where its window is too small. [How reminders travel](../concepts/reminders-travel.md)",
    "  explains the carriers.",
    "- **tokens**: of the examples below, tags included (a quarter of the UTF-8 bytes): full, and short where there is a short form.",
    "- **after a compaction**: whether it is told again, once, when a summary has replaced the conversation.",
    "",
    ...table([
      [
        "kind",
        "priority",
        "throttle",
        "trust",
        "carrier",
        "exempt",
        "threads",
        "after a compaction",
        "tokens",
      ],
      ...entries.map((entry) => [
        `[\`${entry.kind}\`](#${entry.kind})`,
        entry.priority,
        entry.throttle,
        entry.trust,
        entry.carrier,
        entry.exempt,
        entry.threads,
        entry.afterCompaction,
        entry.tokens,
      ]),
    ]),
    ...entries.flatMap((entry) => [
      "",
      `## ${entry.kind}`,
      "",
      `When ${entry.when}.${entry.optIn ? " Off unless the settings name it." : ""}`,
      ...(entry.listensTo.length > 0 ? ["", `Listens to ${entry.listensTo.join(", ")}.`] : []),
      "",
      "```text",
      entry.full,
      "```",
      ...(entry.short === undefined ? [] : ["", "In short:", "", "```text", entry.short, "```"]),
    ]),
    "",
  ].join("\n")
}

function describeRule(rule: Rule, one: Case) {
  const full = said(one, one.drive)
  const short = shortForm(one, full)
  return {
    kind: rule.kind,
    when: WHEN[rule.kind] ?? "",
    optIn: rule.optIn === true,
    priority: String(rule.priority ?? 50),
    throttle: throttleOf(rule),
    trust: rule.trust ?? (full.includes("<reminder-body") ? "untrusted body" : "harness"),
    carrier: carriersOf(one),
    exempt: rule.exempt ? "yes" : "",
    threads: rule.threads?.join(", ") ?? "all",
    afterCompaction: one.afterCompaction.says === undefined ? "" : "told again",
    listensTo: listensTo(rule, one),
    tokens: [full, ...(short === undefined ? [] : [short])].map(tokensOf).join(" / "),
    full,
    short,
  }
}

function caseOf({ kind }: Rule): Case {
  const one = CASES.find((candidate) => candidate.kind === kind)
  if (one === undefined) throw new Error(`There is no case for ${kind}: add one to test/catalogue/cases.`)
  return one
}

/** What the model is told after a drive; with a budget that is too small for it, what it is told instead. */
function said(one: Case, drive: Drive, perStep = 8_000): string {
  const tight = { budget: { perStep }, ...(perStep < 8_000 && { countTokens: estimateTokens }) }
  return tell(one, drive, tight)?.text ?? ""
}

/** How a reminder travels to a model that takes system messages, and to one that does not. */
function carriersOf(one: Case): string {
  const carriers = ["claude-opus-5-5", "claude-sonnet-4-5"].map(
    (id) => tell(one, one.drive, { model: { id } })?.carrier ?? "",
  )
  return [...new Set(carriers)].map((carrier) => (carrier === "" ? "not told" : `\`${carrier}\``)).join(" / ")
}

function tell(one: Case, drive: Drive, overrides: Partial<SessionOptions>): Aside | undefined {
  const session = sessionFor(one, overrides)
  const before = session.asides().length
  drive(session)
  for (let i = 0; i < 2; i++) {
    boundary(session)
    const told = session.asides().slice(before)
    const heard = told.findLast(({ kind }) => kind === one.kind)
    if (heard !== undefined) return heard
  }
  return undefined
}

function shortForm(one: Case, full: string): string | undefined {
  const afterwards = one.variants?.["in short"]
  const text = said(one, afterwards?.drive ?? one.drive, afterwards ? undefined : tokensOf(full) - 1)
  return text === "" || text.includes("[cut to fit") || tokensOf(text) >= tokensOf(full) ? undefined : text
}

function tokensOf(text: string): number {
  return estimateTokens(wrapReminder(text))
}

function throttleOf({ throttle = {} }: Rule): string {
  const { steps, turns, limit } = throttle
  const parts = [steps && `${steps} steps`, turns && `${turns} turns`, limit && `${limit} times`]
  return parts.filter(Boolean).join(", ")
}

/** The signals and facts that a rule asks for while its case is played: by what it does, not by what it declares. */
function listensTo(rule: Rule, one: Case): readonly string[] {
  const asked = new Set((rule.signals ?? []).map((type) => `the signal \`${type}\``))
  const spied = defineRule({ ...rule, decide: (moment) => rule.decide(listening(moment, asked)) })
  // The inbox speaks for its kind, and nobody can stand in for it.
  if (rule.kind !== "queued_command")
    for (const drive of drivesOf(one)) {
      const session = sessionFor(one, {
        rules: standardRules().map((other) => (other.kind === rule.kind ? spied : other)),
      })
      drive(session)
      boundary(session)
    }
  return [...asked].toSorted()
}

function listening(moment: Moment, asked: Set<string>): Moment {
  const fact = (key: string) => asked.add(`the fact \`${key}\``)
  return {
    ...moment,
    fact: (key) => {
      fact(key)
      return moment.fact(key)
    },
    facts: (family) => {
      const found = moment.facts(family)
      for (const [key] of found) fact(key === family || family.includes(":") ? key : `${family}:*`)
      return found
    },
    since: (type) => {
      if (type !== "") asked.add(`the signal \`${type}\``)
      return moment.since(type)
    },
  }
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const [heading = [], ...rest] = rows
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`
  return [line(heading), line(heading.map(() => "---")), ...rest.map(line)]
}
