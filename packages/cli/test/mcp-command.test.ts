import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { type Bench, benchWith, finished, type Variables } from "./support/sotto.js"

const SERVER = fileURLToPath(new URL("../../harness/test/mcp-server.mjs", import.meta.url))

const own = (bench: Bench) => join(bench.home, "sotto.json")
const mcp = (bench: Bench, args: readonly string[], env?: Variables) => finished(bench, ["mcp", ...args], env)
const configured = (path: string) => JSON.parse(readFileSync(path, "utf8")).mcp

function withOwn(text: string, mode = 0o644): Bench {
  const bench = benchWith()
  mkdirSync(bench.home, { recursive: true })
  writeFileSync(own(bench), text, { mode })
  return bench
}

describe.concurrent("sotto mcp add", () => {
  it("writes a program and an address to the user's own file, and the agent has them from then on", async () => {
    const bench = benchWith()
    const added = await mcp(bench, ["add", "hub", "--env", "MODE=a=b", "--", process.execPath, SERVER, "{}"])
    expect(added).toMatchObject({ code: 0, err: "" })
    expect(added.out).toContain(`hub is added to ${own(bench)}`)
    await mcp(bench, [
      "add",
      "web",
      "https://mcp.example.com/mcp",
      "--header",
      "X-Team: a: b",
      "--type",
      "sse",
    ])
    expect(configured(own(bench))).toEqual({
      hub: { command: process.execPath, args: [SERVER, "{}"], env: { MODE: "a=b" } },
      web: { type: "sse", url: "https://mcp.example.com/mcp", headers: { "X-Team": "a: b" } },
    })
    const shown = await mcp(bench, ["show", "hub"])
    expect(shown.code).toBe(0)
    expect(shown.out).toMatch(/^hub: connected, 2 tools\n/)
    expect(shown.out).toContain("echo  Says it again.")
  })

  it("keeps the comments, the order, the mode and the link of the file", async () => {
    const text =
      '// mine\n{\n  "agent": "plan", // for now\n  "mcp": {\n    "a": { "command": "x" } // the first\n  }\n}\n'
    const bench = withOwn("")
    const real = join(bench.home, "real.json")
    writeFileSync(real, text, { mode: 0o600 })
    rmSync(own(bench))
    symlinkSync(real, own(bench))
    expect((await mcp(bench, ["add", "b", "--", "y"])).code).toBe(0)
    const second = ',\n    "b": {\n      "command": "y"\n    }'
    const end = " // the first"
    expect(readFileSync(real, "utf8")).toBe(text.replace(end, `,${end}${second.slice(1)}`))
    expect(lstatSync(own(bench)).isSymbolicLink()).toBe(true)
    expect(statSync(real).mode & 0o777).toBe(0o600)
    expect((await mcp(bench, ["remove", "b"])).code).toBe(0)
    expect(readFileSync(real, "utf8")).toContain('"agent": "plan", // for now')
    expect(readFileSync(real, "utf8")).not.toContain('"b"')
  })

  it("writes to the project's file if told so, and says that it needs trust", async () => {
    const bench = benchWith()
    const { out } = await mcp(bench, ["add", "hub", "--scope", "project", "--", "x"])
    expect(configured(bench.path("sotto.json"))).toEqual({ hub: { command: "x" } })
    expect(existsSync(own(bench))).toBe(false)
    expect(out).toContain("sotto trust add")
    const listed = await mcp(bench, ["list"], { SOTTO_TRUST: "" })
    expect(listed.out).toMatch(/hub +left out: this folder is not trusted: sotto trust add/)
    const login = await mcp(bench, ["login", "hub"], { SOTTO_TRUST: "" })
    expect(login.code).toBe(2)
    expect(login.err).toContain("which you do not trust")
  })

  it("says how to replace a server that is there", async () => {
    const bench = withOwn('{"mcp": {"hub": {"command": "x"}}}')
    const refused = await mcp(bench, ["add", "hub", "--", "y"])
    expect(refused.code).toBe(2)
    expect(refused.err).toContain("Replace it with --force, or remove it first: sotto mcp remove hub.")
    expect((await mcp(bench, ["add", "hub", "--force", "--", "y"])).code).toBe(0)
    expect(configured(own(bench))).toEqual({ hub: { command: "y" } })
  })

  it("warns of a secret that is written out, and not of one in a variable", async () => {
    const bench = benchWith()
    const url = "https://mcp.example.com/mcp"
    const plain = await mcp(bench, ["add", "a", url, "--header", "Authorization: Bearer s3cret-value"])
    expect(plain.code).toBe(0)
    expect(plain.err).toContain("the value of Authorization now stands in")
    expect(plain.err).toContain(`write "$\{NAME}" instead`)
    expect(plain.err + plain.out).not.toContain("s3cret-value")
    const named = await mcp(bench, ["add", "b", url, "--header", `Authorization: Bearer $\{TOKEN}`])
    expect(named.err).toBe("")
  })

  it.each([
    [[], "Which server?"],
    [["my server", "--", "x"], '"my server" cannot be a name'],
    [["../up", "--", "x"], "cannot be a name"],
    [["__proto__", "--", "x"], "cannot be a name"],
    [["-x"], "There is no option -x"],
    [["hub"], "Give a URL such as"],
    [["hub", "node", "server.mjs"], "sotto mcp add hub -- node server.mjs"],
    [["hub", "--"], "Give a URL, or a command after --"],
    [["hub", "ftp://example.com"], "use https:// or http://"],
    [["hub", "file:///etc/passwd"], "use https:// or http://"],
    [["hub", "https://me:pw@example.com"], "Leave the name and password out"],
    [["hub", "https://example.com", "--header", "no colon"], "write 'Name: value'"],
    [["hub", "https://example.com", "--header", "a: b\nc: d"], "write 'Name: value'"],
    [["hub", "https://example.com", "--env", "A=b"], "--env is for a command"],
    [["hub", "--env", "A", "--", "x"], "write NAME=VALUE"],
    [["hub", "--header", "A: b", "--", "x"], "--header and --type are for a URL"],
    [["hub", "https://example.com", "--type", "carrier"], "use http or sse"],
    [["hub", "--scope", "moon", "--", "x"], "use user or project"],
  ])("refuses %j with what to do, and writes nothing", async (args, words) => {
    const bench = benchWith()
    const { code, err } = await mcp(bench, ["add", ...args])
    expect(code).toBe(2)
    expect(err).toContain(words)
    expect(existsSync(own(bench))).toBe(false)
  })

  it("changes no file with a mistake in it, and names the place", async () => {
    const text = '{\n  "mcp": {\n    "a": { "command": 7 }\n  }\n}\n'
    const bench = withOwn(text)
    const { code, err } = await mcp(bench, ["add", "b", "--", "x"])
    expect(code).toBe(2)
    expect(err).toContain(`${own(bench)}:3: mcp.a.command`)
    expect(readFileSync(own(bench), "utf8")).toBe(text)
  })
})

describe.concurrent("sotto mcp remove", () => {
  it("takes a server out of the file that it is in, also of one that agents share", async () => {
    const bench = benchWith({
      ".mcp.json": '{"mcpServers": {"shared": {"command": "x"}, "kept": {"command": "y"}}}',
      "sotto.json": '{"mcp": {"hub": {"command": "x"}}}',
    })
    expect((await mcp(bench, ["remove", "shared"])).out).toContain(`removed from ${bench.path(".mcp.json")}`)
    expect(readFileSync(bench.path(".mcp.json"), "utf8")).toBe('{"mcpServers": {"kept": {"command": "y"}}}')
    expect((await mcp(bench, ["remove", "hub"])).code).toBe(0)
    expect(configured(bench.path("sotto.json"))).toEqual({})
    const { code, err } = await mcp(bench, ["remove", "hub"])
    expect(code).toBe(2)
    expect(err).toContain('There is no MCP server "hub"')
  })

  it("asks which is meant where two files have the name", async () => {
    const bench = withOwn('{"mcp": {"hub": {"command": "x"}}}')
    writeFileSync(bench.path("sotto.json"), '{"mcp": {"hub": {"command": "y"}}}')
    const { code, err } = await mcp(bench, ["remove", "hub"])
    expect(code).toBe(2)
    expect(err).toContain("--scope user or --scope project")
    expect((await mcp(bench, ["remove", "hub", "--scope", "user"])).code).toBe(0)
    expect(configured(own(bench))).toEqual({})
    expect(configured(bench.path("sotto.json"))).toEqual({ hub: { command: "y" } })
  })
})

describe.concurrent("sotto mcp list", () => {
  it("says of each server how it is, and waits for none longer than it is told", async () => {
    const stdio = (habits: object) => ({ command: process.execPath, args: [SERVER, JSON.stringify(habits)] })
    const bench = benchWith({
      "sotto.json": JSON.stringify({
        mcp: {
          hub: stdio({ prompts: ["review"] }),
          broken: { command: "no-such-program" },
          off: { command: "x", disable: true },
          mute: stdio({ hang: true }),
          secretive: {
            command: "no-such-program",
            args: ["--token=abc"],
            env: { API_TOKEN: "hidden-12345" },
          },
        },
      }),
    })
    const { out, code } = await mcp(bench, ["list", "--timeout", "4", "--json"])
    expect(code).toBe(0)
    const found = new Map(
      (JSON.parse(out) as { name: string; state: string; why?: string }[]).map((one) => [one.name, one]),
    )
    expect(found.get("hub")).toMatchObject({ state: "connected", prompts: ["hub:review"] })
    expect(found.get("hub")).toHaveProperty("tools.length", 2)
    expect(found.get("broken")?.why).toContain('"no-such-program" could not be started')
    expect(found.get("off")).toMatchObject({ state: "off" })
    expect(found.get("mute")).toMatchObject({ state: "connecting", why: "no answer within 4 s" })
    expect(out).not.toContain("hidden-12345")
    const text = await mcp(bench, ["list", "--timeout", "4"])
    expect(text.out).toMatch(/^hub +connected, 2 tools, 1 prompt$/m)
    expect(text.out).toMatch(/^off +switched off in the configuration$/m)
    expect(text.out).toMatch(/^mute +not connected: no answer within 4 s$/m)
    expect((await mcp(bench, ["show", "broken"])).code).toBe(1)
  })

  it("says how to add one where there is none", async () => {
    expect((await mcp(benchWith(), [])).out).toContain("`sotto mcp add --help` says how")
  })
})
