import { createSession, type Request, type Session } from "@sotto/core"
import * as anthropic from "@sotto/core/anthropic"
import * as gemini from "@sotto/core/gemini"
import * as openai from "@sotto/core/openai"
import * as chat from "@sotto/core/openai-chat"
import { median, micros, table } from "./figures.js"

const SIZES = [100, 1_000, 10_000]
const STEPS_A_POINT = 60
const OUTPUT = "x".repeat(2_048)

interface Dialect {
  readonly model: string
  encode(request: Request): object
  encodeBytes(request: Request): readonly Uint8Array[]
}

const dialects: Readonly<Record<string, Dialect>> = {
  anthropic: { model: "claude-opus-5-5", ...anthropic },
  openai: { model: "gpt-5.6", ...openai },
  "openai-chat": { model: "qwen3-coder", ...chat },
  gemini: { model: "gemini-3-pro", ...gemini },
}

/** What encoding a step costs at each size of history, in pieces of bytes and all anew. */
export async function run(): Promise<void> {
  console.log("A turn with one call a step and 2,048 bytes of output; medians around each size.\n")
  const rows = Object.entries(dialects).flatMap(([name, dialect]) => measure(name, dialect))
  for (const line of table(
    ["dialect", "steps", "body", "bytes", "stringify", "ratio", "vs. 100 steps", "encode", "its ratio"],
    rows,
  ))
    console.log(line)
  console.log(
    "\nbytes: encodeBytes of a step, with what earlier ones left; stringify: JSON.stringify of the body; encode: the same body as a new object.",
  )
  console.log(
    "Goals: at 1,000 steps at most a hundredth; at 10,000 at most 1.5 times what 100 cost; encode at most 1.2 × stringify.",
  )
}

function measure(name: string, dialect: Dialect): readonly (readonly string[])[] {
  const session = createSession({
    agents: [{ name: "build" }],
    model: { id: dialect.model },
    tools: [{ name: "read", description: "Reads a file.", inputSchema: { type: "object" } }],
    now: () => 0,
    newId: () => "bench",
  })
  session.say("Go.")
  let first = Number.NaN
  return SIZES.map((size) => {
    const times: number[] = []
    let last: Request | undefined
    for (let step = stepOf(session); step < size + STEPS_A_POINT; step++) {
      const request = takeStep(session, step)
      const start = performance.now()
      dialect.encodeBytes(request)
      if (step >= size) times.push(performance.now() - start)
      last = request
    }
    const cost = median(times)
    if (Number.isNaN(first)) first = cost
    const body = last ? dialect.encode(last) : {}
    const whole = median(Array.from({ length: 5 }, () => timed(() => JSON.stringify(body))))
    const anew = median(Array.from({ length: 9 }, () => timed(() => last && dialect.encode(last))))
    const megabytes = `${(JSON.stringify(body).length / 1e6).toFixed(2)} MB`
    return [
      name,
      String(size),
      megabytes,
      micros(cost),
      micros(whole),
      ratio(cost / whole),
      ratio(cost / first),
      micros(anew),
      ratio(anew / whole),
    ]
  })
}

function stepOf(session: Session): number {
  return session.log.reduce((count, entry) => count + (entry.type === "step" ? 1 : 0), 0)
}

/** One request, its reply, and the result of the call in it. */
function takeStep(session: Session, step: number): Request {
  const next = session.next()
  if (next.is !== "request") throw new Error(`expected a request, got ${next.is}`)
  const id = `call_${step}`
  session.reply(next.request.id, { parts: [{ type: "tool-call", id, name: "read", input: { path: id } }] })
  session.result(id, OUTPUT)
  return next.request
}

function timed(work: () => unknown): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

function ratio(value: number): string {
  return value < 0.1 ? `1/${Math.round(1 / value)}` : `${value.toFixed(2)} ×`
}
