import { basename } from "node:path"
import { type Environment, PROVIDERS } from "@sotto/harness"
import type { Bases } from "../transport/upstreams.js"
import { AGENTS } from "./agents.js"

/** A command that is to go through the proxy. */
export interface AgentLaunch {
  readonly command: readonly [string, ...string[]]
  readonly env: Environment
  /** What was set for it, for people. */
  readonly said: readonly string[]
  close(): void
}

/** Programs that start another, which is named after their options. */
const STARTERS = new Set(
  "node npx bunx bun pnpx pnpm yarn npm uvx uv pipx env exec nice time sudo".split(" "),
)

export function variablesFor(bases: Bases): Readonly<Record<string, string>> {
  return {
    [PROVIDERS.anthropic.base]: bases.anthropic,
    [PROVIDERS.openai.base]: bases.openai,
    // What it was called before, and still is in programs on LiteLLM.
    OPENAI_API_BASE: bases.openai,
    [PROVIDERS.google.base]: bases.google,
  }
}

/** Prepares a command: the variables of all providers, and what the agent needs beyond them. */
export function launchOf(
  command: readonly [string, ...string[]],
  bases: Bases,
  env: Environment,
): AgentLaunch {
  const at = agentIn(command)
  const { args = [], env: own = {}, close = () => {} } = at === undefined ? {} : at.agent.needs(bases, env)
  const set = { ...variablesFor(bases), ...own, ...pastProxies(env) }
  const [program, ...rest] = command
  const words = at === undefined ? rest : [...rest.slice(0, at.index), ...args, ...rest.slice(at.index)]
  return {
    command: [program, ...words],
    env: { ...env, ...set },
    said: [
      ...Object.entries(set).map(([name, value]) => `${name}=${value}`),
      ...(args.length > 0 ? [`arguments: ${args.join(" ")}`] : []),
    ],
    close,
  }
}

/** True if the agent that a command starts is to be refused WebSockets, so that it speaks HTTP. */
export function refusesWebSockets(command: readonly [string, ...string[]]): boolean {
  return agentIn(command)?.agent.canDoWithoutWebSocket === true
}

/** Finds the agent that a command starts, and how many of its words after the first belong to starting it. */
function agentIn([program, ...rest]: readonly [string, ...string[]]) {
  const known = (word: string) => {
    const found = Object.entries(AGENTS).find(
      ([name, agent]) => nameOf(word) === name || word.replace(/(?<=.)@[^/]*$/, "") === agent.package,
    )
    return found?.[1]
  }
  const first = known(program)
  if (first !== undefined) return { agent: first, index: 0 }
  if (!STARTERS.has(nameOf(program))) return undefined
  for (const [i, word] of rest.entries()) {
    const agent = known(word)
    if (agent !== undefined) return { agent, index: i + 1 }
  }
  return undefined
}

function nameOf(word: string): string {
  return basename(word.replaceAll("\\", "/"))
    .replace(/\.(exe|cmd|bat|ps1|[cm]?js)$/i, "")
    .toLowerCase()
}

/** Exempts this machine's address from the network's proxies, which would be asked for it too. */
function pastProxies(env: Environment): Readonly<Record<string, string>> {
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()])
  if (!names.some((name) => env[name])) return {}
  const listed = (env.NO_PROXY ?? env.no_proxy ?? "").split(",").filter((host) => host.trim() !== "")
  const all = [...new Set([...listed, "127.0.0.1", "localhost"])].join(",")
  return { NO_PROXY: all, no_proxy: all }
}
