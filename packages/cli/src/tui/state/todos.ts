import type { Json } from "@sotto/core"
import type { Todo } from "./screen.js"

/** The list that a call has set; undefined if the call is about something else. */
export function todosOf({
  name,
  input,
}: {
  readonly name: string
  readonly input: Json
}): readonly Todo[] | undefined {
  if (name !== "todo_write" || typeof input !== "object" || input === null || Array.isArray(input))
    return undefined
  const { todos } = input as { readonly todos?: Json }
  if (!Array.isArray(todos)) return undefined
  return todos.flatMap((todo) => {
    const { content, status } = (todo ?? {}) as { readonly content?: unknown; readonly status?: unknown }
    return typeof content === "string" && typeof status === "string" ? [{ content, status }] : []
  })
}
