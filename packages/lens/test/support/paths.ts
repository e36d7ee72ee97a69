import type { HttpDialectName } from "../../src/call.js"
import { exactJson } from "../../src/segments/json.js"
import { SECTIONS, type Slot } from "../../src/segments/segment.js"
import { slotsOf } from "../../src/segments/slots.js"
import type { Body } from "./history.js"

export function slots(body: Body, dialect: HttpDialectName): readonly Slot[] {
  const all = slotsOf(body, dialect, undefined)
  return SECTIONS.flatMap((section) => all[section])
}

/** Where two bodies first differ, found the simple way: one segment after the other. */
export function firstDifferent(before: Body, after: Body, dialect: HttpDialectName): string | undefined {
  const all = (body: Body) => {
    const found = slotsOf(body, dialect, undefined)
    return SECTIONS.map((section) => found[section])
  }
  const [old, now] = [all(before), all(after)]
  for (const [i, list] of now.entries()) {
    const other = old[i] ?? []
    const isMessages = SECTIONS[i] === "messages"
    const length = isMessages ? other.length : Math.max(other.length, list.length)
    for (let j = 0; j < length; j++) {
      const [a, b] = [other[j], list[j]]
      const json = (slot: Slot | undefined) =>
        slot && `${slot.role} ${slot.bare} ${exactJson(slot.value, slot.marked === true)}`
      if (json(a) !== json(b)) return (b ?? a)?.path
    }
  }
  return undefined
}

export const clone = <T>(value: T): T => JSON.parse(JSON.stringify(value))

type Container = Record<string, unknown>

function steps(path: string): readonly string[] {
  return path.split(".")
}

export function at(body: unknown, path: string): unknown {
  return steps(path).reduce<unknown>((value, step) => (value as Container)[step], body)
}

export function set(body: Body, path: string, value: unknown): Body {
  const copy = clone(body)
  const parent = steps(path).slice(0, -1).join(".")
  const last = steps(path).at(-1) ?? ""
  const target = (parent === "" ? copy : at(copy, parent)) as Container
  target[last] = value
  return copy
}

/** Takes a segment out, and the message around it if nothing else is in it. */
export function remove(body: Body, path: string): Body {
  const copy = clone(body)
  const parts = steps(path)
  const parent = at(copy, parts.slice(0, -1).join("."))
  if (!Array.isArray(parent)) {
    delete (parent as Container)[parts.at(-1) ?? ""]
    return copy
  }
  parent.splice(Number(parts.at(-1)), 1)
  const list = at(copy, parts[0] ?? "")
  const isEmpty = parent.length === 0 && parts.length > 2 && Array.isArray(list)
  if (isEmpty && Object.keys(list[Number(parts[1])] as Container).length <= 3)
    list.splice(Number(parts[1]), 1)
  return copy
}

/** Puts a message before the one at an index of the conversation. */
export function insertMessage(body: Body, index: number, message: unknown): Body {
  const copy = clone(body)
  const list = (copy.messages ?? copy.input ?? copy.contents) as unknown[]
  list.splice(index, 0, message)
  return copy
}

export function message(dialect: HttpDialectName, role: string, text: string): unknown {
  switch (dialect) {
    case "anthropic":
    case "openai-chat":
      return { role, content: [{ type: "text", text }] }
    case "openai":
      return {
        type: "message",
        role,
        content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
      }
    case "gemini":
      return { role: role === "user" ? "user" : "model", parts: [{ text }] }
  }
}

export function conversation(body: Body): readonly unknown[] {
  return (body.messages ?? body.input ?? body.contents) as readonly unknown[]
}
