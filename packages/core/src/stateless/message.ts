/** The least that the stateless primitives ask of a message. Whatever else yours has, it keeps. */
export interface AnyPart {
  readonly type: string
  readonly text?: string
  readonly synthetic?: boolean
  readonly ignored?: boolean
}

export interface AnyMessage {
  readonly id: string
  readonly role: "user" | "assistant" | "tool"
  readonly parts: readonly AnyPart[]
  readonly agent?: string
}

/** A copy with other parts. */
export function withParts<M extends AnyMessage>(message: M, parts: readonly AnyPart[]): M {
  return { ...message, parts }
}
