import { existsSync, mkdirSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { layGround } from "../peers/ground.js"
import { install, installedIn } from "../peers/install.js"
import { foreground, isolated } from "../peers/isolate.js"
import { edited, forged, killed, late, planned, steered, switched } from "./scenarios.js"
import { TRIED } from "./tried.js"

const SCENARIOS = { edited, forged, steered, switched, killed, planned, late }

/** Tries what docs/comparison.md says of the other agents, and prints what was seen. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      folder: { type: "string" },
      only: { type: "string", multiple: true, default: [] },
      scenario: { type: "string", multiple: true, default: [] },
      inside: { type: "boolean", default: false },
    },
  })
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))
  const root = resolve(values.folder ?? mkdtempSync(join(tmpdir(), "sotto-features-")))
  const { only, scenario: wanted } = values
  const chosen = TRIED.filter(({ peer }) => only.length === 0 || only.includes(peer.name))
  if (!values.inside) {
    for (const { peer } of chosen)
      if (!existsSync(join(installedIn(root, peer), "node_modules"))) await install(peer, root)
    const names = [
      ...only.flatMap((name) => ["--only", name]),
      ...wanted.flatMap((name) => ["--scenario", name]),
    ]
    const command = [process.argv[1] ?? "", "features", "--inside", "--folder", root, ...names]
    process.exitCode = await foreground(isolated(process.execPath, command) ?? [process.execPath, ...command])
    return
  }
  for (const tried of chosen) {
    // Codex keeps its sandbox out of folders for temporary files, and the root may be in one.
    const ground = { ...layGround(tried.peer, root), env: { TMPDIR: join(root, "tmp") } }
    mkdirSync(ground.env.TMPDIR, { recursive: true })
    for (const [name, scenario] of Object.entries(SCENARIOS)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue
      const seen = await scenario(tried, ground).catch(
        (error: Error) => `could not be tried: ${error.message}`,
      )
      console.log(`${tried.peer.name} ${tried.peer.version}, ${name}: ${seen}`)
    }
  }
}
