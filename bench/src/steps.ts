import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { median, millis, times } from "./figures.js"
import { type Script, scriptedServer } from "./model/server.js"
import { writeText } from "./peers/files.js"
import { type Ground, layGround, small } from "./peers/ground.js"
import { netTimes } from "./peers/measure.js"
import type { Launch } from "./peers/peer.js"
import { start, within } from "./peers/process.js"
import { sotto } from "./peers/sotto.js"

const BARE = fileURLToPath(new URL("./model/bare.js", import.meta.url))
const SHORT = 300
const ROUNDS = 5
/** At either end of a long turn, to compare. */
const EDGE = 250
const PATIENCE = 3_600_000

/** What a step of `sotto run` takes beside a loop that only sends the same bodies, and whether it grows over thousands. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { count: { type: "string", default: "5000" } } })
  const count = Number(values.count)
  const root = mkdtempSync(join(tmpdir(), "sotto-steps-"))
  try {
    const ground = layGround(sotto, root)
    for (let n = SHORT + 1; n <= count; n++)
      writeText(join(ground.cwd, small(n)), `This is note ${n}.\nIt has two lines.\n`)
    await besideBare(ground, root)
    await overMany(ground, count)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

async function besideBare(ground: Ground, root: string): Promise<void> {
  const file = join(root, "bodies.jsonl")
  const { bodies } = await play(ground, SHORT, launchSotto)
  writeFileSync(file, `${bodies.join("\n")}\n`)
  const own: number[] = []
  const bare: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(median((await play(ground, SHORT, (url) => launchBare(url, file))).times))
    own.push(median((await play(ground, SHORT, launchSotto)).times))
  }
  const ratio = times(median(own) / median(bare))
  console.log(`a step of ${SHORT}: ${millis(median(own))}, a bare loop ${millis(median(bare))}: ${ratio}`)

  function launchSotto(url: string): Launch {
    const place = { ...ground, url }
    sotto.prepare(place)
    return sotto.once(place, "Read the notes.")
  }
}

async function overMany(ground: Ground, count: number): Promise<void> {
  const { times: all } = await play(ground, count, (url) => {
    const place = { ...ground, url }
    sotto.prepare(place)
    return sotto.once(place, "Read the notes.")
  })
  const edge = Math.min(EDGE, Math.floor(all.length / 4))
  // The first steps are for the compiler.
  const first = median(all.slice(edge, 2 * edge))
  const last = median(all.slice(-edge))
  console.log(
    `over ${count} steps: ${millis(first)} at first, ${millis(last)} at last: ${times(last / first)}`,
  )
}

function launchBare(url: string, file: string): Launch {
  return { command: process.execPath, args: [BARE, `${url}/v1/messages`, file], env: {} }
}

/** Runs a program that sends so many requests and one more. Keeps bodies only of a few: thousands would fill the memory. */
async function play(
  ground: Ground,
  count: number,
  launch: (url: string) => Launch,
): Promise<{ readonly times: readonly number[]; readonly bodies: readonly string[] }> {
  const bodies: string[] = []
  const script: Script = (n, body) => {
    if (count <= SHORT) bodies.push(body.toString())
    return n <= count ? { call: sotto.read(small(n), ground.cwd) } : { text: "That is all." }
  }
  const server = await scriptedServer(script, undefined, { keepsBodies: false })
  try {
    const place = { ...ground, url: server.url }
    const launched = launch(server.url)
    const running = start(launched, place, () => {}, "ignore")
    const code = await within(PATIENCE, running.closed).finally(running.kill)
    const { exchanges } = server
    if (code !== 0 || exchanges.length !== count + 1)
      throw new Error(`it ended with code ${code} after ${exchanges.length} requests: ${running.complaint()}`)
    const toolTimes = launched.args.includes(BARE) ? [] : (sotto.toolTimes?.(place) ?? [])
    return { times: netTimes({ exchanges, toolTimes }), bodies }
  } finally {
    await server.close()
  }
}
