import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { calls, endured, program, systemTexts } from "./hostile-scene.js"
import { APPROVALS, HOOK_REPLIES, type HookReply } from "./replies-hook.js"
import { type LanguageReply, LSP_REPLIES } from "./replies-lsp.js"
import { MCP_CALLS, MCP_SERVERS } from "./replies-mcp.js"

const ALL = [...MCP_CALLS, ...MCP_SERVERS, ...LSP_REPLIES, ...HOOK_REPLIES, ...APPROVALS]
const done = { text: "Done." }

/** Servers that never stop talking take long to be given up: of those one is enough, unless the long form is asked for. */
const isLong = process.env.SOTTO_ATTACKS === "long"
const SERVERS = MCP_SERVERS.filter(
  ({ name }) => isLong || !/^(an )?endless (line|messages|requests)\b/.test(name),
)

/** Files that the user's configuration refers to, by their name from the folder that holds `work` and `home`. */
function scripts(kind: string, all: readonly unknown[]): Readonly<Record<string, string>> {
  return Object.fromEntries(all.map((one, i) => [`home/${kind}${i}.json`, JSON.stringify(one)]))
}

function mcpServer(i: number, more: object = {}): object {
  const args = [program("mcp"), `../home/mcp${i}.json`, `../home/mcp${i}.log`]
  return { command: process.execPath, args, timeout: 2, ...more }
}

/** What the server of the number was asked, by method. */
function heard(root: string, kind: string, i: number): readonly { method?: string; params?: unknown }[] {
  const path = join(root, "home", `${kind}${i}.log`)
  if (!existsSync(path)) return []
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line))
}

/** Every reply whose words did not arrive. */
function untold(
  all: readonly { readonly name: string; readonly told?: string }[],
  outputs: readonly (string | undefined)[],
): readonly unknown[] {
  return all.flatMap(({ name, told = "" }, i) =>
    outputs[i]?.includes(told) === true ? [] : [{ name, told, got: outputs[i]?.slice(0, 300) }],
  )
}

describe("hostile replies", () => {
  it("are as many as docs/trust.md says", () => {
    const page = readFileSync(new URL("../../../../docs/trust.md", import.meta.url), "utf8")
    expect(page).toContain(`| replies of MCP servers, language servers and hooks | ${ALL.length} |`)
  })

  it("are at least sixty, and different ones", () => {
    expect(ALL.length).toBeGreaterThanOrEqual(60)
    for (const group of [MCP_CALLS, MCP_SERVERS, LSP_REPLIES, HOOK_REPLIES, APPROVALS])
      expect(new Set(group.map(({ name }) => name)).size).toBe(group.length)
  })
})

describe("an MCP server", () => {
  it(`gets nowhere with ${MCP_CALLS.length} answers to a call`, async () => {
    const tools = MCP_CALLS.map((_, i) => ({ name: `c${i}`, inputSchema: { type: "object" } }))
    const script = {
      "tools/list": [`{"jsonrpc":"2.0","id":@ID@,"result":${JSON.stringify({ tools })}}\n`],
      ...Object.fromEntries(MCP_CALLS.map(({ pieces }, i) => [`tools/call c${i}`, pieces])),
    }
    const { root, outputs, requests } = await endured({
      steps: [calls(...MCP_CALLS.map((_, i) => ({ name: `mcp__h__c${i}`, input: {} }))), done],
      files: scripts("mcp", [script]),
      config: { mcp: { h: mcpServer(0, { timeout: 10 }) }, collectTimeout: 5_000 },
      yes: true,
    })
    expect(untold(MCP_CALLS, outputs)).toEqual([])
    expect(systemTexts(requests)).not.toContain("HOSTILE")
    expect(readdirSync(root).sort()).toEqual(["home", "work"])
    expect(readdirSync(join(root, "work"))).toEqual(["a.txt"])
    const listings = heard(root, "mcp", 0).filter(({ method }) => method === "tools/list")
    expect(listings.length).toBeLessThan(100)
    const pings = heard(root, "mcp", 0).filter(({ method }) => method === "ping")
    expect(pings.length).toBeLessThan(100)
  })

  it(`gets nowhere with ${SERVERS.length} ways to introduce itself`, async () => {
    const open = SERVERS.filter(({ silent }) => silent !== true)
    const { root, outputs, requests, reports } = await endured({
      steps: [
        { text: "Waiting.", calls: [{ name: "read", input: { path: "a.txt" } }] },
        calls(
          ...open.map((reply) => ({
            name: "mcp",
            input: {
              server: `h${SERVERS.indexOf(reply)}`,
              ...(reply.call !== undefined && { tool: reply.call, input: { a: `${"a".repeat(40)}!` } }),
            },
          })),
        ),
        done,
      ],
      files: scripts(
        "mcp",
        SERVERS.map(({ script }) => script),
      ),
      config: {
        mcp: Object.fromEntries(SERVERS.map((_, i) => [`h${i}`, mcpServer(i)])),
        collectTimeout: 4_000,
      },
      yes: true,
    })
    expect(untold(open, outputs.slice(1))).toEqual([])
    expect(systemTexts(requests)).not.toContain("HOSTILE")
    expect(readdirSync(join(root, "work"))).toEqual(["a.txt"])
    for (const { body } of requests) {
      const { tools } = body as { readonly tools: readonly { readonly name: string }[] }
      const names = tools.map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
      for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
      for (const name of ["bash", "read"]) expect(names.filter((one) => one === name)).toHaveLength(1)
    }
    for (const i of SERVERS.keys())
      for (const method of ["tools/list", "ping"]) {
        const times = heard(root, "mcp", i).filter((one) => one.method === method).length
        expect({ server: SERVERS[i]?.name, method, few: times <= 110 }).toMatchObject({ few: true })
      }
    expect(reports().length).toBeLessThan(3 * SERVERS.length)
  })

  it("runs nothing unasked because it says that its tools only read", async () => {
    const annotations = { readOnlyHint: true, destructiveHint: false, openWorldHint: false }
    const tools = [
      { name: "t", inputSchema: { type: "object" }, annotations },
      { name: "*", inputSchema: { type: "object" }, annotations },
      { name: "denied", inputSchema: { type: "object" }, annotations },
    ]
    const script = {
      "tools/list": [`{"jsonrpc":"2.0","id":@ID@,"result":${JSON.stringify({ tools })}}\n`],
      "tools/call": ['{"jsonrpc":"2.0","id":@ID@,"result":{"content":[]}}\n'],
    }
    const steps = [
      calls(
        { name: "mcp__h__t", input: {} },
        { name: "mcp", input: { server: "h", tool: "*", input: {} } },
        { name: "mcp", input: { server: "h", tool: "denied", input: {} } },
        { name: "mcp", input: { server: "h", resource: "memo://x" } },
      ),
      done,
    ]
    const config = {
      mcp: { h: mcpServer(0) },
      collectTimeout: 5_000,
      permission: { mcp: { "h/denied": "deny" } },
    }
    const asked = (root: string) =>
      heard(root, "mcp", 0).flatMap(({ method, params }) =>
        method === "tools/call" || method === "resources/read" ? [params] : [],
      )
    for (const agent of ["build", "plan"]) {
      const { root, outputs } = await endured({ steps, config, agent, files: scripts("mcp", [script]) })
      expect(outputs).toHaveLength(4)
      expect(asked(root)).toEqual([])
    }
    const { root } = await endured({ steps, config, yes: true, files: scripts("mcp", [script]) })
    expect(asked(root)).toMatchObject([{ name: "t" }, { name: "*" }, { uri: "memo://x" }])
  })
})

describe("a language server", () => {
  const speaking = LSP_REPLIES.filter(({ told }) => told !== undefined)
  const silent = LSP_REPLIES.filter(({ told }) => told === undefined)

  it(`gets nowhere with ${speaking.length} replies before a true one`, () => watched(speaking, 60_000))

  it(`gets nowhere with ${silent.length} replies and no true one`, () => watched(silent, 3_000))

  async function watched(replies: readonly LanguageReply[], collectTimeout: number): Promise<void> {
    const path = (i: number) => `f${i}.x${i}`
    const wait = { calls: [{ name: "read", input: { path: "a.txt" } }] }
    const { root, requests, reports, events } = await endured({
      steps: [
        calls(...replies.map((_, i) => ({ name: "write", input: { path: path(i), content: "one\n" } }))),
        wait,
        wait,
        wait,
        done,
      ],
      files: scripts(
        "lsp",
        replies.map(({ script }) => script),
      ),
      config: {
        lsp: Object.fromEntries(
          replies.map((_, i) => [
            `h${i}`,
            {
              command: [process.execPath, program("lsp"), `../home/lsp${i}.json`, `../home/lsp${i}.log`],
              extensions: [`.x${i}`],
            },
          ]),
        ),
        collectTimeout,
      },
      yes: true,
    })
    const told = events.flatMap((event) =>
      event.type === "reminder" && event.kind === "diagnostics" ? [event.text] : [],
    )
    const missing = replies.flatMap(({ name, told: words = "" }, i) =>
      words === "" || told.some((one) => one.includes(path(i)) && one.includes(words)) ? [] : [name],
    )
    expect(missing).toEqual([])
    expect(systemTexts(requests)).not.toContain("HOSTILE")
    expect(told.join("\n")).not.toContain("outside")
    expect(readdirSync(join(root, "work")).sort()).toEqual(
      ["a.txt", ...replies.map((_, i) => path(i))].sort(),
    )
    for (const i of replies.keys()) {
      expect(readFileSync(join(root, "work", path(i)), "utf8")).toBe("one\n")
      const questions = heard(root, "lsp", i).filter(({ method }) => method === "textDocument/diagnostic")
      expect({ name: replies[i]?.name, few: questions.length < 100 }).toMatchObject({ few: true })
    }
    expect(reports().length).toBeLessThan(2 * replies.length)
  }
})

describe("a hook", () => {
  const hook = ({ linger }: HookReply, i: number) => ({
    command: `${process.execPath} ${program("hook")} ../home/hook${i}.json`,
    name: `h${i}`,
    timeout: linger ? 2 : 30,
  })

  for (const event of ["session_start", "after_tool"])
    it(`gets nowhere with ${HOOK_REPLIES.length} answers to ${event}`, async () => {
      const { root, sent, reports } = await endured({
        steps: [calls({ name: "read", input: { path: "a.txt" } }), done],
        files: scripts("hook", HOOK_REPLIES),
        config: { hooks: { [event]: HOOK_REPLIES.map(hook) } },
      })
      const missing = HOOK_REPLIES.filter(({ told = "" }) => !sent().includes(told)).map(({ name }) => name)
      expect(missing).toEqual([])
      expect(reports().join("\n")).not.toContain("(inherited)")
      expect(reports().join("\n")).toContain("no answer within 2 s")
      expect(readdirSync(join(root, "work"))).toEqual(["a.txt"])
    })

  it(`allows nothing with ${APPROVALS.length} answers before a call`, async () => {
    const { root, outputs } = await endured({
      steps: [
        calls(
          { name: "bash", input: { command: "touch denied" } },
          { name: "bash", input: { command: "touch asked" } },
          { name: "write", input: { path: "denied.txt", content: "x" } },
          { name: "bash", input: { command: "echo plain" } },
        ),
        done,
      ],
      files: scripts("hook", APPROVALS),
      config: {
        permission: { bash: { "touch denied": "deny" }, edit: { "denied.txt": "deny" } },
        hooks: { before_tool: APPROVALS.map(hook), prompt: APPROVALS.map(hook) },
      },
    })
    expect(readdirSync(join(root, "work"))).toEqual(["a.txt"])
    expect(outputs[3]).toContain("plain")
  })

  it("cannot keep a turn from its end", async () => {
    const reply = { name: "never", out: [JSON.stringify({ block: "Go on." })] }
    const { reports } = await endured({
      steps: [done],
      files: scripts("hook", [reply]),
      config: { hooks: { stop: [hook(reply, 0)] } },
    })
    expect(reports().join("\n")).toContain("that is enough")
  })
})
