import type { Result } from "../vocabulary/exchange.js"
import { parseInput, stringField, wireId } from "../vocabulary/fields.js"
import type { AssistantPart, ContentPart, ToolCallPart } from "../vocabulary/message.js"
import type { Reply } from "../vocabulary/reply.js"
import type { EngineState, OpenCall } from "./state.js"

/**
 * Gives every call an id that is unique in the session. Providers reuse ids or leave them out; theirs is kept
 * wherever it can be, so that a harness may go by it. The ids of the provider's own blocks are kept beside them.
 */
export function claimCalls(
  state: Pick<EngineState, "callIds">,
  parts: readonly AssistantPart[],
  number: number,
): { readonly parts: readonly AssistantPart[]; readonly calls: readonly OpenCall[] } {
  const calls: OpenCall[] = []
  const claimed = parts.map((part) => {
    const block = blockId(part)
    if (block !== "") state.callIds.add(block)
    if (part.type !== "tool-call") return part
    const call: ToolCallPart = {
      ...part,
      id: freeId(state.callIds, wireId(part.id), `call-${number}-${calls.length}`),
    }
    // The provider's id too, so that a late result that names it is known to be late. No other call can want it.
    state.callIds.add(call.id).add(part.id)
    calls.push({ call, givenId: part.id, result: undefined })
    return call
  })
  return { parts: claimed, calls }
}

/** Gives the id of a provider's own block that is sent back, such as an item of reasoning. */
export function blockId({ type, verbatim }: AssistantPart): string {
  const id = type === "reasoning" && verbatim?.sent !== null && stringField(verbatim?.block, "id")
  return id ? `#${id}` : ""
}

/**
 * Prepares the reply for the log. Of blocks with the same id only the first of the session goes back. An input that is
 * the JSON text of an object becomes that object: some APIs give it as text, and some models write it twice over.
 */
export function admitted({ callIds }: Pick<EngineState, "callIds">, reply: Reply): Reply {
  const seen = new Set<string>()
  const parts = reply.parts.map((part): AssistantPart => {
    if (part.type === "tool-call") {
      const { input } = part
      const isText = typeof input === "string" && /^\s*\{/.test(input)
      return isText ? { ...part, input: parseInput(input) ?? input } : part
    }
    const id = blockId(part)
    // A call without an id is among them as "".
    const isRepeated = id !== "" && (callIds.has(id) || seen.has(id))
    seen.add(id)
    return isRepeated && part.verbatim ? { ...part, verbatim: { ...part.verbatim, sent: null } } : part
  })
  return { ...reply, parts }
}

/** Finds the open call that a result is for: by our id, or by the provider's for the first that has none yet. */
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
export function answerAll(calls: readonly OpenCall[], number: number, text: string): void {
  calls.forEach((open, i) => {
    open.result ??= resultOf(open, `r${number}.${i}`, [{ type: "text", text }], true)
  })
}

function freeId(taken: ReadonlySet<string>, wanted: string, otherwise: string): string {
  if (wanted !== "" && !taken.has(wanted)) return wanted
  let id = otherwise
  while (taken.has(id)) id += "-"
  return id
}
