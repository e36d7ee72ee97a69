import { type EngineState, exchangesOf } from "./state.js"

/** From one id to another, in the order of the conversation. */
const RANGE = /^(.+)\.\.(.+)$/

/** Lists what a name stands for and can go: answered, not a reminder, and not gone already. */
export function snippable(state: EngineState, named: string): readonly string[] {
  const all = allIds(state)
  const found = all.includes(named) ? [named] : inRange(named, all)
  return found.filter((id) => !state.snipped.has(id))
}

/** Lists every id that may be snipped, oldest first. */
function allIds(state: EngineState): readonly string[] {
  return exchangesOf(state).flatMap(({ group, reply }) =>
    reply === undefined
      ? []
      : [
          ...group.results.map(({ id }) => id),
          // Framed words are a reminder: they stay.
          ...group.messages.filter(({ frame }) => frame === undefined).map(({ id }) => id),
        ],
  )
}

function inRange(range: string, all: readonly string[]): readonly string[] {
  const [, first = "", last = ""] = RANGE.exec(range) ?? []
  const [from, to] = [all.indexOf(first), all.indexOf(last)]
  return from < 0 || to < 0 ? [] : all.slice(Math.min(from, to), Math.max(from, to) + 1)
}
