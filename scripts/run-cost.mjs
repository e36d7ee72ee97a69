import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "./process.mjs"

/**
 * What `sotto run` may cost, in counts that do not depend on the machine. A change that needs more says why in its commit,
 * and raises the limit here.
 */
const LIMITS = [
  { what: "bytes of JavaScript loaded before the first request", key: "bytes", limit: 950_000 },
  { what: "JavaScript files loaded before the first request", key: "scripts", limit: 14 },
  { what: "files opened before the first request, SQLite's own aside", key: "files", limit: 24 },
  { what: "transactions a step", key: "perStep", limit: 1.1 },
]
const STEPS = 20

const { scriptedServer } = await import(join(root, "bench/dist/model/server.js"))
const folder = mkdtempSync(join(tmpdir(), "sotto-run-cost-"))
try {
  const work = join(folder, "work")
  mkdirSync(work)
  for (let n = 1; n <= STEPS; n++) writeFileSync(join(work, `${n}.txt`), `This is note ${n}.\n`)
  // The first run of a home keeps compiled code for the second.
  await runOnce(work)
  const counts = await runOnce(work)
  if (!counts.isBundled) throw new Error("sotto run does not run from its bundle: npm run build")
  for (const { what, key, limit } of LIMITS) {
    const isTooMuch = !(counts[key] <= limit)
    console.log(`${what}: ${counts[key]} (limit ${limit})${isTooMuch ? " TOO MUCH" : ""}`)
    if (isTooMuch) process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Runs a prompt of 20 steps that each read a file, and returns what was counted. */
async function runOnce(cwd) {
  const server = await scriptedServer((n) =>
    n <= STEPS ? { call: { name: "read", input: { path: `${n}.txt` } } } : { text: "Done." },
  )
  const counts = join(folder, "counts.json")
  try {
    const counter = join(root, "scripts/run-cost-counts.cjs")
    const command = [join(root, "packages/cli/bin/sotto.js"), "run", "--model", "anthropic/claude-opus-5-5"]
    const child = spawn(process.execPath, ["--require", counter, ...command, "--quiet", "Read the notes."], {
      cwd,
      stdio: ["ignore", "ignore", "inherit"],
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        SOTTO_HOME: join(folder, "home"),
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: "none",
        RUN_COSTS: counts,
        RUN_COST_BUNDLE: join(root, "packages/cli/dist/bundle/main.cjs"),
      },
    })
    const [code] = await once(child, "close")
    if (code !== 0 || server.exchanges.length !== STEPS + 1)
      throw new Error(`sotto run ended with code ${code} after ${server.exchanges.length} requests.`)
    return JSON.parse(readFileSync(counts, "utf8"))
  } finally {
    await server.close()
  }
}
