import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { OpenQuestions, openConversation, openProjectRuntime, type ProjectRuntime } from "@sotto/harness"
import { median } from "./figures.js"
import { writeText } from "./peers/files.js"

const SESSIONS = 100
const STEPS = 20
const ROUNDS = 5

/** Milliseconds of CPU time a step: of Sotto, and of nothing but making the same bodies into JSON, sending them, and reading the replies. */
export interface CpuTimes {
  readonly sotto: readonly number[]
  readonly bare: readonly number[]
}

/** One process with a hundred conversations at once, against a server in another. */
export async function manySessions(): Promise<CpuTimes> {
  const root = mkdtempSync(join(tmpdir(), "sotto-many-"))
  const cwd = join(root, "work")
  for (let n = 1; n <= STEPS; n++)
    writeText(join(cwd, `notes/${n}.txt`), `This is note ${n}.\nIt has two lines.\n`)
  const server = fork(fileURLToPath(new URL("./model/serving.js", import.meta.url)), [String(STEPS)])
  try {
    const [{ url }] = (await once(server, "message")) as [{ readonly url: string }]
    const env = { SOTTO_HOME: join(root, "home"), ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "none" }
    const workplace = await openProjectRuntime({ cwd, trust: true, env: { PATH: process.env.PATH, ...env } })
    try {
      await converse(workplace)
      server.send("bodies")
      const [{ bodies }] = (await once(server, "message")) as [{ readonly bodies: readonly string[] }]
      const parsed = bodies.map((body) => JSON.parse(body) as unknown)
      const sotto: number[] = []
      const bare: number[] = []
      // The first round is for the compiler.
      for (let round = 0; round <= ROUNDS; round++) {
        const ofBare = await cpuOf(() => atOnce(() => send(`${url}/v1/messages`, parsed)))
        const ofSotto = await cpuOf(() => atOnce(() => converse(workplace)))
        if (round === 0) continue
        bare.push(ofBare)
        sotto.push(ofSotto)
      }
      return { sotto, bare }
    } finally {
      await workplace.close()
    }
  } finally {
    server.disconnect()
    rmSync(root, { recursive: true, force: true })
  }
}

export function ratioOf({ sotto, bare }: CpuTimes): number {
  return median(sotto) / median(bare)
}

async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / (SESSIONS * (STEPS + 1))
}

async function atOnce(work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: SESSIONS }, work))
}

let conversations = 0

/** A session from its prompt to the end of its turn, with all that `sotto run` has. */
async function converse(workplace: ProjectRuntime): Promise<void> {
  const said: string[] = []
  let ended = "never"
  const questions = new OpenQuestions(
    () => {},
    () => false,
  )
  const { conversation, settled, close } = await openConversation({
    workplace,
    questions,
    emit: (event) => {
      if (event.type === "error") said.push(event.message)
      if (event.type === "turn-end") ended = event.reason
    },
    yes: () => false,
    model: "anthropic/claude-opus-5-5",
  })
  conversation.say(`Read the notes. This is conversation ${++conversations}.`)
  await settled(new AbortController().signal)
  await close()
  // Not by what was said: so many at once make some wait for longer than they like, and go on.
  if (ended !== "done") throw new Error(`A conversation ended: ${ended}. ${said.join(" ")}`)
}

async function send(url: string, bodies: readonly unknown[]): Promise<void> {
  for (const body of bodies) {
    const headers = { "content-type": "application/json" }
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
    await response.text()
  }
}
