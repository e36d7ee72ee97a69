import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterEach } from "vitest"
import type { McpServerConfig } from "../src/settings/config/variables.js"
import { McpServers } from "../src/sources/mcp/servers.js"

/** A real MCP server, which takes its habits as JSON. */
export const SERVER = fileURLToPath(new URL("./mcp-server.mjs", import.meta.url))

export function stdio(habits: object = {}, more: McpServerConfig = {}): McpServerConfig {
  return { command: process.execPath, args: [SERVER, JSON.stringify(habits)], ...more }
}

export interface HttpServer {
  readonly url: string
  readonly port: number
  stop(): Promise<void>
}

const leftovers: (() => unknown)[] = []
afterEach(async () => {
  for (const clear of leftovers.splice(0).reverse()) await clear()
})

/** The same server, over HTTP on loopback. */
export async function http(habits: object = {}, how: object = {}): Promise<HttpServer> {
  const child: ChildProcess = spawn(process.execPath, [SERVER, JSON.stringify({ ...habits, http: how })], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const ended = once(child, "exit")
  const stop = async () => {
    child.kill("SIGKILL")
    await ended
  }
  leftovers.push(stop)
  if (child.stdout === null) throw new Error("no output")
  const [line] = await once(createInterface(child.stdout), "line")
  const { port } = JSON.parse(String(line))
  return { port, url: `http://127.0.0.1:${port}/mcp`, stop }
}

export function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "sotto-mcp-")))
  leftovers.push(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Servers of a workplace, connected as far as they can be. */
export async function connected(
  mcp: Readonly<Record<string, McpServerConfig>>,
  { cwd = folder(), env = {} }: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
): Promise<{ readonly servers: McpServers; readonly problems: string[]; readonly cwd: string }> {
  const home = join(cwd, "home")
  const servers = new McpServers(
    { mcp },
    { cwd, env: { PATH: process.env.PATH ?? "", SOTTO_HOME: home, ...env } },
  )
  leftovers.push(() => servers.close())
  const problems: string[] = []
  servers.onProblem((problem) => problems.push(problem))
  servers.open()
  await servers.settled(new AbortController().signal)
  return { servers, problems, cwd }
}

export const never = new AbortController().signal
