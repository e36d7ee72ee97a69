import type { Delta } from "@sotto/core"
import type { CallEvent } from "./model-link.js"

/** Characters of an input that have to come before it is told of again. */
const STEP = 200
/** What a call is about stands at the beginning of its input. */
const BEGINNING = 2_000
const ABOUT = /"(?:path|file_path|file|command|pattern|url|name)"\s*:\s*"((?:[^"\\]|\\.)*)/

/** Follows the inputs of calls while the model writes them, and tells how much of each has come. */
export class InputProgress {
  readonly #calls = new Map<string, { readonly name: string; text: string; size: number; told: number }>()
  readonly #tell: (event: CallEvent) => void

  constructor(tell: (event: CallEvent) => void) {
    this.#tell = tell
  }

  hear(delta: Delta): void {
    if (delta.type === "tool-call-start") {
      this.#calls.set(delta.id, { name: delta.name, text: "", size: 0, told: 0 })
      this.#tell({ type: "tool-input", id: delta.id, name: delta.name, size: 0 })
    } else if (delta.type === "tool-input") this.#grow(delta.id, delta.text)
  }

  #grow(id: string, text: string): void {
    const call = this.#calls.get(id)
    if (call === undefined) return
    call.size += text.length
    if (call.text.length < BEGINNING) call.text += text.slice(0, BEGINNING)
    if (call.size - call.told < STEP) return
    call.told = call.size
    const about = aboutOf(call.text)
    this.#tell({
      type: "tool-input",
      id,
      name: call.name,
      size: call.size,
      ...(about !== undefined && { about }),
    })
  }
}

/** The file or command that the beginning of an input names. */
function aboutOf(beginning: string): string | undefined {
  const quoted = ABOUT.exec(beginning)?.[1]
  if (quoted === undefined || quoted === "") return undefined
  try {
    return String(JSON.parse(`"${quoted}"`))
  } catch {
    return undefined
  }
}
