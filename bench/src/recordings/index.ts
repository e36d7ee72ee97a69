import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import type { HttpDialectName } from "@sotto/core"
import { cacheModel } from "@sotto/core/cache"
import type { Api } from "../model/api.js"
import { type Account, scriptedServer } from "../model/server.js"
import { codex } from "../peers/codex.js"
import { gemini } from "../peers/gemini.js"
import { layGround } from "../peers/ground.js"
import { install, installedIn } from "../peers/install.js"
import { foreground, isolated } from "../peers/isolate.js"
import { opencode } from "../peers/opencode.js"
import type { Dialogue, Peer } from "../peers/peer.js"
import { pi } from "../peers/pi.js"
import { within } from "../peers/process.js"
import { startProxy } from "../proxy/started.js"
import { differing } from "./same.js"
import { modes, plain, results, rules, type Scenario } from "./scenarios.js"

const PATIENCE = 240_000

interface Recorded {
  readonly peer: Peer
  readonly scenarios: readonly Scenario[]
  /** Where it keeps its sessions, below its home. */
  readonly sessions: string
}

const ALL: readonly Recorded[] = [
  { peer: opencode, scenarios: [plain, modes, rules], sessions: ".local/share/opencode" },
  { peer: codex, scenarios: [plain, modes], sessions: ".codex/sessions" },
  { peer: gemini, scenarios: [plain, modes, results], sessions: ".gemini/tmp" },
  { peer: pi, scenarios: [plain], sessions: ".pi/agent/sessions" },
]

/** Records what the peers send, and keeps the files in which they keep their sessions. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      installed: { type: "string" },
      folder: { type: "string" },
      steps: { type: "string", default: "24" },
      hold: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      inside: { type: "boolean" },
    },
  })
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))
  const folder = resolve(values.folder ?? mkdtempSync(join(tmpdir(), "sotto-recordings-")))
  const root = resolve(values.installed ?? folder)
  const { only } = values
  const chosen = ALL.filter(({ peer }) => only.length === 0 || only.includes(peer.name))
  if (values.inside) return recordAll(chosen, root, folder, Number(values.steps), values.hold)
  for (const { peer } of chosen)
    if (!existsSync(join(installedIn(root, peer), "node_modules"))) {
      say(`Installing ${peer.name} ${peer.version}…`)
      await install(peer, root)
    }
  const inside = ["recordings", "--inside", "--installed", root, "--folder", folder, "--steps", values.steps]
  if (values.hold) inside.push("--hold")
  for (const name of only) inside.push("--only", name)
  const command = [process.argv[1] ?? "", ...inside]
  process.exitCode = await foreground(isolated(process.execPath, command) ?? [process.execPath, ...command])
}

async function recordAll(
  chosen: readonly Recorded[],
  root: string,
  folder: string,
  steps: number,
  hold: boolean,
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const { peer, scenarios, sessions } of chosen) {
    const ground = layGround(peer, root)
    for (const scenario of scenarios) {
      const file = join(folder, `${peer.name}-${scenario.name}${hold ? "-held" : ""}.jsonl`)
      try {
        say(`${peer.name}: ${scenario.name}`)
        say(`  ${await record(peer, ground, scenario, steps, file, hold)}`)
      } catch (error) {
        say(`${peer.name}: ${scenario.name} failed: ${(error as Error).message}`)
        process.exitCode = 1
      }
    }
    const kept = join(ground.home, sessions)
    if (existsSync(kept)) cpSync(kept, join(folder, "sessions", peer.name), { recursive: true })
  }
  console.log(`Recorded in ${folder}.`)
}

/** Has a peer go through a scenario behind the real `sotto proxy`. Returns what is to be told of it. */
async function record(
  peer: Peer,
  ground: ReturnType<typeof layGround>,
  scenario: Scenario,
  steps: number,
  file: string,
  hold: boolean,
): Promise<string> {
  rmSync(file, { force: true })
  const server = await scriptedServer((n) => scenario.answer(n, steps, peer, ground), providersAccount())
  const home = join(ground.home, "..", "sotto")
  const proxy = await startProxy(server.url, home, ["--record", file, ...(hold ? ["--hold"] : [])])
  const place = { ...ground, url: proxy.url }
  let dialogue: Dialogue | undefined
  try {
    peer.prepare(place)
    dialogue = await within(PATIENCE, peer.talk(place))
    await within(PATIENCE, scenario.act(dialogue, peer, ground))
  } finally {
    await dialogue?.close()
    await proxy.close()
    await server.close()
  }
  const received = server.exchanges.map(({ body }) => body.toString())
  const other = differing(received, file)
  if (other > 0) throw new Error(`${other} of ${received.length} bodies are not as they are recorded`)
  return `${received.length} requests of the conversation, each received byte for byte as it is recorded`
}

const DIALECTS: Readonly<Record<Api, HttpDialectName>> = {
  anthropic: "anthropic",
  responses: "openai",
  gemini: "gemini",
}

/** What the provider would say of its cache, by its published rules. */
function providersAccount(): Account {
  const models = new Map<Api, ReturnType<typeof cacheModel>>()
  return (api, body) => {
    const model = models.get(api) ?? cacheModel(DIALECTS[api])
    models.set(api, model)
    const { total, read, written } = model.request(JSON.parse(body.toString()))
    return { tokens: total, cached: { read, written } }
  }
}

function say(progress: string): void {
  process.stderr.write(`${progress}\n`)
}
