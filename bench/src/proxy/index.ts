import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { Agent, type IncomingMessage, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { median, megabytes, millis, table } from "../figures.js"
import { percentile } from "../terminal/pty.js"
import { type Started, startProxy, startUpstream } from "./started.js"

/** What may be added until the first byte, in milliseconds. */
const MOST_MEDIAN = 1
const MOST_P99 = 5
const MOST_SLOWER = 0.05
const STREAMS = { count: 100, events: 100, every: 20 } as const
const LARGE = 100_000
const SMALL = 20_000
/** Calls at once, and how long each takes: faster than any agent, and no faster than the analysis can follow. */
const AT_ONCE = 8
const PACE = "5,20"

/** `sotto proxy` as a process beside a direct connection, by turns, in the same run. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { calls: { type: "string", default: "10000" }, rounds: { type: "string", default: "1000" } },
  })
  const home = mkdtempSync(join(tmpdir(), "sotto-bench-proxy-"))
  const upstream = await startUpstream()
  const record = join(home, "calls.jsonl")
  const proxy = await startProxy(upstream.url, home, ["--record", record])
  try {
    await firstBytes(upstream, proxy, Number(values.rounds))
    await streams(upstream, proxy)
    await memory(proxy, Number(values.calls))
  } finally {
    await proxy.close()
    await upstream.close()
    rmSync(home, { recursive: true, force: true })
  }
}

/** A step of a conversation: each is longer than the one before by an answer and a prompt. */
function body(conversation: number, step: number, size: number): string {
  const text = (n: number) => `${conversation}.${n} ${"words of a message ".repeat(20)}`
  const filler = "words of a system prompt ".repeat(Math.ceil(size / 25)).slice(0, size)
  return JSON.stringify({
    model: "claude-opus-5-5",
    max_tokens: 1_000,
    stream: true,
    system: [{ type: "text", text: filler, cache_control: { type: "ephemeral" } }],
    messages: Array.from({ length: 2 * step - 1 }, (_, n) => ({
      role: n % 2 === 0 ? "user" : "assistant",
      content: [{ type: "text", text: text(n) }],
    })),
  })
}

/** Milliseconds until the first byte of the answer's body, and until its end. */
async function call(
  url: string,
  agent: Agent,
  text: string,
  bench = "1,0",
): Promise<{ readonly first: number; readonly whole: number }> {
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    "x-bench": bench,
  }
  const start = performance.now()
  const asking = request(`${url}/v1/messages`, { method: "POST", agent, headers }).end(text)
  const [response] = (await once(asking, "response")) as [IncomingMessage]
  let first: number | undefined
  for await (const _ of response) first ??= performance.now() - start
  return { first: first ?? Number.NaN, whole: performance.now() - start }
}

async function firstBytes(upstream: Started, proxy: Started, rounds: number): Promise<void> {
  const [direct, proxied] = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })]
  const times = { direct: [] as number[], proxied: [] as number[] }
  const warm = Math.ceil(rounds / 10)
  for (let i = 0; i < rounds + warm; i++) {
    const text = body(Math.floor(i / 20), (i % 20) + 1, LARGE)
    const straight = await call(upstream.url, direct, text)
    const through = await call(proxy.url, proxied, text)
    if (i < warm) continue
    times.direct.push(straight.first)
    times.proxied.push(through.first)
  }
  direct.destroy()
  proxied.destroy()
  const row = (name: string, list: readonly number[]) => [
    name,
    millis(median(list)),
    millis(percentile(list, 0.99)),
  ]
  const added = [
    median(times.proxied) - median(times.direct),
    percentile(times.proxied, 0.99) - percentile(times.direct, 0.99),
  ]
  const [half = Number.NaN, most = Number.NaN] = added
  console.log(
    `Time to the first byte of an answer, requests of ${LARGE / 1000} kB and more, ${rounds} of each by turns`,
  )
  console.log(
    table(
      ["", "p50", "p99"],
      [
        row("direct", times.direct),
        row("through the proxy", times.proxied),
        ["added", millis(half), millis(most)],
      ],
    ).join("\n"),
  )
  verdict(half <= MOST_MEDIAN, `at most ${MOST_MEDIAN} ms added at the median`)
  verdict(most <= MOST_P99, `at most ${MOST_P99} ms added at the 99th percentile`)
}

async function streams(upstream: Started, proxy: Started): Promise<void> {
  const { count, events, every } = STREAMS
  const round = async (url: string) => {
    const agent = new Agent({ keepAlive: true })
    const text = body(0, 1, 1_000)
    const times = await Promise.all(
      Array.from({ length: count }, () => call(url, agent, text, `${events},${every}`)),
    )
    agent.destroy()
    return median(times.map(({ whole }) => whole))
  }
  const [direct, proxied]: [number[], number[]] = [[], []]
  for (let i = 0; i < 3; i++) {
    direct.push(await round(upstream.url))
    proxied.push(await round(proxy.url))
  }
  const slower = median(proxied) / median(direct) - 1
  console.log(`\n${count} streams at once, ${events} events each, one every ${every} ms`)
  console.log(
    table(
      ["", "whole stream"],
      [
        ["direct", millis(median(direct))],
        ["through the proxy", millis(median(proxied))],
      ],
    ).join("\n"),
  )
  verdict(slower <= MOST_SLOWER, `slower by ${(slower * 100).toFixed(1)}%; at most ${MOST_SLOWER * 100}%`)
}

async function memory(proxy: Started, calls: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const seen: [number, number][] = []
  let next = 0
  const worker = async () => {
    while (next < calls) {
      const n = next++
      await call(proxy.url, agent, body(1_000 + Math.floor(n / 20), (n % 20) + 1, SMALL), PACE)
      if ((n + 1) % (calls / 5) === 0) seen.push([n + 1, residentBytes(proxy.pid)])
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  agent.destroy()
  console.log(
    `\nMemory of the proxy over ${calls} calls, recorded, the newest 64 MB of them kept for those who look on`,
  )
  console.log(
    table(
      ["calls", "resident"],
      seen.map(([n, bytes]) => [String(n), megabytes(bytes)]),
    ).join("\n"),
  )
  const [, second] = seen
  const last = seen.at(-1)
  // The first fifth fills what is kept.
  const grown = second === undefined || last === undefined ? Number.NaN : last[1] / second[1] - 1
  verdict(
    grown <= 0.1,
    `from the second fifth to the last it changed by ${(grown * 100).toFixed(0)}%; at most 10% more`,
  )
}

function residentBytes(pid: number): number {
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  return Number(kilobytes) * 1024
}

function verdict(isMet: boolean, goal: string): void {
  console.log(`${isMet ? "PASS" : "above"}: ${goal}`)
}
