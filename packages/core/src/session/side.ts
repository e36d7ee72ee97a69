import { MARKERS, OUTCOMES } from "../epoch/markers.js"
import { placeQuestion } from "../epoch/place.js"
import type { AssistantPart } from "../vocabulary/message.js"
import { type Reply, spoken, withoutCutCalls } from "../vocabulary/reply.js"
import { Appended, type Request } from "../vocabulary/request.js"
import type { SideQuestion } from "../vocabulary/side.js"
import { wellFormedJson } from "../vocabulary/unicode.js"
import type { WireMessage } from "../vocabulary/wire-message.js"
import { admitted, blockId, claimCalls, resultOf } from "./calls.js"
import type { EngineState } from "./state.js"

/**
 * Makes a request from what was sent and answered so far, and a question behind it; undefined if nothing was answered yet.
 * Results that have come since stand before the question. A call that still runs is answered with words that say so, here
 * only. Changes nothing: the session's next request continues as if the question had not been asked.
 */
export function sideRequest(
  { epoch, newest, flight, calls }: EngineState,
  { purpose, ask, answer }: SideQuestion,
  id: string,
): Request | undefined {
  if (epoch === undefined || newest === undefined) return undefined
  const { pins } = epoch
  // A request in flight has taken up the results: they are in its group, which has no reply yet.
  const sent = flight === undefined ? [] : (epoch.exchanges.at(-1)?.group.results ?? [])
  const results = calls.map(
    (call) => call.result ?? resultOf(call, call.call.id, [{ type: "text", text: OUTCOMES.running }], false),
  )
  const { previousMessage: _, ...asBefore } = newest
  return {
    ...asBefore,
    ...appended(pins, epoch.answered(), placeQuestion([...sent, ...results], ask, pins)),
    id,
    side: purpose,
    ...(answer !== undefined && { answer }),
    // Where the cache entry of the newest request ends. Another epoch has other bytes.
    previous: newest.pins === pins ? newest.messages.length : 0,
  }
}

/**
 * Makes the request that refuses the calls of a reply to a side request, so that the model can answer in words. Ask so
 * once: a model that calls again will not answer here.
 */
export function refuseCalls(request: Request, reply: Reply): Request {
  const { pins, messages } = request
  const callIds = new Set(
    [...messages].flatMap(({ role, content }) => (role === "assistant" ? idsIn(content) : [])),
  )
  const { parts } = admitted({ callIds }, withoutCutCalls(reply))
  const claimed = claimCalls({ callIds }, parts, messages.length)
  const content = wellFormedJson(spoken(claimed.parts, MARKERS.emptyReply)).value
  const refused = claimed.calls.map((call) =>
    resultOf(call, call.call.id, [{ type: "text", text: OUTCOMES.noCalls }], true),
  )
  const ask = refused.length === 0 ? OUTCOMES.noCalls : ""
  return {
    ...request,
    ...appended(pins, [...messages, { role: "assistant", content }], placeQuestion(refused, ask, pins)),
  }
}

function idsIn(parts: readonly AssistantPart[]): readonly string[] {
  return parts.map((part) => (part.type === "tool-call" ? part.id : blockId(part)))
}

/** Gives a list of its own, and pins of its own: encoders keep what they made of an epoch by its pins. */
function appended(pins: Request["pins"], before: readonly WireMessage[], last: WireMessage) {
  return { pins: { ...pins }, messages: new Appended([...before, last]) }
}
