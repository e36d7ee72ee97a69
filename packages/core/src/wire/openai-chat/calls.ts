import type { ToolCallPart } from "../../message/message.js"
import { callPart, type Delta, field, type listField, parseInput, stringField } from "../dialect.js"

interface Building {
  readonly index: number | undefined
  id: string
  name: string
  text: string
}

/** The calls of a streamed reply. Compatible servers leave out or repeat ids, names and indexes. */
export class Calls {
  readonly #calls: Building[] = []

  push(deltas: ReturnType<typeof listField>): readonly Delta[] {
    return deltas.flatMap((delta): Delta[] => {
      const called = field(delta, "function")
      const name = stringField(called, "name") ?? ""
      const call = this.#callFor(delta, name)
      const isNamed = call.name === "" && name !== ""
      call.id ||= stringField(delta, "id") ?? ""
      call.name ||= name
      call.text += argumentsOf(called)
      return isNamed ? [{ type: "tool-call-start", id: call.id, name }] : []
    })
  }

  /** `cut`: the limit on output ended the reply, and with it perhaps the last call before its input began. */
  parts(done: boolean, cut: boolean): readonly ToolCallPart[] {
    return this.#calls.map((call, i) => {
      const isCut = cut && i === this.#calls.length - 1 && call.text.trim() === ""
      return callPart(call, call.text, isCut ? undefined : parseInput(call.text), done)
    })
  }

  #callFor(delta: unknown, name: string): Building {
    const id = stringField(delta, "id") ?? ""
    const index = field(delta, "index")
    const known =
      typeof index === "number"
        ? this.#calls.findLast((call) => call.index === index)
        : id === ""
          ? name === "" && this.#calls.at(-1)
          : this.#calls.find((call) => call.id === id)
    // One index for all calls: only the id tells that another begins.
    if (known && (id === "" || known.id === "" || known.id === id)) return known
    const fresh = { index: typeof index === "number" ? index : undefined, id: "", name: "", text: "" }
    this.#calls.push(fresh)
    return fresh
  }
}

function argumentsOf(called: unknown): string {
  const value = field(called, "arguments")
  if (typeof value === "string") return value
  return value === undefined || value === null ? "" : JSON.stringify(value)
}
