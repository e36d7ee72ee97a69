import { MARKERS, OUTCOMES } from "../epoch/markers.js"
import type { Delivered, Exchange, Result } from "../vocabulary/exchange.js"
import type { AssistantPart, ContentPart, Message, ToolResultPart } from "../vocabulary/message.js"
import { spoken, unbound } from "../vocabulary/reply.js"
import { answerAll, claimCalls, findCall, resultOf } from "./calls.js"
import type { EngineState, OpenCall } from "./state.js"

/**
 * Turns another harness's transcript into exchanges, and returns the messages at its end without a reply. Supplies what
 * it lacks: a result for every call, a reply to every message, a call for every result.
 */
export function adopt(
  state: EngineState,
  messages: readonly Message[],
  number: number,
): { readonly exchanges: readonly Exchange[]; readonly unanswered: readonly Delivered[] } {
  const exchanges: Exchange[] = []
  let calls: readonly OpenCall[] = []
  let said: Delivered[] = []
  let reply: AssistantPart[] | undefined

  const results = (): readonly Result[] => {
    answerAll(calls, number, OUTCOMES.missing)
    return calls.flatMap(({ result }) => result ?? [])
  }
  const close = () => {
    if (reply === undefined) return
    const claimed = claimCalls(state, unbound(reply), number)
    exchanges.push({
      group: { results: results(), messages: said, reminders: [], ordinal: 0 },
      reply: spoken(claimed.parts, MARKERS.emptyReply),
    })
    calls = claimed.calls
    said = []
    reply = undefined
  }

  for (const message of messages) {
    if (message.role === "assistant") {
      reply = [...(reply ?? []), ...message.parts.filter(isAssistantPart)]
      continue
    }
    close()
    const orphans: ContentPart[] = []
    for (const part of message.parts.filter((one) => one.type === "tool-result")) {
      const call = findCall(calls, part.callId)
      if (call) call.result = resultOf(call, `r${number}.${part.callId}`, part.output, part.error ?? false)
      else orphans.push(...withSource(part))
    }
    const content = [...message.parts.filter(isContentPart), ...orphans]
    if (content.length > 0) said.push({ id: message.id, origin: { kind: "human" }, content })
  }
  close()
  if (calls.length > 0) {
    const group = { results: results(), messages: [], reminders: [], ordinal: 0 }
    exchanges.push({ group, reply: spoken([], MARKERS.unansweredImport) })
  }
  return { exchanges, unanswered: said }
}

function withSource(part: ToolResultPart): readonly ContentPart[] {
  return [
    { type: "text", text: `Result of a call that is not in the transcript (${part.callId}):` },
    ...part.output,
  ]
}

function isAssistantPart(part: Message["parts"][number]): part is AssistantPart {
  return part.type === "text" || part.type === "reasoning" || part.type === "tool-call"
}

function isContentPart(part: Message["parts"][number]): part is ContentPart {
  return part.type === "text" || part.type === "image" || part.type === "file"
}
