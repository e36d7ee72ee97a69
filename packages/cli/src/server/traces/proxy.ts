import { readdirSync, readFileSync } from "node:fs"
import { get } from "node:http"
import { join } from "node:path"
import { dataFolder, type Environment } from "@sotto/harness"

/** A proxy that runs, as it says itself in a file of the folder `run`. */
export interface RunningProxy {
  readonly pid: number
  readonly port: number
  readonly token: string
  readonly startedAt: number
  readonly command?: readonly string[] | string
}

/** The proxies of this user that run. */
export function runningProxies(env: Environment): readonly RunningProxy[] {
  const folder = join(dataFolder(env), "run")
  let names: readonly string[]
  try {
    names = readdirSync(folder)
  } catch {
    return []
  }
  return names
    .filter((name) => /^proxy-\d+\.json$/.test(name))
    .flatMap((name) => {
      try {
        const found = JSON.parse(readFileSync(join(folder, name), "utf8")) as RunningProxy
        return Number.isInteger(found.port) && runs(found.pid) ? [found] : []
      } catch {
        return []
      }
    })
}

export function runs(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

const AGAIN_MS = 500

/**
 * The calls of a proxy as lines of a recording, from a number on, until it ends. `numbered` hears the number of each: a
 * proxy keeps only its newest calls.
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
    } catch {
      // It has ended, or the connection broke: the next attempt tells.
    }
    caughtUp()
    if (signal.aborted || !runs(proxy.pid)) return
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    // Another program may have its port by now.
    if (!runs(proxy.pid)) return
  }
}

/** The id and the data of each server-sent event. */
async function* eventsOf(
  { port, token }: RunningProxy,
  from: number,
  signal: AbortSignal,
  connected: () => void,
): AsyncGenerator<{ readonly id: number | undefined; readonly data: string }> {
  const url = `http://127.0.0.1:${port}/.sotto/calls?from=${from}`
  const response = await new Promise<AsyncIterable<Buffer>>((resolve, reject) => {
    const asked = get(url, { headers: { authorization: `Bearer ${token}` } }, (incoming) => {
      // Whoever reads it hears of it; one that is no longer read may break off.
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
