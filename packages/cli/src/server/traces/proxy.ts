import { get } from "node:http"
import { type Environment, isSameProcess } from "@sotto/harness"
import { proven, UnprovenPeer } from "../../peers/proof.js"
import { type Registration, registrations } from "../../peers/registration.js"

/** A proxy that runs, as it says itself in a file of the folder `run`. */
export interface RunningProxy extends Registration {
  readonly token: string
  readonly command?: readonly string[] | string
}

/** Lists the proxies of this user that run. `refused` hears of a registration that is not believed, and why. */
export function runningProxies(env: Environment, refused: (reason: string) => void): readonly RunningProxy[] {
  return registrations(env, /^proxy-\d+\.json$/, refused).filter(
    (found): found is RunningProxy & Readonly<Record<string, unknown>> => typeof found.token === "string",
  )
}

const AGAIN_MS = 500

/**
 * Reads the calls of a proxy as lines of a recording, from a number on, until it ends. `numbered` hears the number of
 * each: a proxy keeps only its newest calls.
 */
export async function* proxyLines(
  proxy: RunningProxy,
  signal: AbortSignal,
  caughtUp: () => void,
  {
    first = 1,
    numbered = () => {},
  }: { readonly first?: number; readonly numbered?: (n: number) => void } = {},
): AsyncGenerator<string> {
  let next = first
  while (!signal.aborted) {
    try {
      for await (const { id, data } of eventsOf(proxy, next, signal, caughtUp)) {
        const number = id ?? next
        next = number + 1
        numbered(number)
        yield `${data}\n`
      }
    } catch (error) {
      // Anything else: it has ended, or the connection broke, and the next attempt tells.
      if (error instanceof UnprovenPeer && isSameProcess(proxy.pid, proxy.birth)) throw error
    }
    caughtUp()
    if (signal.aborted || !isSameProcess(proxy.pid, proxy.birth)) return
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    if (!isSameProcess(proxy.pid, proxy.birth)) return
  }
}

async function* eventsOf(
  proxy: RunningProxy,
  from: number,
  signal: AbortSignal,
  connected: () => void,
): AsyncGenerator<{ readonly id: number | undefined; readonly data: string }> {
  const { host, port, token } = proxy
  // Another program may have its port by now: the token goes to the connection that has proved itself.
  const agent = await proven("proxy", proxy)
  const path = `/.sotto/calls?from=${from}`
  const response = await new Promise<AsyncIterable<Buffer>>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` }
    const asked = get({ agent, host, port, path, headers }, (incoming) => {
      // The reader of the stream hears of the error; a stream that has lost its reader may break off.
      incoming.on("error", () => {})
      if (incoming.statusCode === 200) resolve(incoming)
      else reject(new Error(`the proxy answered ${incoming.statusCode}`))
    }).on("error", reject)
    signal.addEventListener("abort", () => asked.destroy(), { once: true })
  })
  connected()
  const utf8 = new TextDecoder()
  let rest = ""
  for await (const piece of response) {
    const blocks = (rest + utf8.decode(piece, { stream: true })).split(/\r?\n\r?\n/)
    rest = blocks.pop() ?? ""
    for (const block of blocks) {
      const fields = block.split(/\r?\n/)
      const data = fields
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice("data:".length).trimStart())
      const id = /^id: *(\d+)$/.exec(fields.find((line) => line.startsWith("id:")) ?? "")?.[1]
      if (data.length > 0) yield { id: id === undefined ? undefined : Number(id), data: data.join(" ") }
    }
  }
}
