import { field, type listField, parseInput, stringField } from "../../vocabulary/fields.js"
import type { ToolCallPart } from "../../vocabulary/message.js"
import { callPart, type Delta } from "../dialect.js"

interface Building {
  id: string
  name: string
  text: string
}

/** The calls of a streamed reply. Compatible servers leave out or repeat ids, names and indexes. */
export class Calls {
  readonly #calls: Building[] = []
  /** The newest with an index, and the first with an id: so that each piece finds its call at once. */
  readonly #byIndex = new Map<number, Building>()
  readonly #byId = new Map<string, Building>()
  #done: readonly ToolCallPart[] | undefined

  push(deltas: ReturnType<typeof listField>): readonly Delta[] {
    return deltas.flatMap((delta): Delta[] => {
      const called = field(delta, "function")
      const name = stringField(called, "name") ?? ""
      const call = this.#callFor(delta, name)
      const isNamed = call.name === "" && name !== ""
      call.id ||= stringField(delta, "id") ?? ""
      call.name ||= name
      const text = argumentsOf(called)
      call.text += text
      if (call.id !== "" && !this.#byId.has(call.id)) this.#byId.set(call.id, call)
      return [
        ...(isNamed ? [{ type: "tool-call-start", id: call.id, name } as const] : []),
        ...(text === "" ? [] : [{ type: "tool-input", id: call.id, text } as const]),
      ]
    })
  }

  /** Lists the calls. Once done, nothing of them changes any more. */
  parts(done: boolean): readonly ToolCallPart[] {
    if (this.#done !== undefined) return this.#done
    const parts = this.#calls.map((call) => callPart(call, call.text, parseInput(call.text, done), done))
    if (done) this.#done = parts
    return parts
  }

  #callFor(delta: unknown, name: string): Building {
    const id = stringField(delta, "id") ?? ""
    const index = field(delta, "index")
    const known =
      typeof index === "number"
        ? this.#byIndex.get(index)
        : id === ""
          ? name === "" && this.#calls.at(-1)
          : this.#byId.get(id)
    // One index for all calls: only the id tells that another begins.
    if (known && (id === "" || known.id === "" || known.id === id)) return known
    const fresh: Building = { id: "", name: "", text: "" }
    if (typeof index === "number") this.#byIndex.set(index, fresh)
    this.#calls.push(fresh)
    return fresh
  }
}

function argumentsOf(called: unknown): string {
  const value = field(called, "arguments")
  if (typeof value === "string") return value
  return value === undefined || value === null ? "" : JSON.stringify(value)
}
