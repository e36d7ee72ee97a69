import { ToolError } from "../../platform/text/errors.js"
import { MESSAGE, TASK_CREATE, TASK_UPDATE } from "../../tools/definitions.js"
import type { Tool, ToolContext } from "../../tools/tool.js"
import type { Membership } from "./team.js"

type CreateInput = { readonly content: string; readonly owner?: string }
type UpdateInput = {
  readonly id?: string
  readonly status?: string
  readonly owner?: string
  readonly content?: string
}
type MessageInput = { readonly to: string; readonly text: string }

/** Lists what a session does in its team. A session that works alone is told so. */
export function teamTools(membership: Membership | undefined): readonly Tool[] {
  const checked = (): Membership => {
    if (membership === undefined)
      throw new ToolError("You work alone, not in a team. Your last message is your report.")
    return membership
  }
  return [create(checked), update(checked), message(checked)]
}

const about = (target: string) => async () => [{ permission: "team", target }]

function create(membership: () => Membership): Tool<CreateInput> {
  return {
    definition: TASK_CREATE,
    changes: true,
    access: about("list"),
    run: async ({ content, owner }, context) => {
      const { list } = membership()
      list.create(content, owner)
      return written(membership(), context)
    },
  }
}

function update(membership: () => Membership): Tool<UpdateInput> {
  return {
    definition: TASK_UPDATE,
    changes: true,
    access: about("list"),
    run: async ({ id, ...change }, context) => {
      const { list } = membership()
      if (id === undefined && Object.keys(change).length > 0)
        throw new ToolError(`Say which task to change, by \`id\`.\n${list.shown()}`)
      if (id === undefined || Object.keys(change).length === 0) return { content: list.shown() }
      list.update(id, change)
      return written(membership(), context)
    },
  }
}

function message(membership: () => Membership): Tool<MessageInput> {
  return {
    definition: MESSAGE,
    changes: true,
    access: async ({ to }) => [{ permission: "team", target: to }],
    run: async ({ to, text }) => ({ content: membership().post(to, text) }),
  }
}

/**
 * Notes that the list was written, which is only the writer's to know; the list itself is a fact of all members by now.
 */
function written({ list }: Membership, context: ToolContext) {
  context.note({ type: "task.written" })
  return { content: list.shown() }
}
