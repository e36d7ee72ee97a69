import { dynamic, type FactValue, removed } from "@sotto/core"
import { startOf } from "../../platform/text/text.js"
import { within } from "../../platform/wait.js"
import { USUAL } from "../../settings/config/usual.js"
import type { Config } from "../../settings/load.js"
import type { Tool } from "../../tools/tool.js"
import type { Source, SourceContext } from "../source.js"
import { signatureOf } from "./schema.js"
import type { McpServers, ServerStatus } from "./servers.js"
import { serverTool } from "./tools.js"

const FAMILY = "tools:"

/** Of what a first step waits for all its sources, so much is for servers to answer. */
const SHARE = 0.9

const LONGEST_DESCRIPTION = 300

interface McpSettings {
  readonly mcp: McpServers
  readonly config: Pick<Config, "collectTimeout">
}

/**
 * Tells what MCP servers offer. What is there before the first request is in its list of tools; what comes or goes later
 * is told as a difference, because a list that was sent stays as it is.
 */
export function mcp(context: SourceContext, { mcp: servers, config }: McpSettings): Source {
  const { session, isSubagent } = context
  const told = new Map<string, number>()
  const offered = new Map<string, readonly Tool[]>()
  const awaited = new WeakSet<Promise<void>>()
  const stopListening = isSubagent ? () => undefined : servers.onProblem(context.report)
  let first = true
  servers.open()

  const tell = () => {
    if (first) forgetUnknown(context, servers)
    first = false
    const all = servers.statuses()
    const news = all.filter(
      ({ name, state, version }) => state !== "connecting" && told.get(name) !== version,
    )
    for (const status of news) {
      const { name, state, tools } = status
      told.set(name, status.version)
      if (state === "connected") session.observe(`${FAMILY}${name}`, factOf(status, session))
      else if (session.facts(FAMILY + name).length > 0) session.observe(`${FAMILY}${name}`, removed())
      if (state === "connected")
        offered.set(
          name,
          tools.map((tool) => serverTool(servers, name, tool)),
        )
      // One that is tried again keeps its place in the list: it comes and goes, and the list would with it.
      else if (state === "failed" || state === "login") offered.delete(name)
    }
    // What an earlier run of the session offered stays until it is known what there is now.
    const isEarly = hasBegun(session) && all.some(({ state }) => state === "connecting")
    if (news.length > 0 && !isEarly) context.offer([...offered.values()].flat())
  }

  return {
    name: "MCP servers",
    // For as long as a step may wait, and for each work once; who answers later is told later.
    collect: (signal) => {
      const fresh = servers.pending().filter((work) => !awaited.has(work))
      for (const work of fresh) awaited.add(work)
      if (fresh.length === 0) return tell()
      const limit = Math.round((config.collectTimeout ?? USUAL.collectTimeout) * SHARE)
      return within(limit, Promise.all(fresh), signal).then(() => {
        if (first && !signal.aborted) reportLate(context, servers, limit)
        tell()
      })
    },
    // The next list of tools has all there is, and nothing needs another way to be called.
    compacted: () => {
      for (const status of servers.statuses())
        if (status.state === "connected") session.observe(`${FAMILY}${status.name}`, factOf(status, session))
    },
    close: () => void stopListening(),
  }
}

function reportLate({ report }: SourceContext, servers: McpServers, limit: number): void {
  const late = servers.statuses().filter(({ state }) => state === "connecting")
  if (late.length === 0) return
  const names = late.map(({ name }) => name).join(", ")
  report(
    `Not connected within ${limit} ms: the MCP server ${names}. The step goes on without; its tools are told when it answers.`,
    "notice",
  )
}

/** Servers that a stored session knew and that are no longer configured. */
function forgetUnknown({ session }: SourceContext, servers: McpServers): void {
  const names = new Set(servers.names.map((name) => FAMILY + name))
  for (const [key] of session.facts("tools")) if (!names.has(key)) session.observe(dynamic(key), removed())
}

type Session = SourceContext["session"]

function factOf({ name, tools, instructions }: ServerStatus, session: Session): FactValue<"tools:*"> {
  return {
    tools: tools.map(({ listed, description, inputSchema }) => ({
      name: listed,
      input: signatureOf(inputSchema),
      description: startOf(description, LONGEST_DESCRIPTION),
    })),
    ...(instructions !== undefined && instructions !== "" && { instructions }),
    ...(isUnderWay(session) && { how: howToCall(name) }),
  }
}

function howToCall(server: string): string {
  return `Call what is not in your list of tools with the tool mcp: {"server": ${JSON.stringify(server)}, "tool": NAME, "input": {…}}; without input it answers with the tool's schema.`
}

/** True if a list of tools has been sent that stays for now. */
function isUnderWay({ log }: Session): boolean {
  return log.findLast(({ type }) => type === "step" || type === "compacted")?.type === "step"
}

function hasBegun({ log }: Session): boolean {
  return log.some(({ type }) => type === "step")
}
