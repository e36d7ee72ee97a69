import { execFileSync, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { median, millis } from "./figures.js"
import { type Script, scriptedServer } from "./model/server.js"
import { within } from "./peers/process.js"

const COMMAND = fileURLToPath(new URL("../../packages/cli/bin/sotto.js", import.meta.url))
const PATIENCE = 600_000
const STEPS = 30
/** The first steps are for the compiler, and for the first look at the tree. */
const WARM = 5

/**
 * What it costs to remember what each step does to files, so that it can be undone: a step with a command that changes a
 * file of a tree of 20,000, with snapshots and without. The model answers at once, which is the hardest case: what is left
 * of a look when a model takes its time costs nothing.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { files: { type: "string", default: "20000" }, rounds: { type: "string", default: "5" } },
  })
  for (const git of [true, false]) {
    const root = mkdtempSync(join(tmpdir(), "sotto-snapshot-"))
    try {
      await measure(root, Number(values.files), Number(values.rounds), git)
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  }
}

async function measure(root: string, files: number, rounds: number, git: boolean): Promise<void> {
  const cwd = join(root, "work")
  layTree(cwd, files, git)
  const taken: { on: number[]; off: number[]; first: number[] } = { on: [], off: [], first: [] }
  for (let round = 0; round < rounds; round++) {
    const off = await play(root, cwd, false)
    const on = await play(root, cwd, true)
    taken.off.push(median(off.slice(WARM)))
    taken.on.push(median(on.slice(WARM)))
    taken.first.push((on[0] ?? 0) - (off[0] ?? 0))
  }
  const [on, off] = [median(taken.on), median(taken.off)]
  const share = Math.max(0, (on - off) / on)
  console.log(
    `${files} files, ${git ? "in git" : "outside git"}: a step with a command ${millis(off)}, with its snapshot ${millis(on)}: ` +
      `${(share * 100).toFixed(1)}% of the step; the first snapshot ${millis(median(taken.first))}`,
  )
}

function layTree(cwd: string, files: number, git: boolean): void {
  for (let n = 0; n < files; n++) {
    const folder = join(cwd, `part-${n % 40}`, `module-${n % 1000}`)
    if (n < 1000) mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, `file-${n}.ts`),
      `// This is file ${n}.\n${"export const x = 1\n".repeat(150)}`,
    )
  }
  if (!git) return
  const run = (...args: readonly string[]) => execFileSync("git", args, { cwd, stdio: "pipe" })
  run("init", "-q")
  run("add", "-A")
  run("-c", "user.name=Bench", "-c", "user.email=bench@localhost", "commit", "-q", "-m", "begin")
}

/** Runs a prompt whose steps each change a file by a command. Returns what the steps took beside the model. */
async function play(root: string, cwd: string, snapshots: boolean): Promise<readonly number[]> {
  const home = join(root, `home-${snapshots}`)
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home)
  writeFileSync(join(home, "sotto.json"), JSON.stringify({ snapshots }))
  const script: Script = (n) =>
    n <= STEPS
      ? {
          call: {
            name: "bash",
            input: { command: `echo "// step ${n}" >> part-${n % 40}/module-${n}/file-${n}.ts` },
          },
        }
      : { text: "Done." }
  const server = await scriptedServer(script, undefined, { keepsBodies: false })
  try {
    const child = spawn(
      process.execPath,
      [COMMAND, "run", "--yes", "--quiet", "--model", "anthropic/claude-opus-5-5", "Work."],
      {
        cwd,
        stdio: ["ignore", "ignore", "inherit"],
        env: {
          PATH: process.env.PATH,
          HOME: home,
          SOTTO_HOME: home,
          ANTHROPIC_BASE_URL: server.url,
          ANTHROPIC_API_KEY: "none",
        },
      },
    )
    const closed = new Promise<number | null>((resolve) => child.once("close", resolve))
    const code = await within(PATIENCE, closed).finally(() => child.kill("SIGKILL"))
    const { exchanges } = server
    if (code !== 0 || exchanges.length !== STEPS + 1)
      throw new Error(`it ended with code ${code} after ${exchanges.length} requests`)
    return exchanges.slice(1).map(({ arrived }, i) => arrived - (exchanges[i]?.answered ?? arrived))
  } finally {
    await server.close()
  }
}
