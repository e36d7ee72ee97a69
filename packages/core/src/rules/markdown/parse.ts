import { inline } from "../../text/reminder-text.js"
import type { Signal } from "../../vocabulary/signal.js"
import { defineRule, type Moment, type Rule, type Throttle } from "../rule.js"
import { type Condition, namedValue, parseCondition } from "./condition.js"
import { badRule, type Document, type Field, parseFrontMatter } from "./front-matter.js"

const FIELDS = ["kind", "on", "every", "when", "limit", "priority", "agents"] as const

/**
 * Parses a rule that a user wrote as Markdown: front matter that says when, and the text. `path` names it in errors,
 * and, without `kind`, is what it is called after.
 */
export function parseRule(markdown: string, path: string): Rule {
  const document = parseFrontMatter(markdown, path, FIELDS)
  const { fields, body } = document
  if (body === "") throw badRule(path, 1, "The rule says nothing.", "Write its text below the front matter.")
  const signals = fields.get("on")?.values ?? []
  const every = everyOf(fields.get("every"), path)
  if (signals.length === 0 && every === undefined)
    throw badRule(
      path,
      1,
      "The rule never speaks.",
      "Say when: `on: file.edited`, `every: 10 steps`, or both.",
    )
  const conditions = (fields.get("when")?.values ?? []).map((text) =>
    parseCondition(text, path, fields.get("when")?.line ?? 1),
  )
  const limit = numberOf(fields.get("limit"), path, 1)
  const priority = numberOf(fields.get("priority"), path, 0)
  const agents = fields.get("agents")?.values
  const throttle: Throttle = { ...every, ...(limit !== undefined && { limit }) }

  return defineRule({
    kind: kindOf(document, path),
    trust: quotesOutsiders(body) ? "untrusted" : "user",
    source: path,
    throttle,
    ...(priority !== undefined && { priority }),
    ...(agents !== undefined && { agents }),
    ...(signals.length > 0 && { signals, onlyOnSignals: true }),
    decide: (moment) => {
      if (signals.length === 0 && !isDue(moment, every)) return [{ why: "not due yet" }]
      // The newest signal that meets the conditions speaks for all that came.
      const heard: readonly (Signal | undefined)[] = signals.length === 0 ? [undefined] : moment.signals
      const signal = heard.findLastIndex((one) => falseIn(conditions, moment, one) === undefined)
      if (signal < 0) return [{ why: falseIn(conditions, moment, heard.at(-1)) ?? "returned nothing" }]
      return [{ forms: [{ line: fill(body, moment, heard[signal]) }] }]
    },
  })
}

/** Says why the first condition that does not hold does not. */
function falseIn(
  conditions: readonly Condition[],
  moment: Moment,
  signal: Signal | undefined,
): string | undefined {
  for (const condition of conditions) {
    const why = condition(moment, signal)
    if (why !== undefined) return why
  }
  return undefined
}

function isDue(moment: Moment, every: Throttle | undefined): boolean {
  const elapsed = moment.since("")
  return elapsed.steps >= (every?.steps ?? 0) && elapsed.turns >= (every?.turns ?? 0)
}

const PLACEHOLDER = /\{\{\s*([\w.:/-]+)\s*\}\}/g
const OWN_NAMES: readonly (string | undefined)[] = ["agent", "step", "turn"]

/** True if the text takes in what a signal or a fact says: then its author no longer vouches for all of it. */
function quotesOutsiders(text: string): boolean {
  return [...text.matchAll(PLACEHOLDER)].some(([, name]) => !OWN_NAMES.includes(name))
}

function fill(text: string, moment: Moment, signal: Signal | undefined): string {
  return text.replace(PLACEHOLDER, (placeholder, name: string) => {
    const value = namedValue(name, moment, signal)
    return value === undefined ? placeholder : inline(value)
  })
}

function everyOf(field: Field | undefined, path: string): Throttle | undefined {
  if (field === undefined) return undefined
  const found = /^(\d+)\s+(step|turn)s?$/.exec(field.values.join(" "))
  if (found === null || Number(found[1]) === 0)
    throw badRule(
      path,
      field.line,
      `every: "${field.values.join(" ")}" is no interval.`,
      "Write `10 steps` or `3 turns`.",
    )
  const count = Number(found[1])
  return found[2] === "step" ? { steps: count } : { turns: count }
}

function numberOf(field: Field | undefined, path: string, least: number): number | undefined {
  if (field === undefined) return undefined
  const written = field.values.join(", ")
  const value = Number(written)
  if (!Number.isInteger(value) || value < least)
    throw badRule(
      path,
      field.line,
      `${field.name}: "${written}" is no whole number.`,
      `Write one from ${least}.`,
    )
  return value
}

function kindOf({ fields }: Document, path: string): string {
  const given = fields.get("kind")
  const name = given?.values[0] ?? path.replace(/^.*[/\\]/, "").replace(/\.[^.]*$/, "")
  if (!/^[\w.:-]+$/.test(name))
    throw badRule(
      path,
      given?.line ?? 1,
      `"${name}" cannot be the kind of a rule.`,
      "Set `kind:` to letters, digits, _ - . : only.",
    )
  return name
}
