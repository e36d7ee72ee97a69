import { field, stringField } from "../../vocabulary/fields.js"
import type { Reply } from "../../vocabulary/reply.js"
import { decode } from "./decode.js"
import type { ToolOutcome } from "./outcomes.js"

interface Growing {
  readonly type: "text" | "reasoning"
  readonly id: string | undefined
  text: string
  providerMetadata?: unknown
}

/** A reply as the chunks of a stream bring it, with what its tools have returned so far. */
export class ReplySoFar {
  readonly outcomes = new Map<string, ToolOutcome>()
  readonly #content: unknown[] = []

  get hasCalls(): boolean {
    return this.#content.some((part) => field(part, "type") === "tool-call")
  }

  reply(): Reply {
    return decode({ content: this.#content })
  }

  add(chunk: unknown): void {
    const type = stringField(chunk, "type") ?? ""
    const [, kind, event] = /^(text|reasoning)-(delta|end)$/.exec(type) ?? []
    if (kind !== undefined) this.#grow(kind as Growing["type"], event === "delta", chunk)
    else if (type === "tool-call") this.#content.push(chunk)
    else if (type === "tool-result" || type === "tool-error")
      this.outcomes.set(stringField(chunk, "toolCallId") ?? "", rawOutcome(chunk))
  }

  /** Takes a piece of a growing part. Only version 7 tells of ends; what proves reasoning comes with them. */
  #grow(type: Growing["type"], isDelta: boolean, chunk: unknown): void {
    const id = stringField(chunk, "id")
    const providerMetadata = field(chunk, "providerMetadata")
    const begun = this.#content.findLast(
      (one): one is Growing => field(one, "type") === type && field(one, "id") === id,
    )
    const part: Growing = begun ?? { type, id, text: "" }
    if (begun === undefined) this.#content.push(part)
    if (isDelta) part.text += stringField(chunk, "text") ?? ""
    if (providerMetadata !== undefined) part.providerMetadata = providerMetadata
  }
}

/** Gives what a tool returned as text: its own `toModelOutput` is asked only once the step is done. */
function rawOutcome(chunk: unknown): ToolOutcome {
  const failure = field(chunk, "error")
  const value = failure === undefined ? field(chunk, "output") : (field(failure, "message") ?? failure)
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "")
  return { output: [{ type: "text", text }], error: failure !== undefined }
}
