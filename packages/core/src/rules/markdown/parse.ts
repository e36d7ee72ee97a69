import { inline } from "../../text/reminder-text.js"
import { SottoError } from "../../vocabulary/errors.js"
import { factText, lastValue } from "../../vocabulary/fact.js"
import type { Json } from "../../vocabulary/json.js"
import type { Signal } from "../../vocabulary/signal.js"
import { defineRule, type Moment, type Rule, type Throttle } from "../rule.js"

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

/** Says in words why it does not hold: what was asked for, and what is the case. Undefined if it holds. */
type Condition = (moment: Moment, signal: Signal | undefined) => string | undefined

/** Parses `name`, `name = pattern` or `name != pattern`; in a pattern `*` stands for anything. */
function parseCondition(text: string, path: string, line: number): Condition {
  const found = /^([\w.:/-]+)\s*(?:(!?=)\s*(.+))?$/.exec(text.trim())
  if (found === null || found[3]?.startsWith("="))
    throw badRule(
      path,
      line,
      `"${text}" is no condition.`,
      "Write `agent = build`, `path = src/*.ts`, or the name of a fact.",
    )
  const [, name = "", operator, pattern = ""] = found
  const because = (value: string | undefined) =>
    `condition false: ${inline(text.trim())} (${value === undefined ? "nothing is known of it" : `it is ${inline(value)}`})`
  if (operator === undefined)
    return (moment, signal) => {
      const value = namedValue(name, moment, signal)
      return holds(value) ? undefined : because(value)
    }
  const matches = starPattern(pattern.trim().replace(/^(["'])(.*)\1$/, "$2"))
  return (moment, signal) => {
    const value = namedValue(name, moment, signal)
    return (value !== undefined && matches(value)) === (operator === "=") ? undefined : because(value)
  }
}

/** Finds the value of a name: a field of the signal, the agent, or a fact, in this order. */
function namedValue(
  name: string,
  { agent, step, turn, fact }: Moment,
  signal: Signal | undefined,
): string | undefined {
  const own = signal?.[name]
  if (own !== undefined && own !== null && name !== "type") return factText(own as Json)
  if (name === "agent") return agent.name
  if (name === "step") return String(step)
  if (name === "turn") return String(turn)
  const known = fact(name)
  const value = known && lastValue(known)
  return value === undefined ? undefined : factText(value)
}

function holds(value: string | undefined): boolean {
  return value !== undefined && !["", "false", "null", "[]", "{}", "0"].includes(value)
}

/**
 * Matches a pattern with stars. The first and last piece are where they must be, and each between is best found as
 * early as it can be. So nothing is ever tried twice, as a regular expression would.
 */
function starPattern(pattern: string): (text: string) => boolean {
  const [first = "", ...others] = pattern.split("*")
  const last = others.pop()
  if (last === undefined) return (text) => text === first
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) return false
    let at = first.length
    for (const piece of others) {
      const found = text.indexOf(piece, at)
      if (found < 0) return false
      at = found + piece.length
    }
    return at + last.length <= text.length
  }
}

/** A field of the front matter, and the line it stands in. */
interface Field {
  readonly name: string
  readonly values: readonly string[]
  readonly line: number
}

interface Document {
  readonly fields: ReadonlyMap<string, Field>
  readonly body: string
}

/** Says what is wrong with a rule's file, where, and what to write instead. */
function badRule(path: string, line: number, what: string, remedy: string): SottoError {
  return new SottoError("bad-rule", `${path}:${line}: ${what}`, remedy)
}

/**
 * Parses `name: value`, `name: a, b`, `name: [a, b]`, or `name:` and a list of `- value` lines, between two lines of
 * `---`.
 */
function parseFrontMatter(markdown: string, path: string, known: readonly string[]): Document {
  const lines = markdown.replace(/^\ufeff/, "").split(/\r?\n/)
  if (lines[0]?.trim() !== "---")
    throw badRule(
      path,
      1,
      "The file does not begin with front matter.",
      "Begin with a line of ---, then `on:` or `every:`.",
    )
  const end = lines.findIndex((line, i) => i > 0 && line.trim() === "---")
  if (end < 0)
    throw badRule(path, lines.length, "The front matter does not end.", "Close it with a line of ---.")

  const fields = new Map<string, Field>()
  let open: Field | undefined
  lines.slice(1, end).forEach((text, i) => {
    const line = i + 2
    const item = /^\s*-\s+(.*)$/.exec(text)
    if (text.trim() === "" || text.trim().startsWith("#")) return
    if (item && open) {
      open = { ...open, values: [...open.values, unquoted(withoutComment(item[1] ?? ""))] }
      fields.set(open.name, open)
      return
    }
    const pair = /^(\w+)\s*:(.*)$/.exec(text)
    if (pair === null) throw badRule(path, line, `"${text.trim()}" is no field.`, "Write `name: value`.")
    const name = pair[1] ?? ""
    if (!known.includes(name))
      throw badRule(path, line, `There is no field "${name}".`, `Use: ${known.join(", ")}.`)
    if (fields.has(name)) throw badRule(path, line, `"${name}" is given twice.`, "Keep one of them.")
    open = { name, values: valuesIn(pair[2] ?? ""), line }
    fields.set(name, open)
  })
  for (const { name, values, line } of fields.values())
    if (values.length === 0)
      throw badRule(path, line, `"${name}" has no value.`, "Give it one, or leave the field out.")
  return {
    fields,
    body: lines
      .slice(end + 1)
      .join("\n")
      .trim(),
  }
}

function valuesIn(text: string): readonly string[] {
  const list = withoutComment(text)
    .trim()
    .replace(/^\[(.*)\]$/, "$1")
  // A comma between quotes separates nothing.
  const pieces = list.match(/(?:"[^"]*"|'[^']*'|[^,])+/g) ?? []
  return pieces.map(unquoted).filter((value) => value !== "")
}

function withoutComment(text: string): string {
  return text.replace(/\s+#.*$/, "")
}

function unquoted(value: string): string {
  return value.trim().replace(/^(["'])(.*)\1$/, "$2")
}
