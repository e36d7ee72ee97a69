import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { median } from "../figures.js"
import { scriptedServer } from "../model/server.js"
import { memoryOf, SOTTO, seen, spawn } from "./pty.js"

const STEPS = 400
const STARTS = 3

export interface LongSession {
  /** Bytes after the last step. */
  readonly memory: number
  /** Milliseconds from the start of the process until something can be typed. */
  readonly resumed: number
  readonly empty: number
}

/** A session of 400 steps: what it takes in memory, and how long it takes to come back to it. */
export async function longSession(options: {
  readonly cwd: string
  readonly env: object
}): Promise<LongSession> {
  writeFileSync(join(options.cwd, "notes.txt"), "one\ntwo\n")
  const server = await scriptedServer((n) =>
    n <= STEPS - 1
      ? { call: { name: "read", input: { path: "notes.txt" } } }
      : { text: "All steps are taken." },
  )
  const own = { ...options, cols: 100, rows: 40, env: { ...options.env, ANTHROPIC_BASE_URL: server.url } }
  const open = (...args: readonly string[]) =>
    spawn(process.execPath, [SOTTO, "--model", "anthropic/claude-opus-5-5", ...args], own)
  try {
    const sotto = open()
    await seen(sotto, "say what to do", "")
    await seen(sotto, `── ${STEPS} steps`, "Begin.\r")
    const memory = memoryOf(sotto.pid)
    await ended(sotto)
    const empty: number[] = []
    const resumed: number[] = []
    for (let i = 0; i < STARTS; i++) {
      resumed.push(await timeToStart(() => open("--continue")))
      empty.push(await timeToStart(() => open()))
    }
    return { memory, resumed: median(resumed), empty: median(empty) }
  } finally {
    await server.close()
  }
}

async function timeToStart(open: () => ReturnType<typeof spawn>): Promise<number> {
  const began = performance.now()
  const pty = open()
  await seen(pty, "say what to do", "")
  const took = performance.now() - began
  await ended(pty)
  return took
}

function ended(pty: ReturnType<typeof spawn>): Promise<void> {
  return new Promise((resolve) => {
    pty.onExit(() => resolve())
    pty.write("\u0004")
  })
}
