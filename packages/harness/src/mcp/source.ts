import { removed } from "@sotto/core"
import type { Source, Stage } from "../sources/source.js"
import { startOf } from "../tools/excerpt.js"
import { signatureOf } from "./schema.js"
import type { McpServers, ServerStatus } from "./servers.js"
import { serverTool } from "./tools.js"

const FAMILY = "tools:"

/** Of what a first step waits for all its sources, so much is for servers to answer. */
const SHARE = 0.9
const USUAL_WAIT = 1_000

const LONGEST_DESCRIPTION = 300

/**
 * Tells what MCP servers offer. What is there before the first request is in its list of tools; what comes or goes later
 * is told as a difference, because a list that was sent stays as it is.
 */
export function mcp(stage: Stage): Source {
  const { session, workplace, isSubagent } = stage
  const servers = workplace.mcp
  const told = new Map<string, number>()
  const stopListening = isSubagent ? () => undefined : servers.onProblem(stage.report)
  let first = true
  servers.open()

  const tell = (all: readonly ServerStatus[]) => {
    const news = all.filter(
      ({ name, state, version }) => state !== "connecting" && told.get(name) !== version,
    )
    if (news.length === 0) return
    for (const status of news) {
      told.set(status.name, status.version)
      if (status.state === "connected") session.observe(FAMILY + status.name, factOf(status, session))
      else if (isKnown(session, FAMILY + status.name)) session.observe(FAMILY + status.name, removed())
    }
    offer(all)
  }

  const offer = (all: readonly ServerStatus[]) => {
    // What an earlier run of the session offered stays until it is known what there is now.
    if (hasBegun(session) && all.some(({ state }) => state === "connecting")) return
    stage.offer(all.flatMap(({ name, tools }) => tools.map((tool) => serverTool(servers, name, tool))))
  }

  return {
    name: "MCP servers",
    collect: async (signal) => {
      if (first) await answered(servers, stage, signal)
      if (first) forgetUnknown(stage)
      first = false
      tell(servers.statuses())
    },
    // The next list of tools has all there is, and nothing needs another way to be called.
    compacted: () => {
      for (const status of servers.statuses())
        if (status.state === "connected") session.observe(FAMILY + status.name, factOf(status, session))
    },
    close: () => void stopListening(),
  }
}

/** Waits for as long as a step may; who answers later is told later. */
async function answered(
  servers: McpServers,
  { workplace, report }: Stage,
  signal: AbortSignal,
): Promise<void> {
  const limit = (workplace.config.collectTimeout ?? USUAL_WAIT) * SHARE
  await servers.settled(AbortSignal.any([signal, AbortSignal.timeout(limit)]))
  const late = servers.statuses().filter(({ state }) => state === "connecting")
  if (late.length > 0 && !signal.aborted)
    report(
      `Not connected within ${Math.round(limit)} ms: the MCP server ${late.map(({ name }) => name).join(", ")}. The step goes on without; its tools are told when it answers.`,
    )
}

/** Servers that a stored session knew and that are no longer configured. */
function forgetUnknown({ session, workplace }: Stage): void {
  const names = new Set(workplace.mcp.names.map((name) => FAMILY + name))
  const known = session.log.flatMap((entry) => (entry.type === "observed" ? [entry.key] : []))
  for (const key of new Set(known))
    if (key.startsWith(FAMILY) && !names.has(key)) session.observe(key, removed())
}

type Session = Stage["session"]

function factOf({ name, tools, instructions }: ServerStatus, session: Session): object {
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

/** A list of tools has been sent that stays for now. */
function isUnderWay({ log }: Session): boolean {
  return log.findLast(({ type }) => type === "step" || type === "compacted")?.type === "step"
}

function hasBegun({ log }: Session): boolean {
  return log.some(({ type }) => type === "step")
}

function isKnown({ log }: Session, key: string): boolean {
  return log.some((entry) => entry.type === "observed" && entry.key === key)
}
