import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { median, megabytes, millis, times } from "./figures.js"
import { scriptedServer } from "./model/server.js"
import { deferred } from "./peers/deferred.js"
import { layGround, small } from "./peers/ground.js"
import { start } from "./peers/process.js"
import { MODEL, sotto } from "./peers/sotto.js"

const COMMAND = fileURLToPath(new URL("../../packages/cli/bin/sotto.js", import.meta.url))
const TOKEN = "bench-of-the-server-bench-of-the-server"
const [IDLE, ACTIVE] = [200, 50]
/** Steps of a turn: of one session alone, of each that is idle afterwards, and of each of those at work together. */
const [ALONE, BEFORE_IDLE, TOGETHER] = [150, 2, 40]
const PROBE_MS = 5

/** Measures what `sotto serve` takes for many sessions: memory, what idle ones add to a step, and how soon it answers. */
export async function run(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "sotto-serve-"))
  const ground = layGround(sotto, root)
  const turns = new Map<string, Turn>()
  const model = await scriptedServer(
    (_, body) => {
      const { name, steps } = promptIn(body)
      const turn = turns.get(name)
      const done = turn?.times.push(performance.now()) ?? 0
      if (done <= steps) return { call: sotto.read(small(((done - 1) % 300) + 1), ground.cwd) }
      turn?.end()
      return { text: "That is all." }
    },
    undefined,
    { keepsBodies: false },
  )
  const place = { ...ground, url: model.url }
  sotto.prepare(place)
  const listens = deferred<string>()
  const env = {
    SOTTO_HOME: join(ground.home, "sotto"),
    SOTTO_TOKEN: TOKEN,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "none",
  }
  const args = [COMMAND, "serve", "--port", "0", "--sessions", String(ACTIVE)]
  const server = start({ command: process.execPath, args, env }, place, (line) => {
    const found = /http:\S+/.exec(String(line))?.[0]
    if (found !== undefined) listens.resolve(found)
  })
  try {
    const url = await listens.promise
    const send = async (path: string, body?: object) => {
      const answer = await fetch(url + path, {
        headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
        ...(body && { method: "POST", body: JSON.stringify(body) }),
      })
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
      return (await answer.json()) as { readonly id: string }
    }
    const talk = async (steps: number): Promise<readonly number[]> => {
      const { id } = await send("/sessions", { cwd: ground.cwd, model: MODEL })
      const over = deferred<void>()
      const turn: Turn = { times: [], end: () => over.resolve() }
      turns.set(id, turn)
      await send(`/sessions/${id}/say`, { text: `Read ${steps} notes. I am ${id}.` })
      await over.promise
      return turn.times
    }
    const memory = () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1]) * 1024
    const probing = async (work: () => Promise<unknown>) => {
      const delays: number[] = []
      let isOver = false
      const end = work().finally(() => {
        isOver = true
      })
      while (!isOver) {
        const began = performance.now()
        await send("/live")
        delays.push(performance.now() - began)
        await new Promise((resolve) => setTimeout(resolve, PROBE_MS))
      }
      await end
      return delays.toSorted((a, b) => a - b)
    }
    await talk(ALONE) // The first turn is for the compiler.
    const alone = stepOf(await talk(ALONE))
    console.log(`one session: ${megabytes(memory())}, a step ${millis(alone)}`)
    const before = memory()
    for (let n = 0; n < IDLE; n += 10) await Promise.all(Array.from({ length: 10 }, () => talk(BEFORE_IDLE)))
    const beside = stepOf(await talk(ALONE))
    console.log(
      `with ${IDLE} idle ones: ${megabytes(memory())}, ${((memory() - before) / IDLE / 1e3).toFixed(0)} kB each; a step ${millis(beside)}, ${times(beside / alone)}`,
    )
    const began = performance.now()
    const delays = await probing(() => Promise.all(Array.from({ length: ACTIVE }, () => talk(TOGETHER))))
    const seconds = (performance.now() - began) / 1000
    const at = (share: number) => millis(delays[Math.floor(delays.length * share)] ?? 0)
    console.log(
      `with ${ACTIVE} at work: ${megabytes(memory())}, ${((ACTIVE * TOGETHER) / seconds).toFixed(0)} steps a second; GET /live in ${at(0.5)} at the median, ${at(0.95)} at the 95th percentile`,
    )
  } finally {
    server.kill()
    await model.close()
    rmSync(root, { recursive: true, force: true })
  }
}

interface Turn {
  /** When each request came. */
  readonly times: number[]
  end(): void
}

/** Finds the name of a session and the length of its turn in the first words of a request, which all others repeat. */
function promptIn(body: Buffer): { readonly name: string; readonly steps: number } {
  const [, steps = "0", name = ""] = /Read (\d+) notes\. I am ([\w-]+)\./.exec(body.toString("latin1")) ?? []
  return { name, steps: Number(steps) }
}

function stepOf(all: readonly number[]): number {
  return median(all.slice(1).map((time, i) => time - (all[i] ?? time)))
}
