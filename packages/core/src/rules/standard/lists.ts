import type { Json } from "../../vocabulary/json.js"
import { listed } from "../capped.js"
import type { StandardKind } from "../kinds.js"
import type { Moment, Rule } from "../rule.js"
import { onCadence } from "../shapes.js"
import type { SignalType } from "../signals.js"
import { known, lostInCompaction, stringIn } from "./facts.js"
import type { CheckedNames } from "./names.js"

const MOST_ITEMS = 40

/** Nothing remains to be done about an item in one of these states. */
const OVER: ReadonlySet<string> = new Set(["completed", "cancelled"])

/**
 * Nudges about a list that has gone stale: its tool unused for ten steps, ten since the last nudge, and something left
 * to do.
 */
function staleList(
  kind: StandardKind,
  fact: string,
  written: SignalType,
  what: string,
  tools: readonly (string | undefined)[],
): Rule<StandardKind> {
  const names = tools.filter((name) => name !== undefined)
  const keeps =
    names.length === 0 ? "" : `${names.join(" and ")} ${names.length === 1 ? "keeps" : "keep"} it current`
  const keeper = keeps === "" ? "" : ` (${keeps})`
  const cadence = onCadence({
    kind,
    every: { steps: 10 },
    since: written,
    priority: 20,
    threads: ["main"],
    say: (moment, short) => {
      const text = items(moment, fact)
      if (text === "") return []
      const neglected = `for ${moment.since(written).steps} steps`
      const line = short
        ? `The ${what}, not written ${neglected}${keeper}:`
        : `The ${what} has not been brought up to date ${neglected}${keeps === "" ? "" : `; ${keeps}`}. As it stands:`
      return [{ line, body: { text, source: what, trust: "user" } }]
    },
  })
  return {
    ...cadence,
    decide: (moment) => {
      const text = items(moment, fact)
      if (text === "" || !lostInCompaction(moment, fact)) return cadence.decide(moment)
      const line = `The ${what}, from before the conversation was compacted${keeper}:`
      return [{ memo: true, forms: [{ line, body: { text, source: what, trust: "user" } }] }]
    },
  }
}

export const todoReminder = ({ todo_write }: CheckedNames): Rule<StandardKind> =>
  staleList("todo_reminder", "todos", "todo.written", "todo list", [todo_write])

export const taskReminder = ({ task_create, task_update }: CheckedNames): Rule<StandardKind> =>
  staleList("task_reminder", "tasks", "task.written", "shared task list", [task_create, task_update])

/** Writes the list as text; empty if there is nothing left to do in it. */
function items(moment: Moment, fact: string): string {
  const list = known(moment, fact)
  if (!Array.isArray(list)) return ""
  if (list.every((item: Json) => OVER.has(stringIn(item, "status") ?? "pending"))) return ""
  const lines = list.flatMap((item: Json) => {
    const content = stringIn(item, "content")
    if (content === undefined) return []
    const [id, owner] = [stringIn(item, "id"), stringIn(item, "owner")]
    const name = id === undefined ? "" : `#${id} `
    const whose = owner === undefined ? "" : ` (${owner})`
    return [`- [${stringIn(item, "status") ?? "pending"}] ${name}${content}${whose}`]
  })
  return listed(lines, MOST_ITEMS)
}
