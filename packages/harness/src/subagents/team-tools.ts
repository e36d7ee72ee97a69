import { MESSAGE, TASK_CREATE, TASK_UPDATE } from "../tools/definitions.js"
import { type Tool, type ToolContext, ToolError } from "../tools/tool.js"
import type { Seat } from "./team.js"

type CreateInput = { readonly content: string; readonly owner?: string }
type UpdateInput = {
  readonly id?: string
  readonly status?: string
  readonly owner?: string
  readonly content?: string
}
type MessageInput = { readonly to: string; readonly text: string }

/** What a session does in its team. One that has no place in any is told so. */
export function teamTools(seat: () => Seat | undefined): readonly Tool[] {
  const seated = (): Seat => {
    const found = seat()
    if (found === undefined)
      throw new ToolError("You work alone, not in a team. Your last message is your report.")
    return found
  }
  return [create(seated), update(seated), message(seated)]
}

const about = (target: string) => async () => [{ permission: "team", target }]

function create(seat: () => Seat): Tool<CreateInput> {
  return {
    definition: TASK_CREATE,
    changes: true,
    access: about("list"),
    run: async ({ content, owner }, context) => {
      const { list } = seat()
      list.create(content, owner)
      return written(seat(), context)
    },
  }
}

function update(seat: () => Seat): Tool<UpdateInput> {
  return {
    definition: TASK_UPDATE,
    changes: true,
    access: about("list"),
    run: async ({ id, ...change }, context) => {
      const { list } = seat()
      if (id === undefined && Object.keys(change).length > 0)
        throw new ToolError(`Say which task to change, by \`id\`.\n${list.shown()}`)
      if (id === undefined || Object.keys(change).length === 0) return { content: list.shown() }
      list.update(id, change)
      return written(seat(), context)
    },
  }
}

function message(seat: () => Seat): Tool<MessageInput> {
  return {
    definition: MESSAGE,
    changes: true,
    access: async ({ to }) => [{ permission: "team", target: to }],
    run: async ({ to, text }) => ({ content: seat().post(to, text) }),
  }
}

/** The list is everybody's fact by now; that it was written is only the writer's to know. */
function written({ list }: Seat, context: ToolContext) {
  context.note({ type: "task.written" })
  return { content: list.shown() }
}
