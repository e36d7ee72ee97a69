import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { manySessions } from "../many.js"
import { REPOSITORY, stampOf } from "../pages/measured.js"
import { about } from "./about.js"
import { codex } from "./codex.js"
import { writeJson } from "./files.js"
import { gemini } from "./gemini.js"
import { install, installedIn } from "./install.js"
import { foreground, isolated } from "./isolate.js"
import { type Amount, type Failure, measure, QUICK, USUAL } from "./measure.js"
import { opencode } from "./opencode.js"
import { writePages } from "./page.js"
import type { Peer } from "./peer.js"
import { pi } from "./pi.js"
import { type Report, textReport } from "./report.js"
import { sotto } from "./sotto.js"

const PEERS: readonly Peer[] = [opencode, pi, codex, gemini]

/** What the outer process, which has a network, hands to the inner one, which has none. */
interface Plan {
  readonly versions: Readonly<Record<string, string>>
  readonly missing: Readonly<Record<string, string>>
  readonly amount: Amount
  readonly write: boolean
  readonly isolated: boolean
}

/** Installs the peers and measures them and Sotto. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      with: { type: "string", multiple: true, default: [] },
      folder: { type: "string" },
      inside: { type: "string" },
    },
  })
  // Else the processes that are under way would go on.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))
  if (values.inside !== undefined) return measureInside(values.inside)

  // Refuses before a quarter of an hour of measuring, not after it.
  if (values.write) stampOf(REPOSITORY)
  const root =
    values.folder !== undefined ? resolve(values.folder) : mkdtempSync(join(tmpdir(), "sotto-peers-"))
  if (values.folder === undefined) process.once("exit", () => rmSync(root, { recursive: true, force: true }))
  const versions = Object.fromEntries(values.with.map(splitVersion))
  const missing = await installAll(
    PEERS.map((peer) => inVersion(peer, versions)),
    root,
  )
  const inside = [process.argv[1] ?? "", "peers", "--inside", root]
  const alone = isolated(process.execPath, inside)
  const amount = values.quick ? QUICK : USUAL
  const plan: Plan = { versions, missing, amount, write: values.write, isolated: alone !== undefined }
  writeJson(join(root, "plan.json"), plan)
  process.exitCode = await foreground(alone ?? [process.execPath, ...inside])
}

async function installAll(peers: readonly Peer[], root: string): Promise<Readonly<Record<string, string>>> {
  const missing: Record<string, string> = {}
  for (const peer of peers) {
    if (existsSync(join(installedIn(root, peer), "node_modules"))) continue
    say(`Installing ${peer.name} ${peer.version}…`)
    try {
      await install(peer, root)
    } catch (error) {
      missing[peer.name] = (error as Error).message
    }
  }
  return missing
}

async function measureInside(root: string): Promise<void> {
  const plan = JSON.parse(readFileSync(join(root, "plan.json"), "utf8")) as Plan
  const all = PEERS.map((peer) => inVersion(peer, plan.versions))
  const there = all.filter(({ name }) => plan.missing[name] === undefined)
  const { figures, failures } = await measure([sotto, ...there], root, plan.amount, say)
  const [own, ...peers] = figures
  if (own?.peer !== sotto) throw new Error(`Sotto could not be run: ${failures[0]?.why}`)
  say("sotto: 100 sessions in one process")
  const cpu = await manySessions()
  const notInstalled = all.flatMap((peer): Failure[] => {
    const why = plan.missing[peer.name]
    return why === undefined ? [] : [{ peer, what: "all of it", why }]
  })
  const network = plan.isolated ? "loopback" : "all"
  const stamp = plan.write ? stampOf(REPOSITORY) : undefined
  const report: Report = {
    sotto: own,
    peers,
    failures: [...notInstalled, ...failures],
    cpu,
    about: about(stamp?.words ?? "Measured now", plan.amount, network),
  }
  console.log(textReport(report))
  if (stamp) writePages(report, stamp.mark)
}

function inVersion(peer: Peer, versions: Readonly<Record<string, string>>): Peer {
  const wanted = versions[peer.name]
  if (wanted === undefined || wanted === peer.version) return peer
  const { released: _, ...rest } = peer
  return { ...rest, version: wanted }
}

/** `pi@0.74.0` */
function splitVersion(given: string): readonly [string, string] {
  const [name = "", version = ""] = given.split("@")
  if (version === "" || !PEERS.some((peer) => peer.name === name))
    throw new Error(
      `--with ${given}: use NAME@VERSION, where NAME is ${PEERS.map((peer) => peer.name).join(", ")}.`,
    )
  return [name, version]
}

function say(progress: string): void {
  process.stderr.write(`${progress}\n`)
}
