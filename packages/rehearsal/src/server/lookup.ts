import type { Json } from "@sotto/core"
import type { KeptItems } from "./kept.js"
import type { RequestRoute } from "./route.js"

/** The answer to a request for something that was kept: a body, or why it is missing. */
export type LookupAnswer = { readonly body: Json } | { readonly missing: string }

export function lookUp(
  { of, id = "", inner }: Extract<RequestRoute, { is: "kept" }>,
  method: string,
  body: unknown,
  kept: KeptItems,
): LookupAnswer {
  switch (of) {
    case "responses":
      return responses(id, inner, method, kept)
    case "conversations":
      return conversations(id, inner, method, body, kept)
    case "completions": {
      const found = kept.completions.get(id)
      if (found === undefined) return { missing: `Chat completion ${id} not found.` }
      if (method !== "DELETE") return { body: found }
      kept.completions.delete(id)
      return { body: { id, object: "chat.completion.deleted", deleted: true } }
    }
  }
}

function responses(id: string, inner: string | undefined, method: string, kept: KeptItems): LookupAnswer {
  const response = kept.response(id)
  const items = kept.inputItems(id)
  if (response === undefined || items === undefined) return { missing: `Response with id '${id}' not found.` }
  if (inner === "input_items") return { body: listOf(items) }
  if (method !== "DELETE") return { body: response }
  kept.forget(id)
  return { body: { id, object: "response", deleted: true } }
}

function conversations(
  id: string,
  inner: string | undefined,
  method: string,
  body: unknown,
  kept: KeptItems,
): LookupAnswer {
  if (id === "") return { body: kept.converse(body) }
  const found = kept.conversation(id)
  if (found === undefined) return { missing: `Conversation with id '${id}' not found.` }
  if (inner === "items") return { body: listOf(kept.conversationItems(id) ?? []) }
  if (method !== "DELETE") return { body: found }
  kept.endConversation(id)
  return { body: { id, object: "conversation.deleted", deleted: true } }
}

function listOf(data: readonly Json[]): Json {
  const idOf = (item: Json | undefined) => (item as { readonly id: string } | undefined)?.id ?? null
  return { object: "list", data, first_id: idOf(data[0]), last_id: idOf(data.at(-1)), has_more: false }
}
