import { loadConfig } from "../config/load.js"
import type { Place } from "../config/places.js"
import { McpServers, type ServerStatus } from "./servers.js"

/** Milliseconds: somebody waits for the answer. */
const LIMIT = 10_000

/** Connects every server that is configured for a directory, and says how that went. */
export async function checkMcpServers(place: Place): Promise<readonly ServerStatus[]> {
  const servers = new McpServers(await loadConfig(place), place)
  servers.open()
  await servers.settled(AbortSignal.timeout(LIMIT))
  const statuses = servers.statuses()
  await servers.close()
  return statuses
}
