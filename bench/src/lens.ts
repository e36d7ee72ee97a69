import { Fingerprint } from "@sotto/core/cache"
import { createLens } from "@sotto/lens"
import { megabytes, millis, table, times } from "./figures.js"

const DEFAULT_MEGABYTES = 1_000
const STEPS = 150
/** The lens may take this many times as long as parsing alone. */
const MOST = 8

/**
 * Reads a generated trace: sessions of 150 steps, two at a time, each request with 20 tools, a system prompt and everything
 * said before. Nothing but the newest request of each session is ever in memory, so the trace may be as long as one likes.
 */
export async function run(args: readonly string[]): Promise<void> {
  const size = Number(args.find((arg) => /^\d+$/.test(arg)) ?? DEFAULT_MEGABYTES) * 1e6
  const lens = createLens()
  const spent = { parse: 0, hash: 0, lens: 0 }
  let read = 0
  let calls = 0
  let peak = 0
  for (const line of trace(size)) {
    const start = cpu()
    const body: unknown = JSON.parse(line)
    const parsed = cpu()
    lens.push({ source: "trace", number: ++calls, body, text: line })
    const pushed = cpu()
    spent.parse += parsed - start
    spent.lens += pushed - parsed
    // Every hundredth: hashing is only measured, to be compared with what the lens takes altogether.
    if (calls % 100 === 0) {
      new Fingerprint().add(line)
      spent.hash += (cpu() - pushed) * 100
      peak = Math.max(peak, process.memoryUsage().heapUsed)
    }
    read += line.length
  }
  const { threads } = lens.report()
  const whole = spent.parse + spent.lens
  const rate = (ms: number) => `${megabytes((read / ms) * 1_000)}/s`
  const rows = [
    ["JSON.parse", millis(spent.parse), rate(spent.parse), times(1)],
    [
      "hashing every byte, for comparison",
      millis(spent.hash),
      rate(spent.hash),
      times(spent.hash / spent.parse),
    ],
    ["the lens without parsing", millis(spent.lens), rate(spent.lens), times(spent.lens / spent.parse)],
    ["both", millis(whole), rate(whole), times(whole / spent.parse)],
  ]
  console.log(`${megabytes(read)}, ${calls} calls, ${threads.length} threads; the processor's time`)
  console.log(table(["", "time", "speed", "against JSON.parse"], rows).join("\n"))
  console.log(
    `parsing is ${((100 * spent.parse) / whole).toFixed(0)}% of it; largest heap seen: ${megabytes(peak)}`,
  )
  console.log(
    `${whole <= spent.parse * MOST ? "PASS" : "above"}: at most ${MOST} times as long as JSON.parse`,
  )
}

function cpu(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

const words = (seed: number, count: number) =>
  Array.from({ length: count }, (_, i) => `word${(seed * 7_919 + i * 104_729) % 9_973}`).join(" ")

const TOOLS = Array.from({ length: 20 }, (_, i) => ({
  name: `tool_${i}`,
  description: words(i, 120),
  input_schema: {
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: 6 }, (_, k) => [`p${k}`, { type: "string", description: words(k, 10) }]),
    ),
  },
}))

const HEAD = JSON.stringify({
  model: "claude-sonnet-4-5",
  max_tokens: 1_000,
  system: [{ type: "text", text: words(1, 2_000), cache_control: { type: "ephemeral" } }],
  tools: TOOLS,
}).slice(0, -1)

function* trace(size: number): Generator<string> {
  let made = 0
  for (let pair = 0; made < size; pair++) {
    const sessions = [session(pair * 2), session(pair * 2 + 1)]
    for (let step = 0; step < STEPS && made < size; step++)
      for (const one of sessions) {
        const { value } = one.next()
        if (typeof value !== "string") continue
        made += value.length
        yield value
      }
  }
}

function* session(id: number): Generator<string> {
  const mark = ',"cache_control":{"type":"ephemeral"}'
  let messages = ""
  let last = text("user", `Session ${id}: ${words(id, 60)}`)
  for (let step = 0; step < STEPS; step++) {
    yield `${HEAD},"messages":[${messages}${last[0]}${mark}${last[1]}]}`
    messages += `${last[0]}${last[1]},${calling(id, step)},`
    last = result(id, step)
  }
}

/** A message in two halves, between which a cache marker may stand. */
type Halves = readonly [string, string]

function halves(message: object): Halves {
  const json = JSON.stringify(message)
  return [json.slice(0, -3), "}]}"]
}

function text(role: string, said: string): Halves {
  return halves({ role, content: [{ type: "text", text: said }] })
}

function calling(id: number, step: number): string {
  const call = { type: "tool_use", id: `call_${id}_${step}`, name: "tool_1", input: { p1: words(step, 4) } }
  return JSON.stringify({ role: "assistant", content: [{ type: "text", text: words(id + step, 20) }, call] })
}

/** Every fifth result has a reminder behind it. Code and prose have line breaks and quotes, which cost a parser time. */
function result(id: number, step: number): Halves {
  const lines = words(id * 31 + step * 7, 400).replaceAll(/((?:\S+ ){9}\S+) /g, 'const a = "$1"\n')
  const said =
    step % 5 === 0 ? `${lines}\n<system-reminder>\nThe todo list is empty.\n</system-reminder>` : lines
  const content = [{ type: "text", text: said }]
  return halves({
    role: "user",
    content: [{ type: "tool_result", content, tool_use_id: `call_${id}_${step}` }],
  })
}
