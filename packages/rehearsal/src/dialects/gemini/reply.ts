import type { Json } from "@sotto/core"
import type { ServerSentEvent } from "../../reply/frame.js"
import {
  type BilledTokens,
  FOUND,
  pieces,
  type ReplyPart,
  type ReplyStop,
  type ScriptedReply,
} from "../../reply/reply.js"

type Object = { readonly [key: string]: Json }

/** Makes the whole response. */
export function response(reply: ScriptedReply): Json {
  return chunk(
    reply,
    partsOf(reply, (text) => [text]),
    true,
  )
}

/**
 * Makes the response as a stream: every event is a whole response with a part of the content, the last says why it
 * ended.
 */
export function frames(reply: ScriptedReply): readonly ServerSentEvent[] {
  const parts = partsOf(reply, pieces)
  return parts.length === 0
    ? [{ data: chunk(reply, [], true), counted: counted(reply, true) }]
    : parts.map((part, i) => {
        const isLast = i === parts.length - 1
        return { data: chunk(reply, [part], isLast), token: true, counted: counted(reply, isLast) }
      })
}

/** What Gemini keeps in its cache is billed as any other input. */
function counted({ usage }: ScriptedReply, isLast: boolean): BilledTokens {
  return { ...usage, cacheWrite: 0, ...(!isLast && { output: 0, reasoning: 0 }) }
}

function chunk(reply: ScriptedReply, parts: readonly Json[], isLast: boolean): Object {
  return {
    candidates: [{ content: { parts, role: "model" }, ...(isLast && ending(reply)), index: 0 }],
    usageMetadata: usage(reply, isLast),
    modelVersion: reply.model,
    responseId: reply.key,
  }
}

/** Makes the parts. The calls of a step share a signature, which the first one carries. */
function partsOf(reply: ScriptedReply, split: (text: string) => readonly string[]): readonly Object[] {
  const signed = reply.parts.find((part) => part.type === "tool-call")
  return reply.parts.flatMap((part): readonly Object[] => {
    switch (part.type) {
      case "text":
        return split(part.text).map((text) => ({ text }))
      case "reasoning":
        return split(part.text).map((text) => ({ text, thought: true }))
      case "search": {
        const id = `search_${reply.key}`
        const signed = { ...(signs(reply.model) && { thoughtSignature: reply.signature }) }
        const toolType = "GOOGLE_SEARCH_WEB"
        return [
          { toolCall: { id, toolType, args: { queries: [part.query] } }, ...signed },
          { toolResponse: { id, toolType, response: { search_suggestions: FOUND.title } }, ...signed },
        ]
      }
      case "tool-call":
        // What it cannot parse, the API does not pass on.
        return part.malformed
          ? []
          : [
              {
                functionCall: { id: part.id, name: part.name, args: part.input },
                ...(part === signed && signs(reply.model) && { thoughtSignature: reply.signature }),
              },
            ]
    }
  })
}

/** True from Gemini 3 on. */
function signs(model: string): boolean {
  return Number(/gemini-(\d+)/.exec(model)?.[1] ?? 0) >= 3
}

const FINISH_REASONS: Readonly<Record<ReplyStop, string>> = {
  end: "STOP",
  "tool-calls": "STOP",
  length: "MAX_TOKENS",
  refusal: "SAFETY",
}

function ending({ parts, stop }: ScriptedReply): Object {
  return parts.some(isMalformed)
    ? { finishReason: "MALFORMED_FUNCTION_CALL", finishMessage: "Malformed function call" }
    : { finishReason: FINISH_REASONS[stop] }
}

const isMalformed = (part: ReplyPart) => part.type === "tool-call" && part.malformed === true

/** Counts the usage. What was read from the cache is part of the prompt; thoughts are not part of the candidates. */
function usage({ usage: { input, cacheRead, output, reasoning } }: ScriptedReply, isLast: boolean): Object {
  return {
    promptTokenCount: input,
    ...(cacheRead > 0 && { cachedContentTokenCount: cacheRead }),
    ...(isLast && { candidatesTokenCount: output - reasoning }),
    ...(isLast && reasoning > 0 && { thoughtsTokenCount: reasoning }),
    totalTokenCount: isLast ? input + output : input,
  }
}
