import { setTimeout as sleep } from "node:timers/promises"
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads"
import { StoreError } from "@sotto/harness/store"
import type { Failure, FromThread, Heard, ThreadStart } from "./messages.js"
import type { Operations } from "./operations.js"

/** No caller waits longer than this, whatever the thread does. It gives up sooner by itself. */
const BLOCK_MS = 12_000
const CLOSE_MS = 3_000

type Name = keyof Operations
type Result<N extends Name> = Awaited<ReturnType<Operations[N]>>

export type Answer<T> =
  | { readonly is: "answer"; readonly result: T }
  | { readonly is: "failure"; readonly error: Error }

/** True if it is not known of a failure whether the database did what it was asked for. */
export function isUnsure(error: unknown): boolean {
  return error instanceof Unsure
}

class Unsure extends StoreError {}

/**
 * Talks to the thread that owns the connections. Almost everything is asked for without waiting. Where the caller must
 * know at once, because the engine decides and folds without waiting, its thread sleeps until the answer is there, and
 * never longer than a few seconds: `call` and `settle`.
 */
export class Bridge {
  readonly #worker: Worker
  readonly #port: MessagePort
  readonly #shown: string
  readonly #hear: (heard: Heard) => void
  readonly #said = new Int32Array(new SharedArrayBuffer(4))
  readonly #asked = new Map<number, (answer: Answer<unknown>) => void>()
  /** What was told while this thread waited for an answer, and is passed on afterwards. */
  #held: Heard[] = []
  #number = 0
  #failure: Error | undefined

  constructor(start: Omit<ThreadStart, "said" | "port">, hear: (heard: Heard) => void) {
    this.#shown = start.address.shown
    this.#hear = hear
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    const workerData: ThreadStart = { ...start, said: this.#said.buffer, port: port2 }
    this.#worker = new Worker(new URL("./postgres-thread.js", import.meta.url), {
      workerData,
      transferList: [port2],
    })
    this.#worker.on("error", (error) => this.#fail(error))
    this.#worker.on("exit", () => this.#fail(new Error("the thread has ended")))
    this.#port.on("message", (message: FromThread) => {
      // Take an answer before listeners are told of anything: a listener may wait for this answer, and no other code
      // has it any more.
      this.#take(message, (heard) => this.#held.push(heard))
      this.#passOn()
    })
    // An open store keeps no process alive; who waits for an answer does.
    this.#worker.unref()
    this.#port.unref()
  }

  /** Asks and sleeps until the answer is there. */
  call<N extends Name>(name: N, args: Parameters<Operations[N]>): Result<N> {
    let answer: Answer<Result<N>> | undefined
    const number = this.ask(name, args, (given) => {
      answer = given
    })
    this.settle(number)
    if (answer === undefined) throw this.unavailable("it did not answer in time")
    if (answer.is === "failure") throw answer.error
    return answer.result
  }

  /** Asks without waiting: the number of the question. */
  ask<N extends Name>(
    name: N,
    args: Parameters<Operations[N]>,
    done: (answer: Answer<Result<N>>) => void,
  ): number {
    const number = ++this.#number
    if (this.#failure !== undefined) {
      done({ is: "failure", error: this.#failure })
      return number
    }
    this.#asked.set(number, done as (answer: Answer<unknown>) => void)
    this.#port.ref()
    this.#port.postMessage({ number, call: name, args })
    return number
  }

  /** Asks for something that may take its time. */
  later<N extends Name>(name: N, args: Parameters<Operations[N]>): Promise<Result<N>> {
    return new Promise((resolve, reject) => {
      this.ask(name, args, (answer) => {
        if (answer.is === "answer") resolve(answer.result)
        else reject(answer.error)
      })
    })
  }

  /** Sleeps until a question is answered, or for as long as anybody waits. */
  settle(number: number): void {
    const end = performance.now() + BLOCK_MS
    while (this.#asked.has(number)) {
      const seen = Atomics.load(this.#said, 0)
      const next = receiveMessageOnPort(this.#port) as { readonly message: FromThread } | undefined
      if (next !== undefined) {
        this.#take(next.message, (heard) => this.#hold(heard))
        continue
      }
      const left = end - performance.now()
      if (left <= 0) return
      Atomics.wait(this.#said, 0, seen, left)
    }
  }

  async close(): Promise<void> {
    const closed = this.later("close", []).catch(() => {})
    await Promise.race([closed, sleep(CLOSE_MS, undefined, { ref: false })])
    this.#failure ??= new StoreError("not-open", `The store ${this.#shown} is closed.`, "Open it again.")
    this.#worker.removeAllListeners()
    void this.#worker.terminate()
    this.#port.close()
    this.#failAll(this.#failure)
  }

  #take(message: FromThread, hear: (heard: Heard) => void): void {
    if (message.is !== "answer" && message.is !== "failure") {
      hear(message)
      return
    }
    const done = this.#asked.get(message.number)
    this.#asked.delete(message.number)
    if (this.#asked.size === 0) this.#port.unref()
    if (message.is === "answer") done?.(message)
    else done?.({ is: "failure", error: this.#errorOf(message.failure) })
  }

  #hold(heard: Heard): void {
    if (this.#held.length === 0) setImmediate(() => this.#passOn())
    this.#held.push(heard)
  }

  /** Passes messages on one after the other, so that none is lost if a listener throws. */
  #passOn(): void {
    for (let heard = this.#held.shift(); heard !== undefined; heard = this.#held.shift()) this.#hear(heard)
  }

  #fail(cause: Error): void {
    this.#failure ??= new Unsure(
      "unavailable",
      `The store ${this.#shown} cannot be used any more: the thread that talks to PostgreSQL failed (${cause.message}).`,
      "Start Sotto again. Nothing is lost that was said to be stored.",
      { cause },
    )
    this.#failAll(this.#failure)
  }

  #failAll(error: Error): void {
    const asked = [...this.#asked.values()]
    this.#asked.clear()
    for (const done of asked) done({ is: "failure", error })
  }

  unavailable(why: string): StoreError {
    return new Unsure(
      "unavailable",
      `The store ${this.#shown} cannot be used: ${why}.`,
      "Check that PostgreSQL runs and can be reached; then try again.",
    )
  }

  #errorOf({ code, what, remedy, line, unsure }: Failure): Error {
    if (code === "bug") return new Error(what)
    const Kind = unsure ? Unsure : StoreError
    return new Kind(code, what, remedy, line === undefined ? {} : { line })
  }
}
