/** The least that the stateless primitives ask of a part. */
export interface AnyPart {
  /** What it is: "text", "image", "tool-result". */
  readonly type: string
  /** The text, if it is one. */
  readonly text?: string
  /** The model sees it, the user does not. */
  readonly synthetic?: boolean
  /** The user sees it, the model does not. */
  readonly ignored?: boolean
}

/** The least that the stateless primitives ask of a message. Whatever else yours has, it keeps. */
export interface AnyMessage {
  /** Unique among the messages. */
  readonly id: string
  /** Who said it. */
  readonly role: "user" | "assistant" | "tool"
  /** What was said. */
  readonly parts: readonly AnyPart[]
  /** The agent it was for or from. */
  readonly agent?: string
  /** Set by `frameOnce`: how the message is introduced is decided, and stays so. */
  readonly framed?: boolean
}

/** Copies a message with other parts. */
export function withParts<M extends AnyMessage>(message: M, parts: readonly AnyPart[]): M {
  return { ...message, parts }
}

const OPENING = /^<system-reminder[\s>]/
const CLOSING = "</system-reminder>"

/** True for a text that is nothing but reminders in their tags: words beside them may be a user's. */
export function isOnlyReminders(text: string): boolean {
  let rest = text.trim()
  while (OPENING.test(rest)) {
    const end = rest.indexOf(CLOSING)
    if (end < 0) return false
    rest = rest.slice(end + CLOSING.length).trimStart()
    if (rest === "") return true
  }
  return false
}
