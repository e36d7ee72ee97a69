import { createHash } from "node:crypto"

/** What providers take for the name of a tool. */
const LONGEST = 64

/**
 * Names each server within the names of its tools: without two underscores in a row or one at its end, so that
 * `mcp__server__tool` can be taken apart in one way only and no two servers can come to the same name.
 */
export function prefixes(servers: readonly string[]): ReadonlyMap<string, string> {
  const plain = servers.map((server) => [server, plainName(server).replace(/_+/g, "_").replace(/^_|_$/g, "")])
  const found = new Map<string, string>()
  const taken = new Set<string>()
  for (const [server = "", name = ""] of plain) {
    const short =
      name === "" || name.length > LONGEST / 2 || taken.has(name) ? hashed(server, name, LONGEST / 2) : name
    taken.add(short)
    found.set(server, `mcp__${short}__`)
  }
  return found
}

/** Names for the tools of one server, whatever it calls them: each fit for every provider, no two alike. */
export function toolNames(prefix: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const exact = new Set(tools.filter((tool) => plainName(tool) === tool))
  const found = new Map<string, string>()
  const taken = new Set<string>()
  for (const tool of tools) {
    const name = plainName(tool)
    const fits = name !== "" && prefix.length + name.length <= LONGEST
    const free = name === tool || !(exact.has(name) || taken.has(name))
    if (fits && free) taken.add(name)
    found.set(tool, prefix + (fits && free ? name : hashed(tool, name, LONGEST - prefix.length)))
  }
  return found
}

/** Replaces every character that a name of a tool must not have. */
export function plainName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_")
}

function hashed(whole: string, name: string, length: number): string {
  const hash = createHash("sha256").update(whole).digest("hex").slice(0, 8)
  return `${name.slice(0, length - hash.length - 1)}_${hash}`.replace(/^_/, "")
}
