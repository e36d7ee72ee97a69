import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import type { HttpDialectName } from "@sotto/core"
import { REPOSITORY, replacedIn, stampOf } from "../pages/measured.js"
import { codex } from "../peers/codex.js"
import { writeJson } from "../peers/files.js"
import { gemini } from "../peers/gemini.js"
import { layGround } from "../peers/ground.js"
import { install, installedIn } from "../peers/install.js"
import { foreground, isolated } from "../peers/isolate.js"
import { opencode } from "../peers/opencode.js"
import { type Peer, releasedOf } from "../peers/peer.js"
import { pi } from "../peers/pi.js"
import { playDialogue } from "../peers/play.js"
import { MODEL, sotto } from "../peers/sotto.js"
import { costAtOnePrice, costAtOwnPrice, ONE_PRICE, type Sent } from "./price.js"
import { type CostReport, chartsOf, type Outcome, pageReport, textReport } from "./report.js"
import { layNotes, SCENARIOS, type Scenario } from "./scenarios.js"

interface Measured {
  readonly peer: Peer
  readonly dialect: HttpDialectName
  readonly model: string
}

const SOTTO: Measured = { peer: sotto, dialect: "anthropic", model: "claude-opus-5-5" }
const PEERS: readonly Measured[] = [
  { peer: pi, dialect: "anthropic", model: "claude-opus-5-5" },
  { peer: opencode, dialect: "anthropic", model: "claude-opus-5-5" },
  { peer: codex, dialect: "openai", model: "gpt-5.5" },
  { peer: gemini, dialect: "gemini", model: "gemini-2.5-pro" },
]

/** Nothing is timed here, and 300 steps take some agents minutes. */
const PATIENCE = 900_000

const CLOCK = fileURLToPath(new URL("./shifted-clock.cjs", import.meta.url))
const DOCS = new URL("../../../docs/", import.meta.url)
const BEGIN = "<!-- measured: npm run bench -- cost --write -->"

/** Installs the peers, has them and Sotto go through the same turns, and works out what their requests cost. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      folder: { type: "string" },
      only: { type: "string", multiple: true, default: [] },
      write: { type: "boolean", default: false },
      inside: { type: "boolean", default: false },
    },
  })
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))
  if (values.write) stampOf(REPOSITORY)
  const root = resolve(values.folder ?? mkdtempSync(join(tmpdir(), "sotto-cost-")))
  const chosen = PEERS.filter(({ peer }) => values.only.length === 0 || values.only.includes(peer.name))
  if (values.inside) return measure(root, chosen, values.write)
  if (values.folder === undefined) process.once("exit", () => rmSync(root, { recursive: true, force: true }))
  for (const { peer } of chosen)
    if (!existsSync(join(installedIn(root, peer), "node_modules"))) {
      say(`Installing ${peer.name} ${peer.version}…`)
      await install(peer, root).catch((error: Error) => say(error.message))
    }
  const only = values.only.flatMap((name) => ["--only", name])
  const inside = ["cost", "--inside", "--folder", root, ...only, ...(values.write ? ["--write"] : [])]
  const command = [process.argv[1] ?? "", ...inside]
  process.exitCode = await foreground(isolated(process.execPath, command) ?? [process.execPath, ...command])
}

async function measure(root: string, peers: readonly Measured[], write: boolean): Promise<void> {
  const outcomes = new Map<string, Map<string, Outcome>>(SCENARIOS.map(({ name }) => [name, new Map()]))
  for (const measured of [SOTTO, ...peers])
    for (const scenario of SCENARIOS) {
      say(`${measured.peer.name}: ${scenario.name}`)
      outcomes.get(scenario.name)?.set(measured.peer.name, await outcomeOf(measured, scenario, root))
    }
  const stamp = write ? stampOf(REPOSITORY) : undefined
  const report: CostReport = {
    about: [
      `${stamp?.words ?? "Measured now"}, with Node ${process.versions.node}. The price for all: ${ONE_PRICE.read} for a token that the cache has, ${ONE_PRICE.write} for one that it has not (${ONE_PRICE.writeHour} where it is asked to keep it for an hour). × is how many times Sotto's it is.`,
    ],
    agents: [SOTTO, ...peers].map(({ peer, model }) => ({
      name: peer.name,
      version: peer.version,
      released: releasedOf(peer),
      line: peer.line,
      model,
    })),
    outcomes,
  }
  console.log(textReport(report))
  if (stamp) writePage(report, stamp.mark)
}

async function outcomeOf(measured: Measured, scenario: Scenario, root: string): Promise<Outcome> {
  const { peer, dialect, model } = measured
  try {
    if (peer !== sotto) {
      const sent = await requestsOf(peer, scenario, root)
      return { one: costAtOnePrice(sent), own: costAtOwnPrice(sent, dialect, model) }
    }
    // Sotto decides by the price that it knows: the one that it is measured by.
    const atOne = await requestsOf(
      pricedSotto({ input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 }),
      scenario,
      root,
    )
    const atOwn = await requestsOf(pricedSotto(undefined), scenario, root)
    return { one: costAtOnePrice(atOne), own: costAtOwnPrice(atOwn, dialect, model) }
  } catch (error) {
    return { failed: (error as Error).message }
  }
}

function pricedSotto(price: Readonly<Record<string, number>> | undefined): Peer {
  const settings = { contextWindow: 1_000_000, ...(price && { price }) }
  return {
    ...sotto,
    prepare: ({ home }) => writeJson(join(home, "sotto/sotto.json"), { models: { [MODEL]: settings } }),
  }
}

async function requestsOf(peer: Peer, scenario: Scenario, root: string): Promise<readonly Sent[]> {
  const ground = layGround(peer, root)
  layNotes(ground)
  const shift = join(ground.home, "minutes")
  writeFileSync(shift, "0")
  let minute = 0
  const minutes: number[] = []
  const pause = (more: number) => {
    minute += more
    writeFileSync(shift, String(minute))
  }
  const env = peer.name === sotto.name ? { NODE_OPTIONS: `--require ${CLOCK}`, SHIFTED_CLOCK: shift } : {}
  const exchanges = await playDialogue(
    peer,
    { ...ground, env },
    (n) => {
      minutes.push(minute)
      return scenario.answer(n, peer, ground)
    },
    (dialogue) => scenario.act(dialogue, peer, ground, pause),
    PATIENCE,
  )
  if (exchanges.length !== scenario.requests)
    throw new Error(`it sent ${exchanges.length} requests instead of ${scenario.requests}`)
  return exchanges.map(({ body }, i) => ({
    body: JSON.parse(body.toString()) as unknown,
    minute: minutes[i] ?? 0,
  }))
}

function writePage(report: CostReport, mark: string): void {
  const path = fileURLToPath(new URL("cost.md", DOCS))
  writeFileSync(
    path,
    replacedIn(readFileSync(path, "utf8"), "docs/cost.md", BEGIN, `${mark}\n\n${pageReport(report)}`),
  )
  for (const { file, svg } of chartsOf(report)) writeFileSync(fileURLToPath(new URL(file, DOCS)), svg)
  console.log("\nWritten to docs/cost.md.")
}

function say(progress: string): void {
  process.stderr.write(`${progress}\n`)
}
