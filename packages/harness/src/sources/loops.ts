import type { ToolCallPart } from "@sotto/core"
import type { Source, SourceSession } from "./source.js"

/** This number of calls in a row that are the same are worth a word; then again each time as many have come. */
const TIMES = 3

/** Notices that the model makes the same call over and over. */
export function loops(session: SourceSession): Source {
  let last = ""
  let times = 0
  return {
    name: "loops",
    called: ({ name, input }: ToolCallPart) => {
      const call = JSON.stringify([name, input])
      times = call === last ? times + 1 : 1
      last = call
      if (times % TIMES === 0) session.note({ type: "loop.detected", tool: name, times })
    },
  }
}
