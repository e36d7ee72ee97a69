import { ToolError } from "../platform/text/errors.js"
import { TODO_STATUSES, TODO_WRITE } from "./definitions.js"
import type { Tool } from "./tool.js"

interface Todo {
  readonly content: string
  readonly status: string
}

type TodoInput = { readonly todos: readonly Todo[] }

const MARKS: Readonly<Record<string, string>> = { pending: "[ ]", in_progress: "[>]", completed: "[x]" }

export const todoWriteTool: Tool<TodoInput> = {
  definition: TODO_WRITE,
  changes: true,

  async access() {
    return [{ permission: "todo_write", target: "*" }]
  },

  async run({ todos }, context) {
    for (const [i, { content, status }] of todos.entries()) {
      if (content.trim() === "")
        throw new ToolError(`\`todos[${i}].content\` is empty. Say what is to be done.`)
      if (!TODO_STATUSES.some((known) => known === status))
        throw new ToolError(`\`todos[${i}].status\` is "${status}". Use ${TODO_STATUSES.join(", ")}.`)
    }
    const list = todos.map(({ content, status }) => ({ content, status }))
    context.observe("todos", list)
    context.note({ type: "todo.written" })
    if (list.length === 0) return { content: "The list is empty now." }
    return { content: list.map(({ content, status }) => `${MARKS[status]} ${content}`).join("\n") }
  },
}
