import type { HttpDialectName } from "../../src/call.js"
import type { Cause } from "../../src/index.js"
import { isOnlyReminders, remindersIn } from "../../src/segments/reminders/recognise.js"
import type { SegmentKind, Slot } from "../../src/segments/segment.js"
import { textsOf } from "../../src/segments/words.js"
import type { Body } from "./history.js"
import { at, clone, conversation, insertMessage, message, remove, set, slots } from "./paths.js"

/**
 * One thing that a harness does wrong from some call on. `prepare` picks a place in what was already sent, by chance, and
 * returns what happens to every later body; undefined if this history has no place for it.
 */
export interface Fault {
  readonly cause: Cause
  readonly name: string
  readonly prepare: (
    sent: Body,
    next: Body,
    dialect: HttpDialectName,
    chance: number,
  ) => ((body: Body) => Body) | undefined
  /** True if nothing of what was sent is left: no trace can tell that from another conversation, so it is no break. */
  readonly leavesNothing?: (sent: Body, dialect: HttpDialectName) => boolean
}

const isAllThatWasSaid = (sent: Body, dialect: HttpDialectName) => places(sent, dialect, "text").length === 1

const pick = <T>(list: readonly T[], chance: number): T | undefined => list[Math.floor(chance * list.length)]

const isReminder = (slot: Slot) => isOnlyReminders(slot, remindersIn(slot))

function places(body: Body, dialect: HttpDialectName, kind: SegmentKind, role?: RegExp): readonly Slot[] {
  return slots(body, dialect).filter(
    (slot) =>
      slot.section === "messages" &&
      slot.kind === kind &&
      (role?.test(slot.role) ?? true) &&
      !isReminder(slot),
  )
}

function wholeReminders(body: Body, dialect: HttpDialectName): readonly Slot[] {
  return slots(body, dialect).filter((one) => one.section === "messages" && isReminder(one))
}

function sameWords(a: Slot, b: Slot): boolean {
  return textsOf(a).join() === textsOf(b).join()
}

/** Replaces every text of a segment. */
function reword(body: Body, path: string, change: (text: string) => string): Body {
  const copy = clone(body)
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit)
    if (value === null || typeof value !== "object") return value
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) =>
        typeof inner === "string" && ["text", "output", "content"].includes(key)
          ? [key, change(inner)]
          : [key, visit(inner)],
      ),
    )
  }
  const found = at(copy, path)
  return set(copy, path, typeof found === "string" ? change(found) : visit(found))
}

const bodyPath = (body: Body, path: string): string =>
  typeof at(body, path.replace(/\.0$/, "")) === "string" ? path.replace(/\.0$/, "") : path

function toolList(dialect: HttpDialectName): string {
  return dialect === "gemini" ? "tools.0.functionDeclarations" : "tools"
}

/** The description stands in a field of its own in each dialect. */
function describe(tool: unknown, change: (text: string) => string): unknown {
  return JSON.parse(
    JSON.stringify(tool, (key, value) =>
      key === "description" && typeof value === "string" ? change(value) : value,
    ),
  )
}

const REMINDER =
  "<system-reminder>\nThe build is red since the last change of the schema.\n</system-reminder>"

const toolFaults: readonly Fault[] = [
  {
    cause: "tools-added",
    name: "a tool is added",
    prepare: (_, __, dialect, chance) => (body) => {
      const list = toolList(dialect)
      const tools = [...(at(body, list) as unknown[])]
      const added = JSON.parse(JSON.stringify(tools[0]).replaceAll("bash", "fetch"))
      tools.splice(Math.floor(chance * (tools.length + 1)), 0, added)
      return set(body, list, tools)
    },
  },
  {
    cause: "tools-removed",
    name: "a tool is removed",
    prepare: (_, __, dialect, chance) => (body) => {
      const list = toolList(dialect)
      const tools = [...(at(body, list) as unknown[])]
      tools.splice(Math.floor(chance * tools.length), 1)
      return set(body, list, tools)
    },
  },
  {
    cause: "tools-reordered",
    name: "two tools change places",
    prepare: (_, __, dialect, chance) => (body) => {
      const list = toolList(dialect)
      const tools = [...(at(body, list) as unknown[])]
      const i = Math.floor(chance * (tools.length - 1))
      tools.splice(i, 2, tools[i + 1], tools[i])
      return set(body, list, tools)
    },
  },
  {
    cause: "tool-reworded",
    name: "a tool is described differently",
    prepare: (_, __, dialect, chance) => (body) => {
      const list = toolList(dialect)
      const tools = [...(at(body, list) as unknown[])]
      const i = Math.floor(chance * tools.length)
      tools[i] = describe(tools[i], (text) => `${text} Ask first.`)
      return set(body, list, tools)
    },
  },
  {
    cause: "serialisation",
    name: "the keys of a tool stand in another order",
    prepare: (_, __, dialect, chance) => (body) => {
      const list = toolList(dialect)
      const tools = [...(at(body, list) as unknown[])]
      const i = Math.floor(chance * tools.length)
      tools[i] = reversed(tools[i])
      return set(body, list, tools)
    },
  },
]

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (value === null || typeof value !== "object") return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]) => [key, reversed(inner)])
      .reverse(),
  )
}

const system = (name: string, from: RegExp, to: string): Fault => ({
  cause: "system-changed",
  name,
  prepare: (_, next, dialect) => {
    const slot = slots(next, dialect).find(({ section }) => section === "system")
    if (slot === undefined) return undefined
    const path = bodyPath(next, slot.path)
    return (body) => reword(body, path, (text) => text.replace(from, to))
  },
})

const reminderFaults: readonly Fault[] = [
  {
    cause: "reminder-inserted",
    name: "a reminder is put in between",
    prepare: (sent, _, dialect, chance) => {
      const index = 1 + Math.floor(chance * (conversation(sent).length - 2))
      if (conversation(sent).length < 4) return undefined
      return (body) => insertMessage(body, index, message(dialect, "user", REMINDER))
    },
  },
  {
    cause: "reminder-removed",
    name: "a reminder is taken out",
    prepare: (sent, next, dialect, chance) => {
      const slot = pick(wholeReminders(sent, dialect), chance)
      if (slot === undefined) return undefined
      // The same words arrive anew in the same call: that is how a reminder moves.
      const times = (body: Body) => wholeReminders(body, dialect).filter((one) => sameWords(one, slot)).length
      if (times(next) > times(sent)) return undefined
      return (body) => remove(body, bodyPath(body, slot.path))
    },
  },
  {
    cause: "reminder-removed",
    name: "a reminder is taken out of a result",
    prepare: (sent, _, dialect, chance) => {
      const slot = pick(
        places(sent, dialect, "result").filter((one) => remindersIn(one).length > 0),
        chance,
      )
      if (slot === undefined) return undefined
      const { text } = remindersIn(slot)[0] ?? { text: "" }
      return (body) => {
        const value = at(body, slot.path) as { content: { text?: string }[] }
        return set(
          body,
          `${slot.path}.content`,
          value.content.filter((one) => one.text !== text),
        )
      }
    },
  },
  {
    cause: "reminder-changed",
    name: "a reminder is rendered again",
    prepare: (sent, _, dialect, chance) => {
      const slot = pick(wholeReminders(sent, dialect), chance)
      if (slot === undefined) return undefined
      return (body) => reword(body, bodyPath(body, slot.path), (text) => text.replace(/word\d+/g, "other"))
    },
  },
  {
    cause: "reminder-moved",
    name: "a reminder moves to the end",
    prepare: (sent, next, dialect, chance) => {
      const slot = pick(wholeReminders(sent, dialect), chance)
      if (slot === undefined) return undefined
      const [text = ""] = textsOf(slot)
      const length = conversation(next).length
      const moved = message(dialect, slot.role, text)
      return (body) => remove(insertMessage(body, length, moved), bodyPath(body, slot.path))
    },
  },
]

const resultFault = (cause: Cause, name: string, change: (text: string) => string): Fault => ({
  cause,
  name,
  prepare: (sent, _, dialect, chance) => {
    const slot = pick(places(sent, dialect, "result"), chance)
    if (slot === undefined) return undefined
    const own = textsOf(slot)[0] ?? ""
    return (body) => reword(body, slot.path, (text) => (text === own ? change(text) : text))
  },
})

const messageFaults: readonly Fault[] = [
  resultFault("result-masked", "a result is masked", () => "[Old tool output cleared]"),
  resultFault("result-masked", "a result is cut short", (text) => text.slice(0, 200)),
  resultFault("result-changed", "a result changes", (text) => text.replaceAll(/word\d/g, "term")),
  {
    cause: "reasoning-removed",
    name: "thinking is stripped",
    prepare: (sent, _, dialect, chance) => {
      const slot = pick(places(sent, dialect, "reasoning"), chance)
      return slot && ((body) => remove(body, slot.path))
    },
  },
  {
    cause: "message-inserted",
    name: "a message is inserted",
    prepare: (sent, _, dialect, chance) => {
      if (conversation(sent).length < 4) return undefined
      const index = 1 + Math.floor(chance * (conversation(sent).length - 2))
      return (body) =>
        insertMessage(body, index, message(dialect, chance > 0.5 ? "user" : "assistant", "By the way."))
    },
  },
  {
    cause: "message-edited",
    name: "a message is edited",
    prepare: (sent, _, dialect, chance) => {
      const slot = pick(places(sent, dialect, "text"), chance)
      if (slot === undefined) return undefined
      return (body) => reword(body, bodyPath(body, slot.path), (text) => `${text} (edited)`)
    },
  },
  {
    cause: "message-edited",
    name: "a message is replaced",
    prepare: (sent, _, dialect, chance) => {
      const slot = pick(places(sent, dialect, "text"), chance)
      if (slot === undefined) return undefined
      return (body) => reword(body, bodyPath(body, slot.path), () => "Something else entirely.")
    },
    leavesNothing: isAllThatWasSaid,
  },
  {
    cause: "message-removed",
    name: "a message is dropped",
    prepare: (sent, _, dialect, chance) => {
      const slot = pick(places(sent, dialect, "text"), chance)
      return slot && ((body) => remove(body, bodyPath(body, slot.path)))
    },
    leavesNothing: isAllThatWasSaid,
  },
  {
    cause: "media-removed",
    name: "an image is dropped",
    prepare: (sent, _, dialect, chance) => {
      const slot = pick(places(sent, dialect, "media"), chance)
      return slot && ((body) => remove(body, slot.path))
    },
  },
  {
    cause: "media-removed",
    name: "an image gives way to a note",
    prepare: (sent, _, dialect, chance) => {
      const slot = pick(places(sent, dialect, "media"), chance)
      const note = dialect === "openai" ? "input_text" : "text"
      const value = dialect === "gemini" ? { text: "[image]" } : { type: note, text: "[image]" }
      return slot && ((body) => set(body, slot.path, value))
    },
  },
  {
    cause: "serialisation",
    name: "the arguments of a call are written differently",
    prepare: (sent, _, dialect, chance) => {
      const slot = pick(places(sent, dialect, "call"), chance)
      if (slot === undefined) return undefined
      return (body) => {
        const value = at(body, slot.path)
        const spaced = JSON.parse(
          JSON.stringify(value, (key, inner) =>
            key === "arguments" && typeof inner === "string"
              ? JSON.stringify(JSON.parse(inner), undefined, 1)
              : key === "input" || key === "args"
                ? reversed(inner)
                : inner,
          ),
        )
        return set(body, slot.path, spaced)
      }
    },
  },
  {
    cause: "compacted",
    name: "the history is summarised",
    prepare: (sent, next, dialect) => {
      const length = conversation(next).length
      if (length < 8 || conversation(sent).length < 6) return undefined
      return (body) => {
        const copy = clone(body)
        const list = conversation(copy) as unknown[]
        const from = ["system", "developer"].includes((list[0] as { role: string }).role) ? 1 : 0
        const summary =
          "Summary of the conversation so far: the user asked for two things, and both are done."
        list.splice(from, length - from, message(dialect, "user", summary))
        return copy
      }
    },
  },
]

const parameter = (name: string, only: readonly HttpDialectName[], change: Body): Fault => ({
  cause: "parameter-changed",
  name,
  prepare: (_, __, dialect) => (only.includes(dialect) ? (body) => ({ ...body, ...change }) : undefined),
})

const parameterFaults: readonly Fault[] = [
  parameter("another model", ["anthropic", "openai", "openai-chat"], { model: "another-model-3" }),
  parameter("another tool choice", ["anthropic"], { tool_choice: { type: "none" } }),
  parameter("another tool choice", ["openai", "openai-chat"], { tool_choice: "none" }),
  parameter("another tool choice", ["gemini"], { toolConfig: { functionCallingConfig: { mode: "NONE" } } }),
  parameter("another thinking budget", ["anthropic"], {
    thinking: { type: "enabled", budget_tokens: 4_096 },
  }),
  parameter("another thinking budget", ["gemini"], {
    generationConfig: { thinkingConfig: { thinkingBudget: 99 } },
  }),
  parameter("another effort", ["openai"], { reasoning: { effort: "high" } }),
  parameter("another effort", ["openai-chat"], { reasoning_effort: "high" }),
  parameter("another cache key", ["openai", "openai-chat"], { prompt_cache_key: "run-2" }),
]

const stringFault: Fault = {
  cause: "serialisation",
  name: "a list of one text becomes a string",
  prepare: (sent, _, dialect, chance) => {
    if (dialect === "gemini" || dialect === "openai") return undefined
    const whole = places(sent, dialect, "text").filter(({ path, marked }) => {
      const content = at(sent, path.split(".").slice(0, 3).join("."))
      return Array.isArray(content) && content.length === 1 && !marked
    })
    const slot = pick(whole, chance)
    if (slot === undefined) return undefined
    const path = slot.path.split(".").slice(0, 3).join(".")
    return (body) => set(body, path, (at(body, slot.path) as { text: string }).text)
  },
}

export const FAULTS: readonly Fault[] = [
  ...toolFaults,
  system("the date in the system prompt", /2026-11-16/, "2026-11-17"),
  system("the time in the system prompt", /09:15/, "09:16"),
  system("a counter in the system prompt", /Request 17/, "Request 18"),
  system("an id in the system prompt", /3f2a9c1e/, "11bb22cc"),
  ...reminderFaults,
  ...messageFaults,
  ...parameterFaults,
  stringFault,
]

/** A history in which a fault holds from call `from` on, counted from 0. Undefined if it has no place in it. */
export function withFault(
  bodies: readonly Body[],
  fault: Fault,
  dialect: HttpDialectName,
  from: number,
  chance: number,
): readonly Body[] | undefined {
  const [sent, next] = [bodies[from - 1], bodies[from]]
  if (sent === undefined || next === undefined) return undefined
  const change = fault.prepare(sent, next, dialect, chance)
  return change && bodies.map((body, i) => (i < from ? body : change(body)))
}
