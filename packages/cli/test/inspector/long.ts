import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { createSession, type Entry } from "@sotto/core"
import { openStore } from "@sotto/harness"
import type { Bench } from "../support/sotto.js"

const STEPS_IN_TURN = 50

/** Puts a session of so many steps into the store of a bench: its id. Its log is what a run would have left. */
export function storeLongSession(bench: Bench, steps: number): string {
  const log: Entry[] = []
  let now = 1_790_000_000_000
  let ids = 0
  const session = createSession({
    agents: [{ name: "build", mode: "primary", steps: STEPS_IN_TURN + 1 }],
    model: { id: "anthropic/claude-opus-5-5" },
    tools: [{ name: "read", description: "Reads a file.", inputSchema: { type: "object" } }],
    now: () => (now += 700),
    newId: () => `long-${steps}-${++ids}`,
    onAppend: (entries) => void log.push(...entries),
  })
  for (let n = 1; n <= steps; n++) {
    if ((n - 1) % STEPS_IN_TURN === 0)
      session.say(`Part ${Math.ceil(n / STEPS_IN_TURN)}: read the next files.`)
    const next = session.next()
    if (next.is !== "request") throw new Error(`There is no request ${n}.`)
    const isLast = n % STEPS_IN_TURN === 0 || n === steps
    const call = { type: "tool-call", id: `call-${n}`, name: "read", input: { path: `src/${n}.ts` } } as const
    session.reply(next.request.id, {
      parts: [
        { type: "text", text: isLast ? "That is all." : `I read file ${n}.` },
        ...(isLast ? [] : [call]),
      ],
      stop: isLast ? "end" : "tool-calls",
      usage: { input: 20, output: 30, cacheRead: n * 60, cacheWrite: 60 },
    })
    if (!isLast) session.result(call.id, `export const file${n} = ${n}\n`.repeat(3))
  }
  mkdirSync(bench.home, { recursive: true })
  const store = openStore(join(bench.home, "sessions.db"))
  store.create({ cwd: bench.cwd, title: `${steps} steps` }, log)
  store.release(session.id)
  store.close()
  return session.id
}
