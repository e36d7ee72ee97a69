import { stat } from "node:fs/promises"
import { type Location, locate } from "../../platform/workspace/location.js"
import type { Mention } from "./parse.js"

export interface LineRange {
  readonly from: number
  readonly to: number
}

/** What a mention stands for. */
export type Target =
  | { readonly is: "file"; readonly place: Location; readonly lines?: LineRange }
  | { readonly is: "directory"; readonly place: Location }
  | { readonly is: "agent"; readonly agent: string }
  | { readonly is: "resource"; readonly server: string; readonly uri: string }
  | { readonly is: "missing" }

export interface Names {
  readonly cwd: string
  /** Agents that can be asked to do something. */
  readonly agents: readonly string[]
  /** MCP servers. */
  readonly servers: readonly string[]
}

/** Finds out what is meant. What exists under the very name counts before a part of the name does. */
export async function targetOf({ name }: Mention, { cwd, agents, servers }: Names): Promise<Target> {
  if (agents.includes(name)) return { is: "agent", agent: name }
  const whole = await pathTarget(name, cwd)
  if (whole !== undefined) return whole
  const [, server = "", uri = ""] = /^([^:\s]+?):(.+)$/.exec(name) ?? []
  if (servers.includes(server)) return { is: "resource", server, uri }
  const ranged = await lineTarget(name, cwd)
  if (ranged !== undefined) return ranged
  // Words in a script without spaces go on right after a path.
  const latin = /^[!-~]+(?=[^!-~])/.exec(name)?.[0]
  if (latin === undefined) return { is: "missing" }
  return (await pathTarget(latin, cwd)) ?? (await lineTarget(latin, cwd)) ?? { is: "missing" }
}

async function lineTarget(name: string, cwd: string): Promise<Target | undefined> {
  const [, path, first, last] = /^(.+):(\d+)(?:-(\d+))?$/.exec(name) ?? []
  if (path === undefined || first === undefined) return undefined
  const target = await pathTarget(path, cwd)
  if (target?.is !== "file") return undefined
  const [from = 1, to = from] = [Number(first), Number(last ?? first)].sort((a, b) => a - b)
  return { ...target, lines: { from: Math.max(1, from), to: Math.max(1, to) } }
}

async function pathTarget(name: string, cwd: string): Promise<Target | undefined> {
  try {
    const place = await locate(name, cwd)
    const found = await stat(place.path)
    return { is: found.isDirectory() ? "directory" : "file", place }
  } catch {
    return undefined
  }
}
