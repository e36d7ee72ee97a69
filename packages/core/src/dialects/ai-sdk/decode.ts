import { field, listField, numberField, stringField } from "../../vocabulary/fields.js"
import type { Json } from "../../vocabulary/json.js"
import { type AssistantPart, isBlank, type Verbatim } from "../../vocabulary/message.js"
import { endedBy, type Reply, type Usage } from "../../vocabulary/reply.js"

/** Reads what one step of generateText or streamText brought, or the result of a call that had only one. */
export function decode(result: unknown): Reply {
  const why = stringField(result, "finishReason")
  return {
    parts: listField(result, "content").flatMap(partsOf),
    ...endedBy(stopReason(why), why),
    usage: usageOf(field(result, "usage")),
  }
}

function partsOf(part: unknown): readonly AssistantPart[] {
  const metadata = field(part, "providerMetadata")
  const optioned = metadata === undefined ? {} : { providerOptions: metadata as Json }
  const own = metadata === undefined ? {} : { verbatim: verbatim(optioned) }
  const call = {
    toolCallId: stringField(part, "toolCallId") ?? "",
    toolName: stringField(part, "toolName") ?? "",
  }
  switch (stringField(part, "type")) {
    case "text": {
      const text = stringField(part, "text") ?? ""
      // A signature may come on a text with nothing in it; as text it would be dropped for being empty.
      if (isBlank(text) && metadata !== undefined) return [opaque({ type: "text", text, ...optioned })]
      return [{ type: "text", text, ...own }]
    }
    case "reasoning": {
      const signature = signatureOf(metadata)
      const text = stringField(part, "text") ?? ""
      return [
        {
          type: "reasoning",
          text,
          ...(signature !== undefined && { signature }),
          verbatim: verbatim(optioned),
        },
      ]
    }
    case "tool-call": {
      const input = (field(part, "input") ?? {}) as Json
      if (isProviders(part))
        return [opaque({ type: "tool-call", ...call, input, providerExecuted: true, ...optioned })]
      return [{ type: "tool-call", id: call.toolCallId, name: call.toolName, input, ...own }]
    }
    case "tool-result":
    case "tool-error": {
      if (!isProviders(part)) return []
      const failed = field(part, "error")
      const output: Json =
        failed === undefined
          ? { type: "json", value: (field(part, "output") ?? null) as Json }
          : { type: "error-json", value: failed as Json }
      return [opaque({ type: "tool-result", ...call, output, ...optioned })]
    }
    case "file": {
      const file = field(part, "file")
      const mediaType = stringField(file, "mediaType") ?? ""
      return [opaque({ type: "file", data: stringField(file, "base64") ?? "", mediaType, ...optioned })]
    }
    default:
      return []
  }
}

/**
 * Keeps what the provider did or made by itself: the harness has nothing to answer, and the block goes back as it came.
 */
function opaque(block: { readonly [key: string]: Json }): AssistantPart {
  return { type: "reasoning", text: "", signature: "", verbatim: verbatim(block) }
}

function verbatim(block: Json): Verbatim {
  return { dialect: "ai-sdk", block }
}

function isProviders(part: unknown): boolean {
  return field(part, "providerExecuted") === true
}

/** Where providers put their proof. Reasoning without one is dropped when a reply is cut short. */
const PROOFS = ["signature", "redactedData", "thoughtSignature", "reasoningEncryptedContent"]

function signatureOf(metadata: unknown): string | undefined {
  for (const options of Object.values(metadata ?? {}))
    for (const proof of PROOFS) {
      const found = stringField(options, proof)
      if (found !== undefined) return found
    }
  return undefined
}

function stopReason(reason: string | undefined): Reply["stop"] {
  switch (reason) {
    case undefined:
      return undefined
    case "stop":
      return "end"
    case "tool-calls":
    case "length":
      return reason
    case "content-filter":
      return "filtered"
    default:
      return "other"
  }
}

function usageOf(usage: unknown): Usage {
  const details = field(usage, "inputTokenDetails")
  const cacheRead = numberField(details, "cacheReadTokens")
  const cacheWrite = numberField(details, "cacheWriteTokens")
  return {
    input: numberField(usage, "inputTokens") - cacheRead - cacheWrite,
    output: numberField(usage, "outputTokens"),
    cacheRead,
    cacheWrite,
  }
}
