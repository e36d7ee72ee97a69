import { exchangesOf, type State } from "./state.js"

/** Which of these ids name something that can go: answered, not a reminder, and not gone already. */
export function snippable(state: State, ids: readonly string[]): ReadonlySet<string> {
  const wanted = new Set(ids)
  const found = new Set<string>()
  for (const { group, reply } of exchangesOf(state)) {
    if (reply === undefined) continue
    for (const { id } of group.results) if (wanted.has(id)) found.add(id)
    // Framed words are a reminder: they stay.
    for (const { id, frame } of group.messages) if (wanted.has(id) && frame === undefined) found.add(id)
  }
  for (const id of state.snipped) found.delete(id)
  return found
}
