import {
  createSession,
  type Entry,
  restoreSession,
  type Session,
  type SessionOptions,
  standardRules,
} from "@sotto/core"
import { median, micros, millis, table } from "./figures.js"

/** Steps of history to measure at. The cost of a step must not grow with them. */
const SIZES = [100, 1_000, 10_000] as const
/** Steps measured around each size, so that one pause of the garbage collector decides nothing. */
const WINDOW = 100
const MOST = 1.5
const OUTPUT = 2_048

/** Times of one step, in milliseconds. */
interface Step {
  readonly say: number
  readonly next: number
}

/** A session grown to a size, and the steps measured around it. */
interface Point {
  readonly size: number
  readonly session: Session
  readonly steps: Step[]
}

export async function run(): Promise<void> {
  warmUp()
  const points = SIZES.map((size) => pointAt(size))
  const bare = pointAt(SIZES[0], { rules: [] })
  // By turns, so that they share the compiler's and the collector's moods.
  for (let i = 0; i < WINDOW; i++)
    for (const { session, steps } of [...points, bare]) steps.push(step(session))

  const base = cost(points[0])
  const ratio = cost(points.at(-1)) / base
  const rows = points.map((point) => {
    const { entries, time } = restore(upToStep(point.session.log, point.size))
    return [
      point.size.toLocaleString("en"),
      micros(median(point.steps.map(({ say }) => say))),
      micros(boundary(point)),
      micros(cost(point)),
      `${(cost(point) / base).toFixed(2)} ×`,
      entries.toLocaleString("en"),
      millis(time),
    ]
  })
  const verdict = ratio <= MOST ? "PASS" : "above"
  const page = [
    `One turn; each step: a message mid-turn, a tool output of ${OUTPUT} bytes, all standard rules.`,
    `Medians over ${WINDOW} steps around each size, measured by turns.`,
    "",
    ...table(["steps", "say", "next", "say+next", "ratio", "log entries", "restore"], rows),
    "",
    `say+next at ${SIZES.at(-1)} steps against ${SIZES[0]}: ${ratio.toFixed(2)} × (at most ${MOST}: ${verdict})`,
    `a boundary with all ${standardRules().length} standard rules: ${micros(median(points.map(boundary)))}; with none: ${micros(boundary(bare))}`,
  ]
  console.log(page.join("\n"))
}

function pointAt(size: number, options: Partial<SessionOptions> = {}): Point {
  return { size, session: grow(create(options), size - WINDOW / 2), steps: [] }
}

function cost(point: Point | undefined): number {
  return median((point?.steps ?? []).map(({ say, next }) => say + next))
}

function boundary({ steps }: Point): number {
  return median(steps.map(({ next }) => next))
}

function create(options: Partial<SessionOptions> = {}): Session {
  const session = createSession({ ...OPTIONS, ...options })
  session.observe("date", "2026-11-15")
  session.observe("environment", { directory: "/work/app", platform: "linux", branch: "main" })
  session.observe("instructions:AGENTS.md", "Write small commits.\nRun the tests before you finish.")
  session.observe("skills", [{ name: "release", description: "How a version is published." }])
  session.observe("todos", [{ content: "Measure", status: "in_progress" }])
  session.say("Begin.")
  session.next()
  return session
}

const OPTIONS: SessionOptions = {
  agents: [{ name: "build", mode: "primary" }],
  model: { id: "claude-sonnet-4-5" },
  tools: [{ name: "read", description: "Reads a file.", inputSchema: { type: "object" } }],
  now: () => 0,
  newId: () => "bench",
}

function grow(session: Session, steps: number): Session {
  for (let i = 1; i < steps; i++) step(session)
  return session
}

/** One step of work: the model calls a tool, the user says something, the result comes in, and what is next. */
function step(session: Session): Step {
  const sent = session.next()
  if (sent.is !== "request") throw new Error(`The session is ${sent.is} where a request was expected.`)
  const call = `call-${session.log.length}`
  session.reply(sent.request.id, {
    parts: [{ type: "tool-call", id: call, name: "read", input: { path: `src/${call}.ts` } }],
  })
  const words = `A thought about ${call}.`
  const t0 = performance.now()
  session.say(words)
  const t1 = performance.now()
  session.result(call, output(call))
  const t2 = performance.now()
  session.next()
  const t3 = performance.now()
  return { say: t1 - t0, next: t3 - t2 }
}

/** What a tool might have printed: code, with tags and colons for the guard to look at, different every time. */
function output(name: string): string {
  const line = `export const ${name.replace("-", "_")}: Map<string, number> = read(<T>(x: T) => x) // User settings\n`
  return line.repeat(Math.ceil(OUTPUT / line.length)).slice(0, OUTPUT)
}

/** The log as it was when its n-th request had just gone out. */
function upToStep(log: readonly Entry[], n: number): readonly Entry[] {
  const last = log.filter(({ type }) => type === "step")[n - 1]
  return log.slice(0, (last?.seq ?? log.length) + 1)
}

function restore(log: readonly Entry[]): { readonly entries: number; readonly time: number } {
  const stored = JSON.stringify(log)
  const times = Array.from({ length: log.length > 10_000 ? 5 : 15 }, () => {
    const read: Entry[] = JSON.parse(stored)
    const start = performance.now()
    restoreSession(OPTIONS, read)
    return performance.now() - start
  })
  return { entries: log.length, time: median(times) }
}

function warmUp(): void {
  grow(create(), 2_000)
  grow(create({ rules: [] }), 500)
}
