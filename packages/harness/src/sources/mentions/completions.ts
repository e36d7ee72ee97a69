import type { Agent } from "@sotto/core"
import type { McpServers } from "../mcp/servers.js"
import { type FileIndex, indexed } from "./file-index.js"
import { ranked, scoreOf } from "./rank.js"

/** Something that can be mentioned. */
export interface Completion {
  readonly kind: "file" | "directory" | "agent" | "resource"
  /** What to put in place of what was typed, the `@` included. */
  readonly text: string
  /** For people, where the text does not say it all. */
  readonly about?: string
}

/** What completions are chosen from. A workplace has it all. */
interface Completable {
  readonly index: FileIndex
  readonly agents: readonly Agent[]
  readonly mcp: Pick<McpServers, "resources">
}

const MOST = 50
const NO_LIMIT = new AbortController().signal

/** Lists what the user may mean by an `@` and what follows it (without the `@`), best first. */
export async function completions(
  query: string,
  among: Completable,
  signal: AbortSignal = NO_LIMIT,
): Promise<readonly Completion[]> {
  const typed = query.replace(/^"/, "").replace(/^\.\//, "")
  const paths = ranked(typed, await among.index.paths(signal), MOST)
  const files = paths.map(({ path }): Completion => {
    return { kind: path.endsWith("/") ? "directory" : "file", text: `@${quoted(path)}` }
  })
  const named = [...agentsOf(among), ...resourcesIn(among)].filter(({ text }) =>
    typed === "" ? true : scoreOf(typed.toLowerCase(), indexed(text.slice(1)).lower) !== undefined,
  )
  const isExact = ({ text }: Completion) => text.slice(1).toLowerCase().startsWith(typed.toLowerCase())
  return [...named.filter(isExact), ...files, ...named.filter((one) => !isExact(one))].slice(0, MOST)
}

function agentsOf({ agents }: Completable): readonly Completion[] {
  return agents
    .filter(({ mode, hidden }) => mode !== "primary" && !hidden)
    .map(({ name, description }) => ({
      kind: "agent",
      text: `@${name}`,
      ...(description !== undefined && { about: description }),
    }))
}

function resourcesIn({ mcp }: Completable): readonly Completion[] {
  return mcp.resources().map(({ server, uri, name }) => ({
    kind: "resource",
    text: `@${quoted(`${server}:${uri}`)}`,
    about: name,
  }))
}

function quoted(name: string): string {
  return /[\s"'`<>|*?]/.test(name) || /[.,;:!?)\]}]$/.test(name) ? `"${name}"` : name
}
