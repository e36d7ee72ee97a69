import { type Deferred, deferred } from "./deferred.js"
import type { Launch, Place } from "./peer.js"
import { type Running, start } from "./process.js"

type Params = Readonly<Record<string, unknown>>

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Params
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

/** JSON-RPC over a process's lines, as codex's app server and the Agent Client Protocol speak it. */
export interface Rpc extends Running {
  call(method: string, params: Params): Promise<unknown>
  tell(method: string): void
  /** Resolves with the parameters of the next notification of that name. */
  told(method: string): Promise<Params>
}

/** `answer` is given what the peer asks of its client. */
export function startRpc(
  launch: Launch,
  place: Place,
  answer: (method: string, params: Params) => object,
): Rpc {
  const calls = new Map<number, Deferred<unknown>>()
  const waiting = new Map<string, Deferred<Params>>()
  let count = 0

  const running = start(launch, place, (line) => {
    const { id, method, params = {}, result, error } = line as Message
    if (id !== undefined && method !== undefined)
      running.write({ jsonrpc: "2.0", id, result: answer(method, params) })
    else if (method !== undefined) {
      waiting.get(method)?.resolve(params)
      waiting.delete(method)
    } else if (id !== undefined) {
      const call = calls.get(id)
      calls.delete(id)
      if (error === undefined) call?.resolve(result)
      else call?.reject(new Error(error.message))
    }
  })
  running.closed.then(() => {
    const gone = new Error(`it ended: ${running.complaint()}`)
    for (const { reject } of [...calls.values(), ...waiting.values()]) reject(gone)
  })

  return {
    ...running,
    call(method, params) {
      const id = ++count
      const answered = deferred<unknown>()
      calls.set(id, answered)
      running.write({ jsonrpc: "2.0", id, method, params })
      return answered.promise
    },
    tell: (method) => running.write({ jsonrpc: "2.0", method }),
    told(method) {
      const notified = deferred<Params>()
      waiting.set(method, notified)
      return notified.promise
    },
  }
}
