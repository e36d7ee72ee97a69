import { parseArgs } from "node:util"
import { redact } from "@sotto/core/secrets"
import {
  type Config,
  configuredSecrets,
  decideTrust,
  type FolderTrust,
  knownSecrets,
  loadConfig,
  type McpServerConfig,
  McpServers,
  promptName,
  readLogins,
  type ServerStatus,
} from "@sotto/harness"
import { type ExitWatch, watchForLeaving } from "../exit.js"
import { oneLine } from "../screen/inert.js"
import { err, out } from "../screen/printer.js"
import { EXIT, UsageError } from "../usage.js"
import type { CommandOptions } from "./subcommand.js"

export const LIST_OPTIONS = {
  json: { type: "boolean", help: "as JSON" },
  timeout: { type: "string", value: "SECONDS", help: "how long a server, or you at a login, may take" },
} as const satisfies CommandOptions

const USUAL_TIMEOUT = 10

/** What the configuration of this folder says of MCP servers, and what of it is not trusted. */
export interface KnownServers {
  readonly config: Config
  readonly trust: FolderTrust
  /** Names of the servers that are left out because the folder is not trusted. */
  readonly untrusted: readonly string[]
}

export async function knownServers(): Promise<KnownServers> {
  const place = { cwd: process.cwd(), env: process.env }
  const trust = await decideTrust(place)
  const config = await loadConfig({ ...place, trusted: trust.trusted, folder: trust.folder })
  const { problem } = readLogins(process.env)
  for (const notice of [...trust.notices, ...(config.notices ?? []), ...(problem ? [problem] : [])])
    err.line(`sotto: ${notice}`)
  const untrusted = trust.leftOut.flatMap(({ what, where }) =>
    what === "MCP server" ? [where.replace(/^.*?: (?:mcp|mcpServers)\./, "")] : [],
  )
  return {
    config,
    trust,
    untrusted: [...new Set(untrusted)].filter((name) => !Object.hasOwn(config.mcp, name)),
  }
}

/** One server as it is listed. */
interface ListedServer {
  readonly name: string
  readonly state: ServerStatus["state"] | "off" | "untrusted"
  /** Why it is not connected, and what to do. */
  readonly why?: string
  readonly tools?: readonly { readonly name: string; readonly description: string }[]
  readonly prompts?: readonly string[]
  /** Its command, or its address. */
  readonly at?: string
  readonly from?: string
  /** The file with what it printed. */
  readonly log?: string
}

export async function list(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: LIST_OPTIONS,
    allowPositionals: true,
  })
  if (positionals.length > 0) throw new UsageError("One server alone: sotto mcp show NAME.")
  const known = await knownServers()
  const { servers, code } = await connected(known, known.config.mcp, timeoutIn(values.timeout, USUAL_TIMEOUT))
  if (code !== undefined) return code
  const all = [...servers, ...known.untrusted.map(untrustedServer)]
  if (values.json) out.json(JSON.stringify(all, null, 2))
  else if (all.length === 0) out.line("There are no MCP servers. `sotto mcp add --help` says how to add one.")
  else {
    const width = Math.max(...all.map(({ name }) => name.length)) + 2
    for (const server of all) {
      out.line(`${oneLine(server.name).padEnd(width)}${oneLine(stateText(server))}`)
      if (server.at !== undefined) out.line(`${" ".repeat(width)}${oneLine(server.at)}`)
    }
  }
  return EXIT.done
}

export async function show(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: LIST_OPTIONS,
    allowPositionals: true,
  })
  const [name, ...more] = positionals
  if (name === undefined || more.length > 0) throw new UsageError("Which server? sotto mcp show NAME.")
  const known = await knownServers()
  const config = serverNamed(name, known)
  const { servers, code } = await connected(
    known,
    { [name]: config },
    timeoutIn(values.timeout, USUAL_TIMEOUT),
  )
  const [server] = servers
  if (code !== undefined || server === undefined) return code ?? EXIT.failed
  if (values.json) out.json(JSON.stringify(server, null, 2))
  else {
    out.line(`${server.name}: ${oneLine(stateText(server))}`)
    for (const line of [
      server.at,
      server.from && `from ${server.from}`,
      server.log && `what it prints: ${server.log}`,
    ])
      if (line) out.line(`  ${oneLine(line)}`)
    for (const tool of server.tools ?? []) out.line(`  ${oneLine(`${tool.name}  ${tool.description}`)}`)
    for (const prompt of server.prompts ?? []) out.line(`  ${oneLine(`/${prompt}`)}`)
  }
  return server.state === "connected" ? EXIT.done : EXIT.failed
}

/** Finds a server by its name. Throws UsageError, which says why it cannot be used. */
export function serverNamed(name: string, { config, untrusted, trust }: KnownServers): McpServerConfig {
  const found = Object.hasOwn(config.mcp, name) ? config.mcp[name] : undefined
  if (found !== undefined) return found
  if (untrusted.includes(name))
    throw new UsageError(
      `"${name}" is a server of ${trust.folder}, which you do not trust. Look at what the folder brings along: sotto trust add shows it, and trusts it.`,
    )
  const names = Object.keys(config.mcp)
  const there =
    names.length === 0 ? "There are none: `sotto mcp add` adds one." : `There are: ${names.join(", ")}.`
  throw new UsageError(`There is no MCP server "${name}". ${there}`)
}

/** Reads `--timeout`: milliseconds. */
export function timeoutIn(given: string | undefined, usual: number): number {
  const seconds = given === undefined ? usual : Number(given)
  if (!(seconds > 0 && seconds <= 3_600))
    throw new UsageError(`--timeout ${given}: use a number of seconds, up to 3600.`)
  return seconds * 1_000
}

/** Connects to all of these at the same time, and says of each how that went within the limit. */
async function connected(
  { config, trust }: KnownServers,
  mcp: Config["mcp"],
  limit: number,
): Promise<{ readonly servers: readonly ListedServer[]; readonly code?: number }> {
  const place = { cwd: process.cwd(), env: process.env, trusted: trust.trusted, folder: trust.folder }
  const servers = new McpServers({ mcp, ...(config.pass && { pass: config.pass }) }, place)
  const leaving: ExitWatch = watchForLeaving()
  try {
    servers.open()
    await servers.settled(AbortSignal.any([leaving.signal, AbortSignal.timeout(limit)]))
    if (leaving.code !== undefined) return { servers: [], code: leaving.code }
    const statuses = new Map(servers.statuses().map((status) => [status.name, status]))
    const secrets = [...knownSecrets(process.env), ...configuredSecrets({ mcp })]
    const shown = (text: string) => redact(text, secrets)
    return {
      servers: Object.entries(mcp).map(([name, server]) =>
        listed(name, server, statuses.get(name), limit, shown),
      ),
    }
  } finally {
    await servers.close()
    leaving.stop()
  }
}

function listed(
  name: string,
  { command, args = [], url, from }: McpServerConfig,
  status: ServerStatus | undefined,
  limit: number,
  shown: (text: string) => string,
): ListedServer {
  const at = url ?? (command === undefined ? undefined : [command, ...args].join(" "))
  const where = { ...(at !== undefined && { at: shown(at) }), ...(from !== undefined && { from }) }
  if (status === undefined) return { name, state: "off", ...where }
  const { state, why, tools, prompts, prefix, log } = status
  const reason = state === "connecting" ? `no answer within ${limit / 1_000} s` : why
  return {
    name,
    state,
    ...(reason !== undefined && { why: shown(reason) }),
    ...(state === "connected" && {
      tools: tools.map((tool) => ({
        name: tool.name,
        description: tool.description.split("\n", 1)[0] ?? "",
      })),
      prompts: prompts.map((prompt) => promptName(prefix, prompt.name)),
    }),
    ...where,
    ...(log !== undefined && { log }),
  }
}

function untrustedServer(name: string): ListedServer {
  return { name, state: "untrusted", why: "this folder is not trusted: sotto trust add" }
}

function stateText({ state, why, tools = [], prompts = [] }: ListedServer): string {
  switch (state) {
    case "connected": {
      const prompted = prompts.length === 0 ? "" : `, ${counted(prompts.length, "prompt")}`
      return `connected, ${counted(tools.length, "tool")}${prompted}`
    }
    case "off":
      return "switched off in the configuration"
    case "login":
      return why ?? "it needs you to log in"
    case "untrusted":
      return `left out: ${why}`
    default:
      return `not connected: ${why ?? "no reason given"}`
  }
}

function counted(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`
}
