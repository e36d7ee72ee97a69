import { execFile } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { build } from "esbuild"
import { readJson } from "./fresh.mjs"
import { root, seconds } from "./process.mjs"
import { judgeWeight, weighInstalled } from "./weight.mjs"

const exec = promisify(execFile)

/** What a package may not lack when it is published. */
const LIBRARIES = [
  "core",
  "lens",
  "rehearsal",
  "shell",
  "harness",
  "postgres",
  "telemetry",
  "inspector",
  "client",
]
const NEEDED = ["README.md", "LICENSE", "package.json"]

/**
 * Packs every package, installs the packs into empty folders as strangers would, and uses them there. It says what fails
 * and goes on, so that one run tells everything. Returns whether all passed. `packs`: a folder where the packs are left.
 * `quick`: only with npm.
 */
export async function testPackages({ packs: kept, quick = false } = {}) {
  const work = mkdtempSync(join(tmpdir(), "sotto-packages-"))
  let failed = 0
  const test = async (name, run) => {
    const start = performance.now()
    try {
      const said = await run()
      console.log(`ok      ${name}${said ? `: ${said}` : ""} (${seconds(start)})`)
    } catch (error) {
      failed++
      console.log(
        `FAILED  ${name} (${seconds(start)})\n${[error.message, error.stdout, error.stderr].filter(Boolean).join("\n")}`,
      )
    }
  }
  try {
    const packs = {}
    await test("pack", async () => {
      for (const folder of [...LIBRARIES, "cli"]) packs[folder] = await pack(folder, kept ?? work)
    })
    for (const [folder, file] of Object.entries(packs))
      await test(`contents of ${folder}`, () => contents(folder, file, work))

    const alone = emptyFolder(work, "alone")
    await test("npm install, sotto alone", () => npm(alone, ["install", packs.cli]))
    await test("weight", () => judgeWeight(weighInstalled(join(alone, "node_modules"))))
    await test("sotto, alone", () => useCommand(join(alone, "node_modules/.bin/sotto"), alone))
    await test("what is not installed is named", () => missing(join(alone, "node_modules/.bin/sotto"), alone))

    const libraries = LIBRARIES.map((name) => packs[name])
    const local = emptyFolder(work, "npm")
    await test("npm install, locally", () => npm(local, ["install", ...libraries, packs.cli]))
    await test("sotto, locally", () => useCommand(join(local, "node_modules/.bin/sotto"), local))
    await test("import and require", () => useLibraries(local))
    for (const resolution of ["node16", "nodenext", "bundler"])
      await test(`types under ${resolution}`, () => compile(local, resolution))
    await test("core, lens and client in a browser's bundle", () => forBrowsers(local))
    if (quick) return failed === 0
    await runtimes(test, work, local)

    const prefix = join(work, "global")
    await test("npm install --global", () =>
      npm(work, ["install", "--global", "--prefix", prefix, packs.cli]))
    await test("man sotto, globally", () => {
      const page = join(prefix, "share/man/man1/sotto.1")
      if (!readFileSync(page, "utf8").startsWith(".TH SOTTO")) throw new Error(`${page} is not the manual.`)
    })
    await test("sotto, globally", () => useCommand(join(prefix, "bin/sotto"), emptyFolder(work, "elsewhere")))

    const strict = emptyFolder(work, "pnpm")
    await test("pnpm add, strict", () => withPnpm(work, strict, [...libraries, packs.cli]))
    await test("sotto, with pnpm", () => useCommand(join(strict, "node_modules/.bin/sotto"), strict))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  return failed === 0
}

async function pack(folder, to) {
  const { stdout } = await exec("npm", ["pack", "--json", "--pack-destination", to], {
    cwd: join(root, "packages", folder),
  })
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf("[")))
  return join(to, filename)
}

/** Every package brings what people look for, and no source map names a file that stays at home. */
async function contents(folder, file, work) {
  const to = join(work, "unpacked", folder)
  mkdirSync(to, { recursive: true })
  await exec("tar", ["xzf", file, "-C", to])
  const files = readdirSync(join(to, "package"), { recursive: true })
  for (const name of NEEDED) if (!files.includes(name)) throw new Error(`${name} is missing.`)
  const manifest = JSON.parse(readFileSync(join(to, "package/package.json"), "utf8"))
  for (const field of ["license", "description", "engines"])
    if (!manifest[field]) throw new Error(`package.json has no ${field}.`)
  for (const map of files.filter((name) => name.endsWith(".map"))) {
    const { sources, sourcesContent = [] } = JSON.parse(readFileSync(join(to, "package", map), "utf8"))
    sources.forEach((source, i) => {
      if (sourcesContent[i] === undefined && !existsSync(join(to, "package", map, "..", source)))
        throw new Error(`${map} names ${source}, which is not in the package.`)
    })
  }
  return `${files.length} files`
}

function emptyFolder(work, name) {
  const folder = join(work, name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "stranger", private: true, type: "module" }),
  )
  return folder
}

const npm = async (cwd, args) =>
  void (await exec("npm", [...args, "--no-audit", "--no-fund"], { cwd, maxBuffer: 1e8 }))

async function withPnpm(work, folder, packs) {
  const tools = emptyFolder(work, "tools")
  // The newest major that runs on Node 20.
  await npm(tools, ["install", "pnpm@10"])
  // The libraries depend on one another, and no registry has them.
  const overrides = Object.fromEntries(
    packs
      .map((pack) => [LIBRARIES.find((name) => pack.includes(`sotto-${name}-`)), pack])
      .filter(([name]) => name)
      .map(([name, pack]) => [`@sotto/${name}`, `file:${pack}`]),
  )
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "stranger", private: true, type: "module", pnpm: { overrides } }),
  )
  await exec(join(tools, "node_modules/.bin/pnpm"), ["add", "--store-dir", join(work, "store"), ...packs], {
    cwd: folder,
    maxBuffer: 1e8,
  })
}

/** The command tells its version, runs a turn with the rehearsal, tools and the store included, and shows it. */
async function useCommand(command, cwd) {
  const home = mkdtempSync(join(tmpdir(), "sotto-home-"))
  const env = { PATH: process.env.PATH, HOME: home, SOTTO_HOME: home }
  const sotto = async (...args) => (await exec(command, args, { cwd, env, maxBuffer: 1e8 })).stdout
  try {
    const { version } = readJson("packages/cli/package.json")
    const said = (await sotto("--version")).trim()
    if (said !== version) throw new Error(`It says that it is ${said}, not ${version}.`)
    const events = (await sotto("run", "Look around.", "--yes", "--output", "jsonl", "--model", "rehearsal"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    const end = events.find(({ type }) => type === "turn-end")
    if (end?.reason !== "done") throw new Error(`The turn did not end well: ${JSON.stringify(end)}`)
    if (!events.some(({ type, error }) => type === "tool-result" && !error))
      throw new Error("No tool was run.")
    const { id } = events.find(({ type }) => type === "session")
    if (!(await sotto("show", id)).includes("Look around.")) throw new Error("The session was not stored.")
    await sotto("doctor")
    const body = { model: "claude-opus-5-5", max_tokens: 9, messages: [{ role: "user", content: "Hello" }] }
    writeFileSync(join(home, "bodies.jsonl"), `${JSON.stringify(body)}\n`)
    await sotto("check", join(home, "bodies.jsonl"), "--html", join(home, "page.html"))
    if (!readFileSync(join(home, "page.html"), "utf8").includes("<script"))
      throw new Error("The page is not there.")
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Without the optional packages, the command says which to install, and goes on if it can. */
async function missing(command, cwd) {
  const home = mkdtempSync(join(tmpdir(), "sotto-home-"))
  const env = { PATH: process.env.PATH, HOME: home, SOTTO_HOME: home }
  const telemetry = { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" }
  const store = { ...env, SOTTO_STORE: "postgres://sotto@127.0.0.1:9/sotto" }
  try {
    const { stderr } = await exec(
      command,
      ["run", "Look around.", "--yes", "--quiet", "--model", "rehearsal"],
      {
        cwd,
        env: telemetry,
      },
    )
    if (!stderr.includes("npm install -g @sotto/telemetry")) throw new Error(`It says: ${stderr}`)
    const refused = await exec(command, ["sessions"], { cwd, env: store }).catch((error) => error)
    if (refused.code !== 1 || !refused.stderr.includes("npm install -g @sotto/postgres"))
      throw new Error(`It ends with ${refused.code} and says: ${refused.stderr}`)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Each way into each library. */
function entrances() {
  return LIBRARIES.flatMap((folder) => {
    const { name, exports } = readJson(`packages/${folder}/package.json`)
    return Object.keys(exports)
      .filter((path) => path !== "./package.json")
      .map((path) => join(name, path))
  })
}

async function useLibraries(cwd) {
  const list = JSON.stringify(entrances())
  await exec(
    process.execPath,
    ["--input-type=module", "-e", `for (const name of ${list}) await import(name)`],
    { cwd },
  )
  await exec(process.execPath, ["--input-type=commonjs", "-e", `for (const name of ${list}) require(name)`], {
    cwd,
  })
  return `${entrances().length} entrances`
}

async function compile(cwd, resolution) {
  const folder = join(cwd, resolution)
  mkdirSync(folder, { recursive: true })
  const lines = entrances().map(
    (name, i) => `import * as all${i} from "${name}"\nexport const keys${i} = Object.keys(all${i})`,
  )
  writeFileSync(join(folder, "index.ts"), lines.join("\n"))
  const module = resolution === "bundler" ? "esnext" : resolution
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        module,
        moduleResolution: resolution,
        target: "es2023",
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        types: ["node"],
        typeRoots: [join(root, "node_modules/@types")],
      },
      files: ["index.ts"],
    }),
  )
  await exec(join(root, "node_modules/.bin/tsc"), ["-p", folder], { cwd })
}

async function forBrowsers(cwd) {
  const entry = join(cwd, "browser.js")
  const names = entrances().filter(
    (name) => /^@sotto\/(core|lens|client)/.test(name) && !name.endsWith("/testing"),
  )
  writeFileSync(entry, names.map((name, i) => `export * as all${i} from "${name}"`).join("\n"))
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    write: false,
    logLevel: "silent",
  })
  return `${Math.round(outputFiles[0].contents.length / 1000)} kB`
}

/** Other runtimes, where the registry has their programs. */
async function runtimes(test, work, local) {
  writeFileSync(
    join(local, "other.mjs"),
    `import { createSession } from "@sotto/core"
import { encode } from "@sotto/core/anthropic"
import { createLens } from "@sotto/lens"
const session = createSession({ agents: [{ name: "build" }], model: { id: "claude-sonnet-4-5" }, now: () => 0, newId: () => "1" })
session.say("Hello")
const next = session.next()
if (next.is !== "request" || encode(next.request).messages.length !== 1) throw new Error("no request")
createLens().report()
console.log("fine")
`,
  )
  for (const [name, args] of [
    ["bun", ["run"]],
    ["deno", ["run", "--allow-read", "--node-modules-dir=manual"]],
  ])
    await test(`core and lens under ${name}`, async () => {
      const tools = emptyFolder(work, name)
      await npm(tools, ["install", name, "--foreground-scripts"])
      const { stdout } = await exec(join(tools, "node_modules/.bin", name), [...args, "other.mjs"], {
        cwd: local,
      })
      if (!stdout.includes("fine")) throw new Error(stdout)
    })
}
