import { field, listField, parseInput, stringField } from "../../vocabulary/fields.js"
import type { AssistantPart, AssistantTextPart } from "../../vocabulary/message.js"
import { endedBy, type Reply, type Stop } from "../../vocabulary/reply.js"
import { callPart, MalformedReply, verbatimOf } from "../dialect.js"
import { legalItem } from "./replay.js"

/** Makes a part of an item that is complete. */
export function partOf(item: unknown): AssistantPart {
  switch (stringField(item, "type")) {
    case "message":
      return textPart(item, listField(item, "content").map(words).join(""))
    case "reasoning":
      return reasoningPart(item)
    case "function_call": {
      const text = stringField(item, "arguments") ?? ""
      // Cut off by the limit on output: even if it happens to be JSON, it is not what the model meant.
      const isWhole = stringField(item, "status") !== "incomplete"
      return callPart(callOf(item), text, parseInput(text), isWhole)
    }
    default:
      return opaque(item)
  }
}

export function callOf(item: unknown): { readonly id: string; readonly name: string } {
  return { id: stringField(item, "call_id") ?? "", name: stringField(item, "name") ?? "" }
}

/** Makes a text part with its label: later models do worse when the label does not come back. */
export function textPart(item: unknown, text: string): AssistantTextPart {
  const phase = stringField(item, "phase")
  return { type: "text", text, ...(phase && { verbatim: { dialect: "openai", block: { phase } } }) }
}

function words(content: unknown): string {
  return stringField(content, "text") ?? stringField(content, "refusal") ?? ""
}

/**
 * Makes a reasoning part. Without its encrypted form it could only be found where it is stored, and it is not stored.
 */
function reasoningPart(item: unknown): AssistantPart {
  const summary = listField(item, "summary")
  const told = summary.length > 0 ? summary : listField(item, "content")
  const text = told.map(words).join("\n\n")
  const signature = stringField(item, "encrypted_content")
  if (!signature) return { type: "reasoning", text }
  return { type: "reasoning", text, signature, verbatim: verbatimOf("openai", item, legalItem) }
}

/** Keeps an item that Sotto does not know: it goes back as it came. */
function opaque(item: unknown): AssistantPart {
  const signature = stringField(item, "encrypted_content") ?? stringField(item, "id") ?? ""
  return { type: "reasoning", text: "", signature, verbatim: verbatimOf("openai", item, legalItem) }
}

/** Reads how a response ended. Throws MalformedReply for one that does not say so. */
export function endOf(response: unknown, items: readonly unknown[]): Pick<Reply, "stop" | "why"> {
  const status = stringField(response, "status")
  switch (status) {
    case "incomplete": {
      const why = stringField(field(response, "incomplete_details"), "reason")
      return endedBy(incompleteBecause(why), why ?? status)
    }
    case "completed":
    case undefined:
      if (items.some(isRefusal)) return endedBy("refusal")
      return endedBy(
        items.some((item) => stringField(item, "type") === "function_call") ? "tool-calls" : "end",
      )
    default:
      throw new MalformedReply(`the response is "${status}"`)
  }
}

function incompleteBecause(reason: string | undefined): Stop {
  switch (reason) {
    case "max_output_tokens":
    case "max_tokens":
      return "length"
    case "content_filter":
      return "filtered"
    case "model_context_window_exceeded":
    case "context_length_exceeded":
      return "overflow"
    default:
      return "other"
  }
}

function isRefusal(item: unknown): boolean {
  return listField(item, "content").some((content) => stringField(content, "type") === "refusal")
}
