import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { toolOutput } from "../src/sources/mcp/output.js"
import type { McpServers } from "../src/sources/mcp/servers.js"
import { connected, folder, http, never, SERVER, stdio } from "./mcp-support.js"
import { processesIn } from "./processes.js"

const names = (servers: McpServers, name = "hub") =>
  servers
    .statuses()
    .find((status) => status.name === name)
    ?.tools.map((tool) => tool.name)

async function call(servers: McpServers, name: string, input: object = {}, signal = never) {
  const result = await servers.callTool("hub", name, { ...input }, { signal })
  return toolOutput(result, folder())
}

const WAYS = {
  stdio: async (habits: object) => stdio(habits),
  "streamable HTTP": async (habits: object) => ({ url: (await http(habits)).url }),
  "streamable HTTP that answers with JSON": async (habits: object) => ({
    type: "http" as const,
    url: (await http(habits, { json: true })).url,
  }),
  "event streams, as the first servers did": async (habits: object) => ({
    url: (await http(habits, { sse: true })).url,
  }),
}

describe.each(Object.entries(WAYS))("a server over %s", (_, way) => {
  it("is asked for its tools, page by page, and for what it says of them", async () => {
    const habits = { names: ["echo", "store", "wipe"], pages: 2, instructions: "Echo first." }
    const { servers, problems } = await connected({ hub: await way(habits) })
    expect(servers.statuses()).toMatchObject([
      { name: "hub", state: "connected", instructions: "Echo first." },
    ])
    expect(names(servers)).toEqual(["echo", "store", "wipe"])
    expect(problems).toEqual([])
    expect(await call(servers, "echo", { text: "hello" })).toEqual({ content: "echo: hello" })
  })

  it("has an answer of 50 MB refused, and goes on", async () => {
    const { servers } = await connected({ hub: await way({ names: ["echo", "big"] }) })
    const before = process.memoryUsage().rss
    await expect(call(servers, "big", { bytes: 50_000_000 })).rejects.toThrow(
      /over \d+ bytes, more than is taken/,
    )
    await expect(servers.readResource("hub", "memo://huge", never)).rejects.toThrow("more than is taken")
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000)
    expect(await call(servers, "echo", { text: "still here" })).toEqual({ content: "echo: still here" })
    expect(servers.statuses()[0]?.state).toBe("connected")
  })

  it("is connected anew when that is asked for", async () => {
    const { servers } = await connected({ hub: await way({ names: ["echo"] }) })
    const before = servers.statuses()[0]?.version ?? 0
    const status = await servers.reconnect("hub")
    expect(status).toMatchObject({ state: "connected", tools: [{ name: "echo" }] })
    expect(status?.version).toBeGreaterThan(before)
    expect(await call(servers, "echo", { text: "again" })).toEqual({ content: "echo: again" })
    expect(await servers.reconnect("nobody")).toBeUndefined()
  })

  it("is told that a call was given up", async () => {
    const file = join(folder(), "call")
    const { servers } = await connected({ hub: await way({ names: ["wait"], file }) })
    const abort = new AbortController()
    const waiting = servers.callTool("hub", "wait", {}, { signal: abort.signal })
    const saved = () => existsSync(file) && readFileSync(file, "utf8")
    await expect.poll(saved).toBe("waiting")
    abort.abort()
    await expect(waiting).rejects.toThrow("stopped before it answered")
    await expect.poll(saved).toBe("cancelled")
  })

  it("has its resources listed and read", async () => {
    const { servers } = await connected({ hub: await way({}) })
    await expect.poll(() => servers.resources().length).toBe(5)
    expect(servers.resources()).toContainEqual({ server: "hub", uri: "memo://today", name: "today" })
    expect(servers.resources()).toContainEqual({
      server: "hub",
      uri: "memo://{day}",
      name: "a day",
      template: true,
    })
    expect(await servers.readResource("hub", "memo://today", never)).toEqual({
      mediaType: "text/plain",
      text: "Water the plants.",
    })
    expect(await servers.readResource("hub", "memo://icon", never)).toMatchObject({
      mediaType: "image/png",
      bytes: 70,
    })
    const { text = "" } = await servers.readResource("hub", "memo://long", never)
    expect(text.length).toBeLessThan(50_000)
    expect(text).toMatch(/\[cut: 48000 of 200000 characters are shown\]$/)
    await expect(servers.readResource("hub", "memo://none", never)).rejects.toThrow("no memo://none")
  })
})

describe("a server that is a process", () => {
  it("has what it complains about in a file, and garbage on its output passed over", async () => {
    const { servers, cwd } = await connected({ hub: stdio({ complain: "no key given", garbage: true }) })
    expect(await call(servers, "echo", { text: "hi" })).toEqual({ content: "echo: hi" })
    const log = join(cwd, "home", "output", `mcp__hub__${process.pid}.log`)
    await expect.poll(() => existsSync(log) && readFileSync(log, "utf8")).toBe("no key given\n")
  })

  it("inherits no secrets but those it is given", async () => {
    const hub = stdio({ names: ["env"] }, { env: { GIVEN: "yes" } })
    const { servers } = await connected({ hub }, { env: { ANTHROPIC_API_KEY: "secret", LANG: "C" } })
    const shown = (name: string) => call(servers, "env", { name })
    expect(await shown("ANTHROPIC_API_KEY")).toEqual({ content: "not set" })
    expect(await shown("LANG")).toEqual({ content: "C" })
    expect(await shown("GIVEN")).toEqual({ content: "yes" })
  })

  it("that dies in a call has it answered, and is there for the next", async () => {
    const { servers, problems } = await connected({ hub: stdio({ names: ["echo", "die"] }) })
    await expect(call(servers, "die")).rejects.toThrow("The MCP server hub: the connection was closed.")
    expect(servers.statuses()[0]).toMatchObject({
      state: "gone",
      tools: [],
      why: "it ended with exit code 3",
    })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(
      /^The MCP server hub is gone: it ended with exit code 3\. It is tried again\. /,
    )
    expect(await call(servers, "echo", { text: "back" })).toEqual({ content: "echo: back" })
    expect(servers.statuses()[0]?.state).toBe("connected")
  })

  it("that cannot be started is reported with what to look at", async () => {
    const { servers, problems } = await connected({
      hub: { command: "no-such-program", from: "x.json: mcp.hub" },
    })
    expect(problems[0]).toContain(
      'The MCP server hub cannot be reached: "no-such-program" could not be started',
    )
    expect(problems[0]).toContain("See x.json: mcp.hub.")
    await expect(call(servers, "echo")).rejects.toThrow("The MCP server hub cannot be reached")
  })

  it("that ends at once says how", async () => {
    const { problems } = await connected({
      hub: { command: process.execPath, args: ["-e", "process.exit(9)"] },
    })
    expect(problems[0]).toContain("cannot be reached: it ended with exit code 9")
  })

  it("lacks a variable: it alone is not reached", async () => {
    const { servers, problems } = await connected({
      hub: stdio({}, { problem: "KEY is not set" }),
      other: stdio(),
    })
    expect(servers.statuses().map(({ state }) => state)).toEqual(["failed", "connected"])
    expect(problems).toHaveLength(1)
  })

  it("is ended with all it started", async () => {
    const [cwd, pipe] = [folder(), join(folder(), "pipe")]
    execFileSync("mkfifo", [pipe])
    // Ends when nobody holds the other end any more.
    const sleeping = readFile(pipe)
    const script = `sleep 600 > '${pipe}' & exec "$0" "$@"`
    const args = ["-c", script, process.execPath, SERVER, "{}"]
    const { servers } = await connected({ hub: { command: "sh", args, cwd }, other: stdio() })
    expect(processesIn(cwd)).not.toEqual([])
    await servers.close()
    expect(processesIn(cwd)).toEqual([])
    expect(await sleeping).toHaveLength(0)
  })

  it("that never answers is ended too, and nobody waits for it", async () => {
    const gate = join(folder(), "pid")
    execFileSync("mkfifo", [gate])
    const { McpServers } = await import("../src/sources/mcp/servers.js")
    const env = { PATH: process.env.PATH ?? "", SOTTO_HOME: folder() }
    const cwd = folder()
    const servers = new McpServers({ mcp: { hub: stdio({ pid: gate, hang: true }) } }, { cwd, env })
    servers.open()
    await readFile(gate)
    const limit = AbortSignal.timeout(50)
    await servers.settled(limit)
    expect(servers.statuses()).toMatchObject([{ state: "connecting", why: "it has not answered yet" }])
    await servers.close()
    expect(processesIn(cwd)).toEqual([])
  })
})

describe("a server over HTTP", () => {
  it("is sent the configured headers", async () => {
    const { url } = await http({ names: ["headers"] }, { token: "s3cret" })
    const { servers } = await connected({
      hub: { url, headers: { Authorization: "Bearer s3cret", "X-Team": "red" } },
    })
    expect(await call(servers, "headers", { name: "x-team" })).toEqual({ content: "red" })
    const { problems } = await connected({ hub: { url } })
    const wanted = "The MCP server hub needs you to log in: sotto mcp login hub"
    expect(problems).toEqual([wanted])
    const older = await http({}, { token: "s3cret", sse: true })
    const { problems: ofOlder, servers: guarded } = await connected({ hub: { url: older.url, type: "sse" } })
    expect(ofOlder).toEqual([wanted])
    expect(guarded.statuses()).toMatchObject([{ state: "login", tools: [] }])
  })

  it("that vanishes is gone, and back when it is", async () => {
    const first = await http({})
    const { servers, problems } = await connected({ hub: { url: first.url } })
    await first.stop()
    await expect(call(servers, "echo", { text: "anybody?" })).rejects.toThrow(/The MCP server hub/)
    await expect.poll(() => servers.statuses()[0]?.state).toBe("gone")
    expect(problems[0]).toContain("The MCP server hub is gone")
    await http({}, { port: first.port })
    const answer = () => call(servers, "echo", { text: "there" }).catch(() => undefined)
    await expect.poll(answer, { timeout: 20_000 }).toEqual({ content: "echo: there" })
  })

  it("that vanishes while nobody asks it is noticed", async () => {
    const { url, stop } = await http({})
    const { servers } = await connected({ hub: { url } })
    await stop()
    await expect.poll(() => servers.statuses()[0]?.state, { timeout: 10_000 }).toBe("gone")
  })

  it("that cannot be reached is reported", async () => {
    const { url, stop } = await http({})
    await stop()
    const { problems } = await connected({ hub: { url } })
    expect(problems[0]).toContain("ECONNREFUSED")
  })
})

describe("what a server offers", () => {
  it("is looked at anew when the server says that it changed", async () => {
    const { servers } = await connected({ hub: stdio({ names: ["echo", "grow", "shrink"] }) })
    const version = servers.statuses()[0]?.version
    await call(servers, "grow")
    await expect.poll(() => names(servers)).toContain("later")
    expect(servers.statuses()[0]?.version).not.toBe(version)
    await call(servers, "shrink")
    await expect.poll(() => names(servers)).not.toContain("echo")
    await expect(servers.tool("hub", "echo", never)).rejects.toThrow(
      'The MCP server hub has no tool "echo". It has: grow, shrink, later.',
    )
  })

  it("is cut where it is too much, and that is reported", async () => {
    const { servers, problems } = await connected({ hub: stdio({ names: [], many: 10_000, pages: 1_000 }) })
    expect(names(servers)).toHaveLength(128)
    expect(problems).toEqual(["The MCP server hub: It offers more than 128 tools; the others are left out."])
  })

  it("with a schema that nobody could send takes any input, and that is reported", async () => {
    const { servers, problems } = await connected({ hub: stdio({ names: ["odd", "echo"] }) })
    expect(names(servers)).toEqual(["odd", "echo"])
    expect(problems[0]).toContain('its type is not "object". Any input is taken.')
    expect(await call(servers, "odd", { any: "thing" })).toEqual({ content: "odd" })
  })

  it("of one server does not wait for another", async () => {
    const gate = join(folder(), "gate")
    execFileSync("mkfifo", [gate])
    const { McpServers } = await import("../src/sources/mcp/servers.js")
    const env = { PATH: process.env.PATH ?? "", SOTTO_HOME: folder() }
    const servers = new McpServers({ mcp: { slow: stdio({ gate }), hub: stdio() } }, { cwd: folder(), env })
    servers.open()
    expect(await call(servers, "echo", { text: "quick" })).toEqual({ content: "echo: quick" })
    expect(servers.statuses()[0]?.state).toBe("connecting")
    await writeFile(gate, "open")
    await servers.settled(never)
    expect(servers.statuses()[0]?.state).toBe("connected")
    await servers.close()
  })
})

describe("what a tool answers", () => {
  const ALL = ["media", "structured", "fail", "big", "wait"]

  it("is shown in parts, and images by what they really are", async () => {
    const { servers } = await connected({ hub: stdio({ names: ALL }) })
    const { content } = await call(servers, "media")
    expect(content).toEqual([
      { type: "text", text: "a picture" },
      { type: "image", mediaType: "image/png", data: expect.stringMatching(/^iVBOR/) },
      { type: "text", text: expect.stringMatching(/^\[image\/png, 17 bytes: saved as .*mcp-\w+\.bin\]$/) },
      { type: "text", text: "[memo://in]\nembedded" },
      { type: "text", text: "[a resource that can be read: the link, memo://link]" },
    ])
    expect(await call(servers, "structured")).toEqual({ content: '{"degrees":21}' })
    expect(await call(servers, "fail")).toEqual({ content: "it went wrong", error: true })
  })

  it("is shown by its beginning and end where it is long, and kept whole in a file", async () => {
    const { servers } = await connected({ hub: stdio({ names: ALL }) })
    const content = String((await call(servers, "big", { bytes: 300_000 })).content)
    expect(content.length).toBeLessThan(40_000)
    expect(content).toMatch(/^begin x/)
    expect(content).toMatch(/x end$/)
    const [, path = ""] = /all of it is in (\S+)\]/.exec(content) ?? []
    expect(readFileSync(path, "utf8")).toHaveLength(300_010)
  })

  it("is announced by what it says on the way", async () => {
    const { servers } = await connected({ hub: stdio({ names: ALL }) })
    const abort = new AbortController()
    const line = new Promise((onProgress) => {
      void servers.callTool("hub", "wait", {}, { signal: abort.signal, onProgress }).catch(() => undefined)
    })
    expect(await line).toBe("half way")
    abort.abort()
  })

  it("is not waited for longer than configured", async () => {
    const { servers } = await connected({ hub: stdio({ names: ALL }, { timeout: 0.1 }) })
    await expect(call(servers, "wait")).rejects.toThrow("The MCP server hub: no answer within 0.1 s.")
    expect(servers.statuses()[0]?.state).toBe("connected")
  })
})

describe("without servers", () => {
  it("nothing is loaded, and asking says so", async () => {
    const { servers } = await connected({})
    expect(servers.names).toEqual([])
    expect(servers.resources()).toEqual([])
    await expect(servers.readResource("x", "y", never)).rejects.toThrow(
      'There is no MCP server "x". There are none.',
    )
  })
})
