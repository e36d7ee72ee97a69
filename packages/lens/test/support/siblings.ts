import { isOnlyReminders, remindersIn } from "../../src/segments/reminders/recognise.js"
import type { Body } from "./history.js"
import { reminder } from "./mending.js"

interface Block extends Body {
  readonly type: string
  readonly text?: string
  readonly content?: string | readonly Block[]
}

export interface Message {
  readonly role: string
  readonly content: string | readonly Block[]
}

export const messagesOf = (body: Body): readonly Message[] => body.messages as readonly Message[]

export const blocksOf = ({ content }: Message): readonly Block[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content

const isReminder = (value: Block) => {
  const slot = { section: "messages", role: "user", kind: "text", value } as const
  return value.type === "text" && isOnlyReminders(slot, remindersIn(slot))
}

/** Reminders that follow tool results as blocks of their own. */
export function siblingsIn(body: Body): readonly string[] {
  return messagesOf(body).flatMap((message) => {
    const blocks = blocksOf(message)
    const first = blocks.findIndex(({ type }) => type === "tool_result")
    return first < 0
      ? []
      : blocks
          .slice(first)
          .filter(isReminder)
          .map(({ text = "" }) => text)
  })
}

/** All texts of a conversation that are not blank, sorted, wherever they stand. */
export function textsIn(body: Body): readonly string[] {
  const texts = (value: unknown): readonly string[] => {
    if (typeof value === "string") return [value]
    if (Array.isArray(value)) return value.flatMap(texts)
    const { type, text, content } = (value ?? {}) as Block
    return texts(type === "tool_result" ? (content ?? []) : (text ?? []))
  }
  return messagesOf(body)
    .flatMap((message) => texts(message.content))
    .filter((text) => text.trim() !== "")
    .sort()
}

/** What another harness would have sent: reminders follow the tool results that they stand in, or come in a system message after. */
export function withSiblings(bodies: readonly Body[]): readonly Body[] {
  return bodies.map((body) => {
    const messages: Message[] = []
    for (const message of messagesOf(body)) {
      const host = messages.at(-1)
      if (message.role === "system" && host !== undefined) {
        const said = blocksOf(message).map(({ text = "" }) => ({ type: "text", text: reminder(text) }))
        messages[messages.length - 1] = { ...host, content: [...blocksOf(host), ...said] }
        continue
      }
      const inner = (block: Block) =>
        Array.isArray(block.content) ? (block.content as readonly Block[]) : []
      const blocks = blocksOf(message)
      const taken = blocks.flatMap((block) => inner(block).filter(isReminder))
      const left = blocks.map((block) =>
        inner(block).some(isReminder)
          ? { ...block, content: inner(block).filter((one) => !isReminder(one)) }
          : block,
      )
      messages.push(taken.length === 0 ? message : { ...message, content: [...left, ...taken] })
    }
    return { ...body, messages }
  })
}
