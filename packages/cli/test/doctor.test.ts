import { execFile } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { PROVIDERS } from "@sotto/harness"
import { describe, expect, it, onTestFinished } from "vitest"
import { type Bench, benchWith, finished, serverWith, type Variables } from "./support/sotto.js"
import { openTerminal } from "./tui/support/terminal.js"

const COMMAND = fileURLToPath(new URL("../bin/sotto.js", import.meta.url))
const KEY = "sk-correct-horse-battery-staple"

interface Check {
  readonly name: string
  readonly state: string
  readonly text: string
  readonly remedy?: string
  readonly more?: readonly string[]
}

/** What the doctor says of one thing, and how it ended. */
async function examined(
  bench: Bench,
  name: string,
  env: Variables = {},
): Promise<Check & { code: number | null }> {
  const { out, code } = await finished(bench, ["doctor", "--json"], env)
  const { ok, checks } = JSON.parse(out) as { ok: boolean; checks: readonly Check[] }
  expect(ok).toBe(code === 0)
  const check = checks.find((one) => one.name === name)
  if (check === undefined) throw new Error(`There is no check of ${name}.`)
  return { ...check, code }
}

function homeWith(
  bench: Bench,
  files: Readonly<Record<string, readonly [text: string, mode: number]>>,
): void {
  mkdirSync(bench.home, { recursive: true, mode: 0o700 })
  for (const [name, [text, mode]] of Object.entries(files)) {
    writeFileSync(join(bench.home, name), text)
    chmodSync(join(bench.home, name), mode)
  }
}

/** A server that has one address, and asks for a key there. */
async function answering(list: string) {
  const asked: { readonly path: string | undefined; readonly hasKey: boolean }[] = []
  const server = createServer(({ url: path, headers }, response) => {
    const hasKey = JSON.stringify(headers).includes(KEY)
    asked.push({ path, hasKey })
    response.writeHead(path === list ? (hasKey ? 200 : 401) : 404).end("{}")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`, asked }
}

/** Programs by name, in a folder that is all of PATH. */
function programs(bench: Bench, scripts: Readonly<Record<string, string>>): Variables {
  // Not in the workspace, which must not bring programs along.
  const folder = bench.path("../programs")
  mkdirSync(folder)
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  return { PATH: folder }
}

describe.concurrent("sotto doctor: Node", () => {
  it("is refused by the command if it is too old, before anything else is loaded", async () => {
    const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
    expect(engines.node).toBe(">=20.19")
    for (const version of ["18.20.4", "20.18.3"]) {
      const older = `data:text/javascript,Object.defineProperty(process.versions,"node",{value:"${version}"})`
      const run = promisify(execFile)(process.execPath, ["--import", older, COMMAND, "doctor"])
      await expect(run).rejects.toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(
          new RegExp(`^sotto needs Node 20\\.19 or newer, and this is ${version}\\. Install a newer one`),
        ),
      })
    }
  })
})

describe("sotto doctor: the provider", () => {
  const taking = () => serverWith([{ text: "Hello." }], { keys: [KEY] })

  it.each([
    ["the version is missing", "openai", "", "/v1/models"],
    ["a path is too much", "openai", "/v1/chat/completions", "/v1/models"],
    ["the path is another one", "openai", "/openai", "/v1/models"],
    ["a path is too much", "anthropic", "/v1/messages", "/v1/models?limit=1"],
    ["a path is too much", "google", "/v1/models", "/v1beta/models?pageSize=1"],
  ] as const)("says where it answers if %s (%s%s)", async (_, provider, path, list) => {
    const { url, asked } = await answering(list)
    const { base, keys } = PROVIDERS[provider]
    const check = await examined(benchWith(), "model", { [base]: `${url}${path}`, [keys[0]]: KEY })
    const right = provider === "openai" ? `${url}/v1` : url
    expect(check).toMatchObject({ state: "failed", code: 1, remedy: `Set ${base}=${right}` })
    expect(check.text).toContain(`${right} answers as it should`)
    // The key went to the address that was given, and to no other.
    expect(asked.filter(({ hasKey }) => hasKey)).toHaveLength(1)
    expect(asked.length).toBeGreaterThan(1)
  })

  it("says that it speaks http if it was asked with https", async () => {
    const { url } = await taking()
    const env = { OPENAI_BASE_URL: `${url.replace("http:", "https:")}/v1`, OPENAI_API_KEY: KEY }
    const check = await examined(benchWith(), "model", env)
    expect(check).toMatchObject({ state: "failed", remedy: `Set OPENAI_BASE_URL=${url}/v1` })
  })

  it("takes a server that lists no models as it is, after looking around without the key", async () => {
    const { url, asked } = await answering("/nothing")
    const env = { OPENAI_BASE_URL: `${url}/here`, OPENAI_API_KEY: KEY }
    const check = await examined(benchWith(), "model", env)
    expect(check).toMatchObject({ state: "ok", text: expect.stringContaining("could not be tried") })
    expect(asked.filter(({ hasKey }) => hasKey)).toEqual([{ path: "/here/models", hasKey: true }])
    expect(asked.length).toBeGreaterThan(2)
  })

  it("knows a key of another provider, and one with quotes", async () => {
    const { url } = await taking()
    const base = { OPENAI_BASE_URL: `${url}/v1` }
    const other = await examined(benchWith(), "model", { ...base, OPENAI_API_KEY: "sk-ant-api03-horse" })
    expect(other).toMatchObject({
      state: "failed",
      remedy: "It looks like a key for anthropic: put it into ANTHROPIC_API_KEY.",
    })
    const quoted = await examined(benchWith(), "model", { ...base, OPENAI_API_KEY: `"${KEY}"` })
    expect(quoted).toMatchObject({ state: "failed", remedy: "The key has quotes around it. Remove them." })
  })

  it("says which proxy is used, and never its password", async () => {
    const env = { HTTPS_PROXY: "http://me:hunter2@proxy.invalid:8080", no_proxy: "intra.example" }
    const { out, code } = await finished(benchWith(), ["doctor"], env)
    expect(out).toMatch(
      /^ok +proxy +requests go through the proxy http:\/\/proxy\.invalid:8080 \(HTTPS_PROXY\), except for intra\.example/m,
    )
    expect(out).not.toContain("hunter2")
    expect(code).toBe(0)
    const lost = { ...env, OPENAI_BASE_URL: "http://127.0.0.1:1/v1" }
    const check = await examined(benchWith(), "model", lost)
    expect(check.remedy).toContain("Requests go through the proxy of HTTPS_PROXY")
    const wrong = await examined(benchWith(), "proxy", { HTTPS_PROXY: "socks5://me:hunter2@127.0.0.1:1" })
    expect(wrong).toMatchObject({
      state: "failed",
      text: expect.stringContaining("names no proxy that Sotto can use"),
    })
    const other = await examined(benchWith(), "proxy", { ALL_PROXY: "socks5://127.0.0.1:1" })
    expect(other).toMatchObject({ state: "warning" })
  })
})

describe.concurrent("sotto doctor: what is on the disk", () => {
  it("names files that others may read or change, and the command that closes them", async () => {
    const bench = benchWith()
    homeWith(bench, {
      "keys.json": ["{}", 0o644],
      "sotto.json": ["{}", 0o666],
      "notes.md": ["mine", 0o644],
    })
    const check = await examined(bench, "permissions")
    expect(check).toMatchObject({
      state: "failed",
      code: 1,
      more: [
        `${join(bench.home, "keys.json")} can be read by others`,
        `${join(bench.home, "sotto.json")} can be changed by others`,
      ],
    })
    await promisify(execFile)("sh", ["-c", check.remedy?.replace("Run: ", "") ?? ""])
    expect(await examined(bench, "permissions")).toMatchObject({ state: "ok" })
  })

  it("names a configuration with a key in it that others may read", async () => {
    const bench = benchWith()
    const secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
    const servers = { hub: { command: "hub", env: { TOKEN: secret } } }
    homeWith(bench, { "sotto.json": [JSON.stringify({ mcp: servers }), 0o644] })
    const { out } = await finished(bench, ["doctor"])
    expect(out).toContain("sotto.json has a key in it, and can be read by others")
    expect(out).not.toContain(secret)
    homeWith(bench, { "sotto.json": ['{"maxSteps": 5}', 0o644] })
    expect(await examined(bench, "permissions")).toMatchObject({ state: "ok" })
  })

  it("names what is in the way of the store", async () => {
    const bench = benchWith({ file: "not a folder" })
    const check = await examined(bench, "store", { SOTTO_HOME: bench.path("file/sotto") })
    expect(check).toMatchObject({ state: "failed", code: 1 })
    expect(check.text).toBe(`${bench.path("file")} cannot be written: sessions have nowhere to be kept.`)
    expect(check.remedy).toContain("set SOTTO_HOME")
  })

  it("names an unknown field of the configuration with its line, and the one that was meant", async () => {
    const bench = benchWith({ "sotto.json": '{\n  "max_steps": 5\n}\n' })
    const check = await examined(bench, "configuration")
    expect(check).toMatchObject({ state: "failed", code: 1 })
    expect(check.text).toContain("sotto.json:2")
    expect(check.text).toContain('Did you mean "maxSteps"?')
  })
})

describe.concurrent("sotto doctor: programs", () => {
  /** The package that brings ripgrep, with another program in it. */
  const withRipgrep = (path: string): Variables => {
    const module = `data:text/javascript,export const rgPath=${encodeURIComponent(JSON.stringify(path))}`
    const hooks = `export async function resolve(name,context,next){return name==="@vscode/ripgrep"?{url:${JSON.stringify(module)},shortCircuit:true}:next(name,context)}`
    const loader = `import{register}from"node:module";register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)})`
    return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(loader)}` }
  }

  it("says that ripgrep is missing or not executable, and how to get it", async () => {
    const bench = benchWith({ rg: "not a program" })
    const missing = await examined(bench, "ripgrep", withRipgrep(bench.path("nowhere")))
    expect(missing).toMatchObject({
      state: "failed",
      code: 1,
      remedy: expect.stringContaining("npm install -g sotto"),
    })
    expect(missing.text).toContain("its program is missing")
    const closed = await examined(bench, "ripgrep", withRipgrep(bench.path("rg")))
    expect(closed).toMatchObject({ state: "failed", text: expect.stringContaining("is not executable") })
  })

  it("warns where git and bubblewrap are missing", async () => {
    const bench = benchWith()
    const env = programs(bench, {})
    expect(await examined(bench, "git", env)).toMatchObject({
      state: "warning",
      code: 0,
      remedy: "Install git.",
    })
    const sandbox = await examined(bench, "sandbox", env)
    expect(sandbox).toMatchObject({
      state: "warning",
      text: expect.stringContaining("bubblewrap (bwrap) is not in PATH"),
    })
    expect(sandbox.remedy).toContain("apt-get install bubblewrap")
  })

  it("says what bubblewrap complains of where it does not work", async () => {
    const bench = benchWith()
    const env = programs(bench, { bwrap: 'echo "bwrap: No permissions to create new namespace" >&2; exit 1' })
    const check = await examined(bench, "sandbox", env)
    expect(check).toMatchObject({ state: "warning", code: 0 })
    expect(check.text).toContain("does not work: No permissions to create new namespace.")
    expect(check.remedy).toMatch(/user namespaces/)
  })
})

describe.concurrent("sotto doctor: the terminal", () => {
  it.each([
    ["is narrow", { LANG: "C.UTF-8" }, 40, /It has 40 columns/],
    ["cannot draw", { LANG: "C.UTF-8", TERM: "dumb" }, 80, /TERM is "dumb"/],
    ["is not UTF-8", { LANG: "de_DE.ISO-8859-1" }, 80, /The locale \(de_DE\.ISO-8859-1\)/],
    ["has no colours", { LANG: "C.UTF-8", NO_COLOR: "1" }, 80, /no colours \(NO_COLOR is set\)/],
  ])("says that it %s", async (_, env, columns, words) => {
    const terminal = openTerminal(benchWith(), { args: ["doctor"], env, columns, rows: 80 })
    await terminal.exited
    expect(terminal.raw.replace(/\s+/g, " ")).toMatch(words)
  })

  it("has lines that fit it, with what a check says in a column of its own", async () => {
    const terminal = openTerminal(benchWith(), { args: ["doctor"], env: { LANG: "C.UTF-8" }, rows: 80 })
    expect(await terminal.exited).toBe(0)
    const lines = terminal.raw.split(/\r?\n/)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(lines.filter((line) => /^ {23}\S/.test(line)).length).toBeGreaterThan(0)
  })
})

describe.concurrent("sotto doctor: its command line", () => {
  it("takes --json and nothing else", async () => {
    const { code, err } = await finished(benchWith(), ["doctor", "--verbose"])
    expect([code, err]).toEqual([2, "sotto: sotto doctor takes no arguments but --json.\n"])
  })
})
