import type { Json } from "../../json.js"
import { defineRule } from "../rule.js"
import { onCadence, onSignal } from "../shapes.js"
import { fieldsOf } from "../signals.js"

/** The list tool has not been used for a while, and the list is not empty. */
export const todoReminder = onCadence({
  kind: "todo_reminder",
  every: { steps: 10 },
  since: "todo.written",
  priority: 20,
  threads: ["main"],
  say: ({ fact }, short) => {
    const todos = fact("todos")
    const lines = todos?.is === "known" ? todoLines(todos.value) : []
    if (lines.length === 0) return []
    const line = "The todo list as it stands; the todo_write tool keeps it current."
    const full = `The todo list has not been brought up to date for a while. todo_write does that. As it stands:`
    const text = lines.join("\n")
    return [{ line: short ? line : full, body: { text, source: "todo list", trust: "user" } }]
  },
})

function todoLines(value: Json): readonly string[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((todo: Json) => {
    if (todo === null || typeof todo !== "object" || Array.isArray(todo)) return []
    const { content, status } = todo as { content?: Json; status?: Json }
    return typeof content === "string" ? [`- [${typeof status === "string" ? status : "pending"}] ${content}`] : []
  })
}

export const criticalSystemReminder = onSignal({
  kind: "critical_system_reminder",
  signal: "critical",
  priority: 110,
  exempt: true,
  key: (signal) => fieldsOf(signal, "critical")?.text ?? "",
  say: ([signal]) => {
    const text = fieldsOf(signal, "critical")?.text
    return text ? [{ line: text }] : []
  },
})

/** The user stopped the turn: what was under way may be half done. */
export const interrupted = defineRule({
  kind: "interrupted",
  priority: 75,
  signals: ["turn.aborted"],
  decide: ({ signals }) =>
    signals.length === 0
      ? []
      : [
          {
            forms: [
              { line: "The previous turn was interrupted before it ended: what it was doing may be half done." },
            ],
          },
        ],
})
