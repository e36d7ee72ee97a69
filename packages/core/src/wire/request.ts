import type { Json } from "../json.js"
import type { Roster } from "../ledger/page.js"
import type { WireMessage } from "./message.js"
import type { Placement } from "./placement.js"
import type { PinnedTool } from "./tool.js"

/** What stays the same for a whole epoch. One object an epoch: its identity is the encoders' cache key. */
export interface Pins extends Placement {
  /** The version of guard, placement and encoders by which this epoch's bytes are made. */
  readonly format: number
  readonly model: string
  readonly agent: string
  /** The agent's own prompt, if it has one: switching to an agent with another one is another epoch. */
  readonly prompt: string | null
  readonly system: string
  readonly tools: readonly PinnedTool[]
  /** The facts that the system prompt states, and their values. */
  readonly stated: Readonly<Record<string, Json>>
  readonly roster: Roster
  /** Forgeries made inert in system and tools. */
  readonly neutralised: number
}

export const FORMAT = 1

/** One model request, before any provider's format. A value: it stays what it is while the session goes on. */
export interface Request {
  readonly id: string
  readonly session: string
  readonly agent: string
  readonly turn: number
  readonly step: number
  readonly pins: Pins
  readonly messages: Appended<WireMessage>
  /** How many of the messages the previous request of this epoch had: there its cache entry ends. */
  readonly previous: number
  /** Tools came or went since the epoch began: some providers have to be told to look for that. */
  readonly changesTools: boolean
  /** On the last step tools stay defined, and calling them is forbidden. */
  readonly toolChoice: "auto" | "none"
  /** The provider's id of the newest reply, where one is known: cache diagnostics compare with its request. */
  readonly previousMessage?: string
}

/** The first `length` items of a list that only grows: many requests share one list and copy nothing. */
export class Appended<T> implements Iterable<T> {
  readonly #all: readonly T[]
  readonly length: number

  constructor(all: readonly T[], length: number = all.length) {
    this.#all = all
    this.length = length
  }

  at(index: number): T | undefined {
    const from = index < 0 ? this.length + index : index
    return from < this.length ? this.#all[from] : undefined
  }

  /** Those from an index on. */
  slice(from: number): readonly T[] {
    return this.#all.slice(from, this.length)
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let i = 0; i < this.length; i++) yield this.#all[i] as T
  }

  toJSON(): readonly T[] {
    return this.#all.slice(0, this.length)
  }
}
