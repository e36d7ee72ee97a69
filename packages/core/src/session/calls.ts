import type { Result } from "../epoch/exchange.js"
import type { Json } from "../json.js"
import type { AssistantPart, ContentPart, ToolCallPart } from "../message/message.js"
import { callsOf, type Reply } from "../message/reply.js"
import { parseInput, wireId } from "../wire/dialect.js"
import type { OpenCall, State } from "./state.js"

/**
 * Gives every call an id that is unique in the session. Providers reuse ids or leave them out; theirs is kept
 * wherever it can be, so that a harness may go by it.
 */
export function claimCalls(
  state: State,
  parts: readonly AssistantPart[],
  seq: number,
): { readonly parts: readonly AssistantPart[]; readonly calls: readonly OpenCall[] } {
  const calls: OpenCall[] = []
  const claimed = parts.map((part) => {
    if (part.type !== "tool-call") return part
    const call: ToolCallPart = {
      ...part,
      id: freeId(state.callIds, wireId(part.id), `call-${seq}-${calls.length}`),
    }
    state.callIds.add(call.id)
    calls.push({ call, givenId: part.id, result: undefined })
    return call
  })
  return { parts: claimed, calls }
}

/**
 * Takes an input that is the JSON text of an object as that object. Some APIs give the input of a call as text, and some
 * models write it twice over; a tool that is given a text would fail.
 */
export function withParsedInputs(reply: Reply): Reply {
  if (!callsOf(reply.parts).some(({ input }) => isObjectText(input))) return reply
  return {
    ...reply,
    parts: reply.parts.map((part) =>
      part.type === "tool-call" && isObjectText(part.input)
        ? { ...part, input: parseInput(part.input) ?? part.input }
        : part,
    ),
  }
}

function isObjectText(input: Json): input is string {
  return typeof input === "string" && /^\s*\{/.test(input)
}

/** The open call that a result is for: by our id, or by the provider's for the first that has none yet. */
export function findCall(calls: readonly OpenCall[], callId: string): OpenCall | undefined {
  const open = calls.filter(({ result }) => result === undefined)
  return open.find(({ call }) => call.id === callId) ?? open.find(({ givenId }) => givenId === callId)
}

export function resultOf(
  { call }: OpenCall,
  id: string,
  output: readonly ContentPart[],
  error: boolean,
): Result {
  return { id, callId: call.id, name: call.name, output, error }
}

/** Answers every call that has no result yet with the same words. */
export function answerAll(calls: readonly OpenCall[], seq: number, text: string): void {
  calls.forEach((open, i) => {
    open.result ??= resultOf(open, `r${seq}.${i}`, [{ type: "text", text }], true)
  })
}

function freeId(taken: ReadonlySet<string>, wanted: string, otherwise: string): string {
  if (wanted !== "" && !taken.has(wanted)) return wanted
  let id = otherwise
  while (taken.has(id)) id += "-"
  return id
}
