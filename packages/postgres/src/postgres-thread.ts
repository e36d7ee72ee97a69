import { workerData } from "node:worker_threads"
import { failureOf } from "./failure.js"
import type { FromThread, ThreadRequest, ThreadStart } from "./messages.js"
import { operationsOf } from "./operations.js"

/**
 * Runs as the program of the thread that talks to PostgreSQL. It takes requests, carries them out side by side and
 * answers each; the caller may sleep meanwhile, and is woken by the count of what was said.
 */
function serve(): void {
  const start = workerData as ThreadStart
  const { port } = start
  const said = new Int32Array(start.said)
  const tell = (message: FromThread) => {
    port.postMessage(message)
    Atomics.add(said, 0, 1)
    Atomics.notify(said, 0)
  }
  const operations = operationsOf(start, tell)
  port.on("message", async ({ number, call, args }: ThreadRequest) => {
    try {
      const work = operations[call as keyof typeof operations] as (
        ...args: readonly unknown[]
      ) => Promise<unknown>
      tell({ is: "answer", number, result: await work(...args) })
    } catch (error) {
      tell({ is: "failure", number, failure: failureOf(error) })
    }
  })
}

serve()
