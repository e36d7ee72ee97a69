import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { judge } from "../src/execution/permissions/rules.js"
import { builtInAgents } from "../src/settings/agents/builtin.js"
import { loadConfig } from "../src/settings/load.js"
import { LineSplitter, type LongLine } from "../src/sources/mcp/line-splitter.js"
import { prefixes, toolNames } from "../src/sources/mcp/names.js"
import { listAll, MOST_TOOLS, readTools } from "../src/sources/mcp/offered.js"
import { schemaProblem, signatureOf } from "../src/sources/mcp/schema.js"

describe("the names of tools", () => {
  it("are as the server has them where they fit", () => {
    const prefix = prefixes(["github"]).get("github") ?? ""
    expect([...toolNames(prefix, ["search", "get-issue"]).values()]).toEqual([
      "mcp__github__search",
      "mcp__github__get-issue",
    ])
  })

  it("fit every provider and differ, whatever servers and tools are called", () => {
    const anything = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.stringMatching(/^[ab_. ]{0,4}$/),
      fc.string({ minLength: 60 }),
    )
    const names = fc.uniqueArray(anything, { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(names, names, (servers, tools) => {
        const all = [...prefixes(servers).values()].flatMap((prefix) => [
          ...toolNames(prefix, tools).values(),
        ])
        expect(new Set(all).size).toBe(servers.length * tools.length)
        for (const name of all) expect(name).toMatch(/^mcp__[a-zA-Z0-9_-]{1,59}$/)
      }),
    )
  })

  it("stay the same when other tools come and go", () => {
    expect(toolNames("mcp__s__", ["a.b", "a_b"]).get("a_b")).toBe("mcp__s__a_b")
    expect(toolNames("mcp__s__", ["a_b"]).get("a_b")).toBe("mcp__s__a_b")
    expect(toolNames("mcp__s__", ["a.b", "a_b"]).get("a.b")).toMatch(/^mcp__s__a_b_[0-9a-f]{8}$/)
  })
})

describe("an input schema", () => {
  const nested = (depth: number): object =>
    depth === 0 ? { type: "string" } : { type: "object", properties: { a: nested(depth - 1) } }

  it.each([
    ["none", undefined],
    ["a list", []],
    ["another type", { type: "string" }],
    ["an unknown type inside", { type: "object", properties: { a: { type: "banana" } } }],
    [
      "an unknown type in a list",
      { type: "object", properties: { a: { type: "array", items: { type: 7 } } } },
    ],
    ["properties that are none", { type: "object", properties: ["a"] }],
    ["an empty choice", { type: "object", properties: { a: { enum: [] } } }],
    ["required without names", { type: "object", required: "a" }],
    ["a broken pattern", { type: "object", properties: { a: { type: "string", pattern: "(" } } }],
    ["a field no provider takes", { type: "object", properties: { "a b": {} } }],
    ["too deep", nested(20)],
    ["too long", { type: "object", description: "x".repeat(40_000) }],
  ])("that a provider would refuse is not used: %s", (_, schema) => {
    expect(schemaProblem(schema)).toEqual(expect.any(String))
    const { tools, problems } = readTools([{ name: "t", inputSchema: schema }], "mcp__s__")
    expect(tools[0]?.inputSchema).toEqual({ type: "object", properties: {} })
    expect(problems[0]).toContain('The input schema of the tool "t" cannot be used')
  })

  it("is sent as it is, but for alternatives at its top", () => {
    const properties = {
      a: { anyOf: [{ type: "string" }, { type: ["number", "null"] }] },
      b: { $ref: "#/$defs/b" },
    }
    const schema = { type: "object", properties, $defs: { b: true }, additionalProperties: false }
    const { tools } = readTools(
      [{ name: "t", inputSchema: { ...schema, anyOf: [{ required: ["a"] }] } }],
      "mcp__s__",
    )
    expect(tools[0]?.inputSchema).toEqual(schema)
  })

  it("is told in short", () => {
    const properties = {
      query: { type: "string" },
      limit: { type: "integer" },
      tags: { type: "array", items: { type: "string" } },
      order: { enum: ["asc", "desc"] },
    }
    expect(signatureOf({ type: "object", properties, required: ["query"] })).toBe(
      'query: string, limit?: integer, tags?: string[], order?: "asc" | "desc"',
    )
  })
})

describe("a list of tools", () => {
  it("leaves out what has no name or the same one again, and keeps the rest", () => {
    const inputSchema = { type: "object" }
    const { tools, problems } = readTools(
      [null, 7, {}, { name: "a", inputSchema }, { name: "a", inputSchema }, { name: "b", inputSchema }],
      "mcp__s__",
    )
    expect(tools.map(({ name }) => name)).toEqual(["a", "b"])
    expect(problems).toHaveLength(4)
  })

  it("takes a hint to be read-only only where no other contradicts it", () => {
    const hints = [
      { readOnlyHint: true },
      {},
      { readOnlyHint: true, destructiveHint: true },
      { readOnlyHint: "true" },
    ]
    const entries = hints.map((annotations, i) => ({
      name: `t${i}`,
      inputSchema: { type: "object" },
      annotations,
    }))
    expect(readTools(entries, "mcp__s__").tools.map(({ readOnly }) => readOnly)).toEqual([
      true,
      false,
      false,
      false,
    ])
  })

  it("is read page by page, and no further than is of use", async () => {
    const asked: unknown[] = []
    const endless = async (params: object) => {
      asked.push(params)
      return { tools: Array.from({ length: 50 }, () => ({})), nextCursor: `after ${asked.length}` }
    }
    const { entries, more } = await listAll(endless, "tools", MOST_TOOLS)
    expect({ entries: entries.length, more, asked: asked.length }).toEqual({
      entries: 128,
      more: true,
      asked: 3,
    })
    const circle = async () => ({ tools: [], nextCursor: "same" })
    expect(await listAll(circle, "tools", MOST_TOOLS)).toEqual({ entries: [], more: false })
  })
})

describe("lines of a server", () => {
  function linesOf(longest: number, ...chunks: readonly string[]) {
    const found: (string | LongLine)[] = []
    const lines = new LineSplitter(
      longest,
      (line) => found.push(line),
      (long) => found.push(long),
    )
    for (const chunk of chunks) lines.push(Buffer.from(chunk))
    return found
  }

  it("come out whole however they are cut", () => {
    expect(linesOf(100, "a", "b\nc", "\n\nd", "e\n", "rest")).toEqual(["ab", "c", "", "de"])
  })

  it("that are too long leave their ends, and the next is heard again", () => {
    const [long, next] = linesOf(3_000, "start ", "x".repeat(5_000), " the end\nnext\n")
    expect(next).toBe("next")
    expect(long).toMatchObject({
      bytes: 5_014,
      start: expect.stringMatching(/^start x/),
      end: expect.stringMatching(/x the end$/),
    })
  })
})

describe("configuration", () => {
  let root: string
  let cwd: string
  const env = () => ({ HOME: join(root, "home"), TOKEN: "s3cret" })

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-mcp-config-")))
    cwd = join(root, "home", "project", "packages", "a")
    mkdirSync(cwd, { recursive: true })
    mkdirSync(join(root, "home", "project", ".git"))
  })
  afterEach(() => rmSync(root, { recursive: true }))

  function put(path: string, content: unknown): string {
    const file = join(root, "home", path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content))
    return file
  }
  const load = () => loadConfig({ cwd, env: env(), trusted: true })

  it("takes servers from sotto.json and from every .mcp.json of the project, the nearer word last", async () => {
    put(".config/sotto/sotto.json", { mcp: { a: { command: "a0" }, b: { command: "b0" } } })
    put("project/.mcp.json", {
      mcpServers: { b: { command: "b1" }, c: { command: "c1" }, d: { command: "d1" } },
    })
    put("project/packages/a/.mcp.json", { mcpServers: { c: { command: "c2" } } })
    put("project/sotto.json", { mcp: { d: { url: "http://localhost:1/mcp" } } })
    const { mcp, files } = await load()
    expect(Object.entries(mcp).map(([name, { command, url }]) => [name, command ?? url])).toEqual([
      ["a", "a0"],
      ["b", "b1"],
      ["c", "c2"],
      ["d", "http://localhost:1/mcp"],
    ])
    expect(files).toHaveLength(4)
  })

  it("fills in variables, and what to use otherwise", async () => {
    put("project/.mcp.json", {
      mcpServers: {
        s: {
          type: "http",
          url: `\${BASE:-http://localhost:2}/mcp`,
          headers: { Authorization: `Bearer \${TOKEN}`, Plain: `$TOKEN costs \${}` },
        },
      },
    })
    expect((await load()).mcp.s).toMatchObject({
      url: "http://localhost:2/mcp",
      headers: { Authorization: "Bearer s3cret", Plain: `$TOKEN costs \${}` },
    })
  })

  it("keeps one server from being reached where a variable is not set, and names file and field", async () => {
    const file = put("project/.mcp.json", {
      mcpServers: { s: { command: "s", env: { KEY: `\${NO_SUCH}` } }, t: { command: "t" } },
    })
    const { mcp } = await load()
    expect(mcp.s?.problem).toBe(
      `${file}: mcpServers.s.env.KEY: The variable NO_SUCH is not set. Set it, or write \${NO_SUCH:-…}.`,
    )
    expect(mcp.t?.problem).toBeUndefined()
  })

  it("reads what other agents write, and passes over what only they know", async () => {
    put("project/.mcp.json", {
      inputs: [],
      mcpServers: {
        s: { command: "s", disabled: true, autoApprove: ["x"], timeout: 30_000 },
        t: { type: "streamableHttp", url: "http://localhost:3/mcp", timeout: 20 },
      },
    })
    const { mcp } = await load()
    expect(mcp.s).toMatchObject({ disable: true, timeout: 30 })
    expect(mcp.t).toMatchObject({ type: "streamable-http", timeout: 20 })
  })

  it.each([
    ['{\n "mcpServers": {\n  "s": {\n   "command": 7 } } }', 4, "mcpServers.s.command"],
    ['{\n "mcpServers": {\n  "s": { "args": [] } } }', 3, "mcpServers.s"],
    ['{\n "mcpServers": {\n  "s": { "type": "http", "command": "x" } } }', 3, "mcpServers.s"],
    ['{\n "mcpServers": [] }', 2, "mcpServers"],
    ["{", 1, ""],
  ])("says where a .mcp.json is wrong: %j", async (source, line, field) => {
    const file = put("project/.mcp.json", source)
    await expect(load()).rejects.toMatchObject({ name: "ConfigError", file, line, field })
  })

  it("has a server's folder found from where the file is", async () => {
    put("project/.mcp.json", { mcpServers: { s: { command: "s", cwd: "tools" } } })
    expect((await load()).mcp.s?.cwd).toBe(join(root, "home", "project", "tools"))
  })
})

describe("permission to call a tool of a server", () => {
  const access = (effect: "read" | "unknown") =>
    ({ permission: "mcp", target: "hub/search", effect }) as const
  const actions = (forAll: Parameters<typeof builtInAgents>[0], effect: "read" | "unknown") =>
    Object.fromEntries(
      builtInAgents(forAll).map(({ name, permission = [] }) => [name, judge(permission, access(effect))]),
    )

  it("is asked for by those who work, and by those who read if it only reads", () => {
    expect(actions([], "read")).toMatchObject({ build: "ask", general: "ask", plan: "ask", explore: "ask" })
    expect(actions([], "unknown")).toMatchObject({
      build: "ask",
      general: "ask",
      plan: "deny",
      explore: "deny",
    })
  })

  it("can be given by pattern, which lets nobody change anything who only reads", () => {
    const rule = { permission: "mcp", pattern: "hub/*", action: "allow" } as const
    expect(actions([rule], "read")).toMatchObject({ build: "allow", plan: "allow", explore: "allow" })
    expect(actions([rule], "unknown")).toMatchObject({ build: "allow", plan: "deny", explore: "deny" })
    const other = { permission: "mcp", pattern: "other/*", action: "allow" } as const
    expect(actions([other], "read")).toMatchObject({ build: "ask", plan: "ask" })
    const everything = { permission: "*", pattern: "*", action: "allow" } as const
    expect(actions([everything], "unknown")).toMatchObject({ build: "allow", plan: "deny" })
  })
})
