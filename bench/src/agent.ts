import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { manySessions } from "./many.js"
import { about } from "./peers/about.js"
import { measure, QUICK, USUAL } from "./peers/measure.js"
import { textReport } from "./peers/report.js"
import { sotto } from "./peers/sotto.js"
import { sandboxCost } from "./sandboxed.js"

/** `sotto run` by itself: the figures of the table, and the goals that need no peer. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { quick: { type: "boolean", default: false } } })
  const amount = values.quick ? QUICK : USUAL
  const root = mkdtempSync(join(tmpdir(), "sotto-agent-"))
  try {
    const say = (progress: string) => process.stderr.write(`${progress}\n`)
    const { figures, failures } = await measure([sotto], root, amount, say)
    const [own] = figures
    if (own === undefined) throw new Error(`Sotto could not be run: ${failures[0]?.why}`)
    say("sotto: 100 sessions in one process")
    const cpu = await manySessions()
    say("sotto: a command in the sandbox")
    const sandboxed = await sandboxCost(values.quick ? 10 : 50)
    console.log(
      textReport({
        sotto: own,
        peers: [],
        failures,
        cpu,
        about: about("Measured now", amount, "not-needed"),
      }),
    )
    console.log(`\n${sandboxed}`)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
