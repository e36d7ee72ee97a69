import type { Message, Part, Session, Usage } from "@sotto/core"
import { costOf, type Price } from "@sotto/harness"
import { emptyScreen } from "./reduce.js"
import type { Item, Screen } from "./screen.js"
import type { Tally } from "./tally.js"
import { todosOf } from "./todos.js"

/** The screen of a session that exists already, read from its view and its log. */
export function restoredScreen(session: Session, priceOf: (model: string) => Price | undefined): Screen {
  const { model, tally } = usageIn(session, priceOf)
  const items = itemsOf(session.view())
  const lists = items.flatMap((item) => (item.is === "call" && !item.call.error && todosOf(item.call)) || [])
  const newest = items.findLast((item) => item.is === "call" && todosOf(item.call) !== undefined)
  const todos = newest?.is === "call" && lists.length > 0 ? (todosOf(newest.call) ?? []) : []
  const unseen = session.asides(1).map(({ kind, step, carrier, tokens, text }) => ({
    ...{ kind, step, carrier, tokens, text },
  }))
  return {
    ...emptyScreen(session.id, session.agent, model),
    ...{ items, tally, todos, asides: { shown: false, unseen } },
  }
}

export function itemsOf(view: readonly Message[]): readonly Item[] {
  const results = new Map(
    view.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool-result" ? [[part.callId, part] as const] : [])),
    ),
  )
  return view.flatMap(({ id, role, parts }): readonly Item[] => {
    if (role === "user") return [{ is: "user", id, text: wordsOf(parts) }]
    if (role === "tool") return []
    let first = true
    return parts.flatMap((part): readonly Item[] => {
      if (part.type === "text") {
        const item: Item = { is: "text", text: part.text, first }
        first = false
        return part.text.trim() === "" ? [] : [item]
      }
      if (part.type !== "tool-call") return []
      const { id, name, input } = part
      const result = results.get(id)
      const output = wordsOf(result?.output ?? [])
      const call = { id, name, input, output, error: result?.error ?? result === undefined, seconds: 0 }
      return [{ is: "call", unfolded: false, call }]
    })
  })
}

export function wordsOf(parts: readonly Part[]): string {
  return parts
    .flatMap((part) => {
      if (part.type === "text") return [part.text]
      return part.type === "image" || part.type === "file" ? [`[${part.name ?? part.mediaType}]`] : []
    })
    .join("\n")
}

function usageIn(
  session: Session,
  priceOf: (model: string) => Price | undefined,
): { readonly model: string; readonly tally: Tally } {
  let model = ""
  let cost: number | undefined
  let newest: Usage | undefined
  let window: number | undefined
  for (const entry of session.log) {
    if (entry.type === "opened" || entry.type === "model") model = entry.model.id
    if (entry.type === "step") window = entry.epoch?.pins.capabilities.contextWindow ?? window
    if (entry.type !== "replied" || entry.reply.usage === undefined) continue
    newest = entry.reply.usage
    const spent = costOf(newest, priceOf(model))
    if (spent !== undefined) cost = (cost ?? 0) + spent
  }
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = newest ?? {}
  const context = input + output + cacheRead + cacheWrite
  return { model, tally: { context, window, cacheRead, cost, price: priceOf(model) } }
}
