import type { AgentPrompt } from "./agent.js"
import type { Capabilities } from "./capabilities.js"
import type { Json } from "./json.js"
import type { Roster } from "./ledger-page.js"
import type { DialectName } from "./model.js"
import type { SamplingSettings, ThinkLevel } from "./model-settings.js"
import type { PinnedTool } from "./tool.js"
import type { WireMessage } from "./wire-message.js"

/** What stays the same for a whole epoch. One object an epoch: its identity is the encoders' cache key. */
export interface Pins extends Placement {
  /** The format in which this epoch's bytes are written. */
  readonly format: number
  /** The model's name, as it was given. */
  readonly model: string
  /** The one the requests are for; any will do where the session does not say. */
  readonly dialect?: DialectName
  /** Pinned, because providers key their caches on it: another level is another epoch. */
  readonly think?: ThinkLevel
  /** The name of the cache, where it is not the session's id. */
  readonly cacheKey?: string
  /** Fields of the provider's body that the agent and the model ask for. */
  readonly options?: { readonly [field: string]: Json }
  /** The agent with which the epoch began. */
  readonly agent: string
  /** The agent's own prompt, if it has one: switching to an agent with another one is another epoch. */
  readonly prompt: AgentPrompt | null
  /** The system prompt. */
  readonly system: string
  /** The tools, sorted by name. */
  readonly tools: readonly PinnedTool[]
  /** The facts that the system prompt states, and their values. */
  readonly stated: Readonly<Record<string, Json>>
  /** The kinds whose rules were on and off when the epoch began. */
  readonly roster: Roster
  /** Forgeries made inert in system and tools. */
  readonly neutralised: number
  /** The epoch keeps reasoning from before it: the API is asked to drop what no longer fits. */
  readonly dropsReasoning?: true
}

/**
 * The version of everything that decides bytes and is not in the log: guard, tags, markers, placement, encoders. The log
 * keeps what was rendered (reminders, frames, system, tools), not what was placed: that would double its size, and
 * would still leave the encoders, which have to be versioned anyway. A change of format is therefore a rebase. A
 * session that was written in another format goes on unchanged until it has something to send, and then logs `format`
 * and places everything anew.
 *
 * Raise it by one with every change that makes a log give other bytes; `test/golden.test.ts` says when that is so.
 */
export const FORMAT = 4

/** One model request, before any provider's format. A value: it stays what it is while the session goes on. */
export interface Request {
  /** What `reply` names it by. */
  readonly id: string
  /** The session's id, for providers that route by it. */
  readonly session: string
  /** The agent that is to answer. */
  readonly agent: string
  /** The turn, counted from 1. */
  readonly turn: number
  /** The step, counted from 1 within the turn. */
  readonly step: number
  /** What is the same in every request of the epoch. */
  readonly pins: Pins
  /** The conversation. */
  readonly messages: Appended<WireMessage>
  /** How many of the messages the previous request of this epoch had: there its cache entry ends. */
  readonly previous: number
  /** Tools came or went since the epoch began: some providers have to be told to look for that. */
  readonly changesTools: boolean
  /** On the last step tools stay defined, and calling them is forbidden. */
  readonly toolChoice: "auto" | "none"
  /** What a side request is for. Such a request asks for no cache entry that only it would read. */
  readonly side?: string
  /** False if nobody reads the reply: it is sent to keep the provider's cache. */
  readonly answer?: boolean
  /** How the model chooses its words, where the agent or the model says so. */
  readonly sampling?: SamplingSettings
  /** Seconds that the provider is asked to keep its cache, where that is longer than it does by itself. */
  readonly cacheLifetime?: number
  /** The provider's id of the newest step's reply, where it is known: cache diagnostics compare with its request. */
  readonly previousMessage?: string
}

/** The first `length` items of a list that only grows: many requests share one list and copy nothing. */
export class Appended<T> implements Iterable<T> {
  readonly #all: readonly T[]
  /** How many of the list's items belong to this request. */
  readonly length: number

  constructor(all: readonly T[], length: number = all.length) {
    this.#all = all
    this.length = length
  }

  /** Returns one item; counts from the end if the index is negative. */
  at(index: number): T | undefined {
    const from = index < 0 ? this.length + index : index
    return from < this.length ? this.#all[from] : undefined
  }

  /** Returns the items from an index on. */
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

/** What decides where things go, pinned for the epoch. */
export interface Placement {
  /** What the model takes. */
  readonly capabilities: Capabilities
  /** Makes the tags of this session unlike those of any other. */
  readonly nonce?: string
  /** Whether what may be snipped carries an `[id:…]` tag. */
  readonly idTags: boolean
}
