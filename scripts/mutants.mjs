// `npm run test:mutants [name…]`: seeds one fault after the other in the core and runs the tests that have to notice.
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build } from "esbuild"
import { bin, capture, root, seconds } from "./process.mjs"

/** Runs the mutants with these names, or all. Returns whether a test caught each of them. */
export async function runMutants(names) {
  const all = await readMutants()
  const unknown = names.filter((name) => !all.some((mutant) => mutant.name === name))
  if (unknown.length > 0) {
    console.error(
      `There is no mutant called ${unknown.join(", ")}. Known: ${all.map(({ name }) => name).join(", ")}`,
    )
    return false
  }
  const chosen = names.length === 0 ? all : all.filter(({ name }) => names.includes(name))
  const width = Math.max(...chosen.map(({ name }) => name.length))
  const survivors = []
  for (const mutant of chosen) {
    const start = performance.now()
    const caught = await caughtBy(mutant)
    if (!caught.ok) survivors.push(mutant.name)
    const verdict = caught.ok ? "caught by" : "SURVIVED"
    console.log(
      `${mutant.name.padEnd(width)}  promise ${mutant.promise}  ${verdict}  ${caught.test}  (${seconds(start)})`,
    )
  }
  console.log(`\n${chosen.length - survivors.length} of ${chosen.length} mutants were caught.`)
  if (survivors.length > 0)
    console.error(`Not caught: ${survivors.join(", ")}. Strengthen the tests that the table names for them.`)
  return survivors.length === 0
}

async function readMutants() {
  const { outputFiles } = await build({
    entryPoints: [join(root, "packages/core/test/mutants/mutants.ts")],
    format: "esm",
    write: false,
  })
  const { MUTANTS } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`)
  return MUTANTS
}

/** The first test that fails with the fault. A fault that does not load is no fault that a test has caught. */
async function caughtBy({ name, file, find }) {
  if (readFileSync(join(root, "packages/core/src", file), "utf8").split(find).length !== 2)
    return { ok: false, test: `it no longer applies: its text does not stand once in ${file}` }
  const folder = mkdtempSync(join(tmpdir(), "sotto-mutant-"))
  const report = join(folder, "report.json")
  process.env.SOTTO_MUTANT = name
  try {
    const args = ["run", "--config", "vitest.mutants.config.ts", "--reporter=json", `--outputFile=${report}`]
    const { ok, output } = await capture(bin("vitest"), args)
    if (ok) return { ok: false, test: "every test passed" }
    const failed = failedIn(report)
    return failed === undefined ? { ok: false, test: `no test ran:\n${output}` } : { ok: true, test: failed }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function failedIn(report) {
  const { testResults } = JSON.parse(readFileSync(report, "utf8"))
  for (const { name, assertionResults } of testResults) {
    const failed = assertionResults.find(({ status }) => status === "failed")
    if (failed) return `${name.slice(name.lastIndexOf("/") + 1)}: ${failed.title}`
  }
  return undefined
}
