import type { Json } from "@sotto/core"
import { field, listField } from "@sotto/core/dialect"
import { isObject, textAt } from "../json.js"
import { itemsOf } from "../rehearse.js"

/** A response that the server keeps: what led to it, and what it was. */
interface KeptResponse {
  readonly response: Json
  /** The whole conversation up to it, in items. */
  readonly input: readonly unknown[]
}

/** What OpenAI's servers keep for later requests: responses, conversations, and completions that ask for it. */
export class KeptItems {
  readonly #responses = new Map<string, KeptResponse>()
  readonly #conversations = new Map<string, { metadata: Json; items: readonly unknown[] }>()
  readonly completions = new Map<string, Json>()

  /** Finds what a body refers to, as items; a text says what was not found; undefined if it refers to nothing. */
  history(body: unknown): readonly unknown[] | { readonly missing: string } | undefined {
    const previous = field(body, "previous_response_id")
    if (typeof previous === "string") {
      const kept = this.#responses.get(previous)
      return kept ? [...kept.input, ...listField(kept.response, "output")] : { missing: previous }
    }
    const id = conversationId(body)
    if (id === undefined) return undefined
    return this.#conversations.get(id)?.items ?? { missing: id }
  }

  /** Keeps a response unless its request says not to. */
  keep(body: unknown, history: readonly unknown[], response: Json): void {
    const input = [...history, ...itemsOf(field(body, "input"))]
    if (field(body, "store") !== false) this.#responses.set(textAt(response, "id"), { response, input })
    const conversation = this.#conversations.get(conversationId(body) ?? "")
    if (conversation) conversation.items = [...input, ...listField(response, "output")]
  }

  response(id: string): Json | undefined {
    return this.#responses.get(id)?.response
  }

  forget(id: string): boolean {
    return this.#responses.delete(id)
  }

  /** Lists the items that led to a response, newest first as the API lists them. */
  inputItems(id: string): readonly Json[] | undefined {
    const kept = this.#responses.get(id)
    return kept && numbered(kept.input, id).toReversed()
  }

  converse(body: unknown): Json {
    const id = `conv_rehearsal${this.#conversations.size + 1}`
    const metadata = (field(body, "metadata") ?? {}) as Json
    this.#conversations.set(id, { metadata, items: listField(body, "items") })
    return this.conversation(id) as Json
  }

  conversation(id: string): Json | undefined {
    const found = this.#conversations.get(id)
    return found && { id, object: "conversation", created_at: 0, metadata: found.metadata }
  }

  conversationItems(id: string): readonly Json[] | undefined {
    const found = this.#conversations.get(id)
    return found && numbered(found.items, id).toReversed()
  }

  endConversation(id: string): boolean {
    return this.#conversations.delete(id)
  }
}

function conversationId(body: unknown): string | undefined {
  const named = field(body, "conversation")
  if (typeof named === "string") return named
  return isObject(named) ? textAt(named, "id") : undefined
}

/** Items as the API lists them: each with a type, an id, and content in parts. */
function numbered(items: readonly unknown[], owner: string): readonly Json[] {
  return items.filter(isObject).map((item, i) => {
    const isMessage = item.type === undefined || item.type === "message"
    const content = typeof item.content === "string" ? parts(item.content, item.role) : item.content
    return {
      id: `${isMessage ? "msg" : "item"}_${owner}_${i}`,
      ...(isMessage && { type: "message", status: "completed" }),
      ...item,
      ...(content !== undefined && { content }),
    } as Json
  })
}

function parts(text: string, role: unknown): Json {
  return role === "assistant"
    ? [{ type: "output_text", text, annotations: [] }]
    : [{ type: "input_text", text }]
}
