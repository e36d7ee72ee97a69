import type { ChildProcessWithoutNullStreams } from "node:child_process"

/** What a program has answered, and how many bytes of its output that took. */
export interface GitAnswer<T> {
  readonly value: T
  readonly length: number
}

/**
 * A program that answers each question on its standard input on its standard output, and is kept for the next one: to
 * start it takes longer than to answer. It does not keep this process alive.
 */
export class GitDialog<T> {
  readonly #start: () => Promise<ChildProcessWithoutNullStreams>
  readonly #take: (bytes: Buffer) => GitAnswer<T> | undefined
  #child: Promise<ChildProcessWithoutNullStreams> | undefined
  #waiting: ((value: T | undefined) => void)[] = []
  #bytes: Buffer = Buffer.alloc(0)

  /** `take` cuts one answer off what has come; undefined if it is not whole yet. */
  constructor(
    start: () => Promise<ChildProcessWithoutNullStreams>,
    take: (bytes: Buffer) => GitAnswer<T> | undefined,
  ) {
    this.#start = start
    this.#take = take
  }

  /** Asks, in order. Undefined stands for an answer that never came: the program has ended. */
  async ask(questions: readonly string[]): Promise<readonly (T | undefined)[]> {
    if (questions.length === 0) return []
    this.#child ??= this.#start().then((child) => this.#listen(child))
    const child = await this.#child
    const answers = questions.map(() => new Promise<T | undefined>((resolve) => this.#waiting.push(resolve)))
    hold(child, true)
    if (child.exitCode === null && child.signalCode === null) child.stdin.write(questions.join(""))
    else this.#end()
    const all = await Promise.all(answers)
    if (this.#waiting.length === 0) hold(child, false)
    return all
  }

  /** Ends the program. The next question starts it anew. */
  close(): void {
    const child = this.#child
    this.#end()
    void child?.then((one) => one.kill("SIGKILL"))
  }

  #listen(child: ChildProcessWithoutNullStreams): ChildProcessWithoutNullStreams {
    child.stdout.on("data", (chunk: Buffer) => {
      let bytes = this.#bytes.byteLength === 0 ? chunk : Buffer.concat([this.#bytes, chunk])
      for (let found = this.#take(bytes); found !== undefined; found = this.#take(bytes)) {
        bytes = bytes.subarray(found.length)
        this.#waiting.shift()?.(found.value)
      }
      this.#bytes = bytes
    })
    child.stderr.resume()
    // It may end before it has read all.
    child.stdin.on("error", () => {})
    child.once("error", () => this.#end()).once("close", () => this.#end())
    return child
  }

  #end(): void {
    this.#child = undefined
    this.#bytes = Buffer.alloc(0)
    for (const give of this.#waiting.splice(0)) give(undefined)
  }
}

/** Keeps this process alive for a child and its streams, or does so no longer. */
function hold(child: ChildProcessWithoutNullStreams, isHeld: boolean): void {
  const what = isHeld ? "ref" : "unref"
  child[what]()
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    // A pipe is a socket here, whatever its type says.
    const socket = stream as { ref?(): void; unref?(): void }
    socket[what]?.()
  }
}
