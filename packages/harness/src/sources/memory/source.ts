import { textOf } from "../../platform/text/text.js"
import { dueNow, notedIn } from "../session.js"
import type { Source, SourceContext } from "../source.js"
import type { Memories } from "./memories.js"

/** Memories that match what a human says, told with the message and each at most once in a session. */
export function memory({ session }: SourceContext, memories: Memories): Source {
  // By message: what it said when it was looked up. After a restart, what was not delivered is looked up again.
  const looked = new Map<string, string>()
  const lookUp = async (text: string) => {
    const told = new Set(notedIn(session.log, "memory.matched").map(({ id }) => String(id)))
    for (const { id, title, content } of await memories.about(text, told))
      session.note({ type: "memory.matched", id, title, content })
  }
  return {
    name: "memories",
    isAwaited: true,
    collect: () => {
      const fresh = dueNow(session).flatMap(({ id, content }) => {
        const text = textOf(content)
        if (text === "" || looked.get(id) === text) return []
        looked.set(id, text)
        return [text]
      })
      if (fresh.length === 0) return undefined
      return fresh.reduce((before, text) => before.then(() => lookUp(text)), Promise.resolve())
    },
  }
}
