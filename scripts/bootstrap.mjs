// The one way into the repository: `node scripts/bootstrap.mjs <job> [...args]`, on Node built-ins only,
// so that it works in a fresh clone. Each job installs and builds what it needs, then runs.
import { build, ensureBuilt, ensureInstalled, ensureSiteGenerator } from "./fresh.mjs"
import { become, bin, quietly } from "./process.mjs"

const node = process.execPath

const jobs = {
  async start(args) {
    await ensureBuilt()
    const talks = (process.stdin.isTTY && process.stdout.isTTY) || args.length > 0
    await become(node, ["packages/cli/bin/sotto.js", ...(talks ? args : ["tour"])])
  },
  async test(args) {
    await ensureBuilt()
    await become(bin("vitest"), ["run", ...args])
  },
  async "test:system"(args) {
    const { ensureSystemPackages } = await import("./system-packages.mjs")
    const { ensureChromium } = await import("./chromium.mjs")
    await ensureBuilt()
    await ensureSystemPackages()
    await ensureChromium()
    await ensureSiteGenerator()
    await become(bin("vitest"), ["run", "--config", "vitest.system.config.ts", ...args])
  },
  async "test:peers"(args) {
    await ensureBuilt()
    await become(bin("vitest"), ["run", "--config", "vitest.peers.config.ts", ...args])
  },
  async "test:attacks"(args) {
    const { ensureSystemPackages } = await import("./system-packages.mjs")
    await ensureBuilt()
    await ensureSystemPackages()
    await become(bin("vitest"), ["run", "--config", "vitest.attacks.config.ts", ...args])
  },
  async "test:crash"(args) {
    const kills = args[0] === "--kills" ? Number(args[1]) : args.length === 0 ? 1000 : Number.NaN
    if (!Number.isInteger(kills) || kills < 1) {
      console.error("usage: npm run test:crash -- [--kills N]")
      process.exit(2)
    }
    process.env.SOTTO_KILLS = String(kills)
    await ensureBuilt()
    await become(bin("vitest"), ["run", "packages/harness/test/crash.test.ts", "--disable-console-intercept"])
  },
  async "test:fleet"(args) {
    const { fleetOptions } = await import("./fleet.mjs")
    process.env.SOTTO_FLEET = JSON.stringify(fleetOptions(args))
    await ensureBuilt()
    await become(bin("vitest"), [
      ...["run", "packages/cli/test/fleet/fleet.test.ts"],
      ...["--retry", "0", "--disable-console-intercept"],
    ])
  },
  async "test:packages"(args) {
    const { parseArgs } = await import("node:util")
    const { values } = parseArgs({ args, options: { packs: { type: "string" }, quick: { type: "boolean" } } })
    await ensureBuilt()
    const { testPackages } = await import("./packages.mjs")
    process.exitCode = (await testPackages(values)) ? 0 : 1
  },
  async "test:mutants"(args) {
    const { runMutants } = await import("./mutants.mjs")
    process.exitCode = (await runMutants(args)) ? 0 : 1
  },
  async build() {
    await build()
    await become(node, ["scripts/bundle-size.mjs"])
  },
  async check() {
    const { check } = await import("./check.mjs")
    process.exitCode = (await check()) ? 0 : 1
  },
  async docs() {
    const pages = [
      "packages/core/test/catalogue/page.test.ts",
      "packages/core/test/edges/edges.test.ts",
      "packages/core/test/mutants.test.ts",
      "packages/core/test/api/reference.test.ts",
      "packages/core/test/fixtures.test.ts",
      "packages/harness/test/faults/page.test.ts",
      "packages/lens/test/page.test.ts",
      "packages/harness/test/reference/configuration.test.ts",
      "packages/cli/test/manual.test.ts",
      "packages/cli/test/api/current.test.ts",
    ]
    await ensureBuilt()
    // The pages' figures: which of them are older than the code.
    await quietly("Looking at figures", node, ["bench/dist/main.js", "pages"])
    await become(bin("vitest"), ["run", ...pages, "--update"])
  },
  async site(args) {
    await ensureBuilt()
    await ensureSiteGenerator()
    await become(node, ["site/dist/main.js", ...args])
  },
  async pictures() {
    await ensureBuilt()
    await become(node, ["scripts/tour-pictures.mjs"])
  },
  async example(args) {
    await ensureBuilt()
    await become(node, ["examples/dist/run/main.js", ...args])
  },
  async bench(args) {
    await ensureBuilt()
    // It needs the tests' PostgreSQL, and is one of them in its short form.
    if (args[0] === "fleet") {
      process.env.SOTTO_BENCH_FLEET = "1"
      const file = "packages/cli/test/fleet/measure.test.ts"
      await become(bin("vitest"), ["run", file, "--retry", "0", "--disable-console-intercept"])
    }
    await become(node, ["bench/dist/main.js", ...args])
  },
}

const [name = "", ...args] = process.argv.slice(2)
if (!Object.hasOwn(jobs, name)) {
  console.error(`usage: node scripts/bootstrap.mjs <${Object.keys(jobs).join("|")}> [...args]`)
  process.exit(2)
}

const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Sotto needs Node 20.19 or newer; this is ${process.versions.node}.`)
  process.exit(1)
}

await ensureInstalled()
await jobs[name](args)
