import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { ensureBuilt, readJson } from "./fresh.mjs"
import { bin, capture, root, seconds } from "./process.mjs"

const folders = ["packages", "bench", "examples", "site"]

const published = readdirSync(join(root, "packages"))
  .map((name) => join("packages", name))
  .filter((folder) => existsSync(join(root, folder, "package.json")))
  .filter((folder) => !readJson(join(folder, "package.json")).private)

/** Runs every check to its end and says whether all passed. */
export async function check() {
  // Each program that runs is passed the signals that this one gets.
  process.setMaxListeners(50)
  // First and alone: it writes the dist folders that publint looks into.
  const types = await report("types", bin("tsc"), ["-b"])
  // What a run costs is counted on the bundle.
  await ensureBuilt()
  const cost = await report("what a run costs", process.execPath, ["scripts/run-cost.mjs"])
  const others = await Promise.all([
    report("style", bin("biome"), ["check", "--error-on-warnings"]),
    report("boundaries", bin("depcruise"), ["--config", ".dependency-cruiser.mjs", ...folders]),
    report("unused code", bin("knip"), []),
    report("bundle size", process.execPath, ["scripts/bundle-size.mjs"]),
    report("weight", process.execPath, ["scripts/weight.mjs"]),
    ...published.map((folder) => report(`publishing ${folder}`, bin("publint"), [folder, "--strict"])),
  ])
  return types && cost && others.every(Boolean)
}

async function report(name, command, args) {
  const start = performance.now()
  const { ok, output } = await capture(command, args)
  console.log(`${ok ? "ok    " : "FAILED"}  ${name} (${seconds(start)})${ok ? "" : `\n\n${output.trim()}\n`}`)
  return ok
}
