import type { MessagePort } from "node:worker_threads"
import type { Address, StoreErrorCode } from "@sotto/harness/store"

/** What the thread is started with. */
export interface ThreadStart {
  readonly address: Address
  /** Known only to one open store: two in the same process are two holders. */
  readonly token: string
  /** The name that the worker was started with; empty without one. */
  readonly worker: string
  readonly pid: number
  readonly host: string
  /** A switch for tests that want to see what fencing prevents: appends then check neither the fence nor the time. */
  readonly noFencing: boolean
  /** Counts what the thread has said, so that the caller can sleep until there is more. */
  readonly said: SharedArrayBuffer
  /** Requests come and answers go here. */
  readonly port: MessagePort
}

/** What the caller asks for. `call` names one of the thread's operations. */
export interface ThreadRequest {
  readonly number: number
  readonly call: string
  readonly args: readonly unknown[]
}

export type FromThread =
  | { readonly is: "answer"; readonly number: number; readonly result: unknown }
  | { readonly is: "failure"; readonly number: number; readonly failure: Failure }
  | Heard

/** What the thread tells without having been asked. */
export type Heard =
  /** The session is not ours any more. */
  | { readonly is: "lost"; readonly session: string; readonly fence: number; readonly why: string }
  /** Something was posted for these sessions; for any if the list is missing. */
  | { readonly is: "posted"; readonly sessions?: readonly string[] }
  /** Another store may have written. */
  | { readonly is: "changed" }
  /** How the thread hears of posts from now on. */
  | { readonly is: "hearing"; readonly hearing: ListenMethod }

/** How posts and changes of others are heard of. */
export type ListenMethod = { readonly by: "notifications" } | { readonly by: "polling"; readonly why: string }

/** An error on its way between the threads. */
export interface Failure {
  readonly code: StoreErrorCode | "bug"
  readonly what: string
  readonly remedy: string
  readonly line?: number
  /** True if it is not known whether the database did it. */
  readonly unsure?: boolean
}

/** Entries of one session and what goes with them. */
export interface Extension {
  readonly session: string
  readonly key: number
  readonly fence: number
  /** The number of the first entry. */
  readonly first: number
  /** The entries as JSON. With none of them it is only asked whether the session is still ours. */
  readonly bodies: readonly string[]
  readonly messages: number
  readonly updated: number
  readonly agent: string | null
  readonly model: string | null
  readonly atWork: boolean | null
  /** The posted command that these entries carry out. */
  readonly carries: string | null
}

/** A text of a file to be kept. */
export interface Kept {
  readonly hash: string
  readonly text: string
}

/** What became of an extension. */
export type Extended = "written" | "lost" | "conflict"

/** A new row of a session. */
export interface NewRow {
  readonly id: string
  readonly cwd: string
  readonly title: string | null
  readonly summary: string | null
  readonly parent: string | null
  readonly workspace: string | null
  readonly agent: string
  readonly model: string
  readonly created: number
  readonly updated: number
  readonly messages: number
  readonly bodies: readonly string[]
}

/** A session that was taken. */
export interface TakenSession {
  readonly key: number
  readonly fence: number
}

/** The end of a lease by the monotonic clock, and its fence; a fence of 0 says that it was lost. Shared by both threads. */
export class LeaseCell {
  readonly shared: SharedArrayBuffer
  readonly #values: BigInt64Array

  constructor(shared = new SharedArrayBuffer(16)) {
    this.shared = shared
    this.#values = new BigInt64Array(shared)
  }

  /** Nanoseconds, by `process.hrtime.bigint()`: the same clock in all threads, and it goes on while a process is stopped. */
  get end(): bigint {
    return Atomics.load(this.#values, 0)
  }

  get fence(): bigint {
    return Atomics.load(this.#values, 1)
  }

  get holds(): boolean {
    return this.fence !== 0n && process.hrtime.bigint() < this.end
  }

  grant(fence: number, end: bigint): void {
    Atomics.store(this.#values, 1, BigInt(fence))
    // An answer that comes late must not shorten what a later one has granted.
    if (end > this.end) Atomics.store(this.#values, 0, end)
  }

  lose(): void {
    Atomics.store(this.#values, 1, 0n)
  }
}
