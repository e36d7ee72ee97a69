import { inline } from "../../text/reminder-text.js"
import { defineRule } from "../rule.js"
import { onSignal } from "../shapes.js"
import { fieldsOf } from "../signals.js"

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

/** Says that a turn was interrupted, unless a hook did it: then `hook_stopped_continuation` says so. */
export const interrupted = defineRule({
  kind: "interrupted",
  signals: ["turn.aborted", "hook.stopped"],
  onlyOnSignals: true,
  priority: 75,
  decide: ({ signals }) => {
    if (signals.some(({ type }) => type === "hook.stopped")) return [{ why: "a hook stopped the turn" }]
    const line = "The previous turn was interrupted before it ended: what it was doing may be half done."
    return signals.length === 0 ? [] : [{ forms: [{ line }] }]
  },
})

export const sessionResumed = onSignal({
  kind: "session_resumed",
  signal: "session.resumed",
  priority: 75,
  say: (signals) => {
    const away = signals
      .map((signal) => fieldsOf(signal, "session.resumed")?.away)
      .findLast((one) => one !== undefined)
    const after = away === undefined ? "" : ` after ${inline(away)}`
    return [
      {
        line: `The session was resumed${after}. What is known to have changed meanwhile is told separately.`,
      },
    ]
  },
})

export const loopDetected = onSignal({
  kind: "loop_detected",
  signal: "loop.detected",
  priority: 75,
  key: (signal) => fieldsOf(signal, "loop.detected")?.tool ?? "",
  say: (signals) => {
    const { tool = "a tool", times = 0 } = fieldsOf(signals.at(-1) ?? signals[0], "loop.detected") ?? {}
    const line = `The last ${times} calls of ${inline(tool)} had the same input. If the outcome is the same too, another approach is needed.`
    return [{ line }]
  },
})

export const hookStoppedContinuation = onSignal({
  kind: "hook_stopped_continuation",
  signal: "hook.stopped",
  priority: 70,
  trust: "user",
  key: (signal) => fieldsOf(signal, "hook.stopped")?.hook ?? "",
  say: (signals) => {
    const { hook = "", message = "" } = fieldsOf(signals.at(-1) ?? signals[0], "hook.stopped") ?? {}
    return [hookForm(`The hook ${inline(hook)} stopped the turn from going on`, hook, message)]
  },
})

/** What a hook says, while the turn waited for it or later. */
export const asyncHookResponse = onSignal({
  kind: "async_hook_response",
  signal: "hook.answered",
  priority: 65,
  trust: "user",
  key: (signal) => {
    const { hook = "", late } = fieldsOf(signal, "hook.answered") ?? {}
    return late === true ? `late:${hook}` : hook
  },
  say: (signals) => {
    const answers = signals.flatMap((signal) => fieldsOf(signal, "hook.answered") ?? [])
    const { hook = "", late } = answers[0] ?? {}
    const message = answers.map((answer) => answer.message ?? "").join("\n")
    const what = late === true ? `${inline(hook)}, which runs beside the turn,` : inline(hook)
    return [hookForm(`The hook ${what} answered`, hook, message)]
  },
})

function hookForm(what: string, hook: string, message: string) {
  if (message.trim() === "") return { line: `${what}.` }
  return { line: `${what}:`, body: { text: message, source: `hook ${hook}`, trust: "user" } as const }
}
