import type { ChildProcessWithoutNullStreams } from "node:child_process"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import { groupLives, signalGroup } from "../../execution/programs/command.js"
import type { ChildEnvironment } from "../../execution/programs/environment.js"
import { limitFlow, MOST_PER_MINUTE } from "../../execution/programs/flow.js"
import { endingOf, type Launch } from "../../execution/programs/launch.js"
import { startPiped } from "../../execution/programs/start.js"
import { LineSplitter, type LongLine } from "./line-splitter.js"
import { answeredBy, LONGEST_MESSAGE, tooLongAnswer } from "./too-long.js"

export interface McpProcess {
  readonly launch: Launch
  /** How the configuration calls it. */
  readonly command: string
  readonly cwd: string
  readonly env: ChildEnvironment
  /** Takes what it prints to its standard error. */
  log(chunk: Buffer): void
}

/** Milliseconds until the next, less polite way of ending a server; twice that is the longest that closing takes. */
const GRACE = 700
const LOOK = 20
/** Lines of a server within a minute: each costs time, even if it does not hold a message. */
const MOST_MESSAGES = 100_000
/** Bytes that wait to be read by a server. One that sends requests and reads no answer must not fill the memory. */
const MOST_UNREAD = 16_000_000

/**
 * A server that is a process of ours. The SDK's own transport ends the one process it started, in up to four seconds,
 * and closes the connection over one long message; here the whole group ends, and a long message costs one answer.
 */
export class ProcessTransport implements Transport {
  onmessage?: Transport["onmessage"]
  onclose?: () => void
  onerror?: (error: Error) => void
  /** How it ended, for people. */
  ending: string | undefined
  readonly #child: ChildProcessWithoutNullStreams
  readonly #spawned: Promise<void>
  readonly #exited: Promise<void>
  #drained: Promise<void> | undefined
  /** Lines since a moment at most a minute ago. */
  #heard = 0
  #since = performance.now()

  constructor({ launch, command, cwd, env, log }: McpProcess) {
    // A group of its own: an interrupt typed at the terminal is for us, and ending it ends what it started.
    this.#child = startPiped(launch, { cwd, env, detached: process.platform !== "win32" })
    this.#spawned = new Promise((resolve, reject) => {
      this.#child.once("spawn", resolve)
      this.#child.once("error", (cause) =>
        reject(new Error(`"${command}" could not be started (${cause.message})`)),
      )
    })
    this.#spawned.catch(() => undefined)
    this.#exited = new Promise((resolve) => {
      this.#child.once("exit", (...ended) => {
        const { code, signal } = endingOf(launch, ...ended)
        this.ending ??= signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`
        resolve()
      })
    })
    this.#child.once("close", () => this.onclose?.())
    // Whatever inherited its output may keep the pipe open; it is over when the server is.
    void this.#exited.then(() => setTimeout(() => this.#hangUp(), GRACE).unref())
    const lines = new LineSplitter(
      LONGEST_MESSAGE,
      (line) => this.#hear(line),
      (line) => this.#answerFor(line),
    )
    limitFlow(this.#child.stdout, () =>
      this.#giveUp(`it sent more than ${MOST_PER_MINUTE / 1_000_000} MB within a minute`),
    )
    this.#child.stdout.on("data", (chunk: Buffer) => lines.push(chunk))
    this.#child.stderr.on("data", log)
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr])
      stream.on("error", () => undefined)
  }

  start(): Promise<void> {
    return this.#spawned
  }

  send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#child
    if (!stdin.writable) return Promise.reject(new Error("The server has ended."))
    if (stdin.writableLength > MOST_UNREAD) {
      this.#giveUp("it does not read what it is sent")
      return Promise.reject(new Error("The server does not read."))
    }
    if (stdin.write(`${JSON.stringify(message)}\n`)) return Promise.resolve()
    // One for all that wait: a server that reads slowly may have many answers to read.
    this.#drained ??= new Promise((resolve) => {
      stdin.once("drain", () => {
        this.#drained = undefined
        resolve()
      })
    })
    return Promise.race([this.#drained, this.#exited])
  }

  async close(): Promise<void> {
    const { pid, stdin } = this.#child
    stdin.end()
    if (pid === undefined) return
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      for (let waited = 0; waited < GRACE && groupLives(pid); waited += LOOK)
        await new Promise((resolve) => setTimeout(resolve, LOOK))
      if (!groupLives(pid)) break
      signalGroup(pid, signal)
    }
    this.#hangUp()
  }

  /** Ends a server that takes more than it should have, for a reason that people are told. */
  #giveUp(why: string): void {
    if (this.ending !== undefined) return
    this.ending = why
    this.#hangUp()
    void this.close()
  }

  #hangUp(): void {
    this.#child.stdout.destroy()
    this.#child.stderr.destroy()
  }

  #hear(line: string): void {
    if (this.ending !== undefined || line.trim() === "") return
    if (performance.now() - this.#since > 60_000) [this.#since, this.#heard] = [performance.now(), 0]
    if (++this.#heard > MOST_MESSAGES) {
      this.#giveUp(`it sent more than ${MOST_MESSAGES} lines within a minute`)
      return
    }
    try {
      this.onmessage?.(JSON.parse(line))
    } catch (error) {
      // Servers print banners and debug lines where only messages belong.
      this.onerror?.(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #answerFor(line: LongLine): void {
    const id = answeredBy(line)
    if (id !== undefined) this.onmessage?.(tooLongAnswer(id, line.bytes) as JSONRPCMessage)
  }
}
