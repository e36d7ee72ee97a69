import { type AnyMessage, withParts } from "./message.js"

/** Makes one message of user messages that follow each other, as providers do; the first gives its id. */
export function mergeAdjacentUserMessages<M extends AnyMessage>(messages: readonly M[]): M[] {
  const merged: M[] = []
  for (const message of messages) {
    const before = merged.at(-1)
    if (before?.role === "user" && message.role === "user")
      merged[merged.length - 1] = withParts(before, [...before.parts, ...message.parts])
    else merged.push(message)
  }
  return merged
}
