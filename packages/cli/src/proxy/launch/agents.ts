import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Environment } from "@sotto/harness"
import type { Bases } from "../transport/upstreams.js"

/** What an agent needs beyond the providers' variables. */
interface Needs {
  /** Put right after its name. */
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Removes what was made for it. */
  readonly close?: () => void
}

interface Agent {
  /** What it is called on npm, for those who start it with npx. */
  readonly package?: string
  /** True if it speaks over a WebSocket, which the proxy cannot look into, and over HTTP if that is refused. */
  readonly canDoWithoutWebSocket?: boolean
  needs(bases: Bases, env: Environment): Needs
}

const NOTHING: Needs = {}

/** Agents that are known by name. Any other program has the providers' variables. */
export const AGENTS: Readonly<Record<string, Agent>> = {
  claude: { package: "@anthropic-ai/claude-code", needs: () => NOTHING },
  gemini: { package: "@google/gemini-cli", needs: () => NOTHING },
  // It reads OPENAI_BASE_URL no longer.
  codex: {
    package: "@openai/codex",
    canDoWithoutWebSocket: true,
    needs: ({ openai }) => ({ args: ["-c", `openai_base_url=${JSON.stringify(openai)}`] }),
  },
  opencode: {
    package: "opencode-ai",
    needs: (bases, env) => ({ env: { OPENCODE_CONFIG_CONTENT: opencodeConfig(bases, env) } }),
  },
  pi: { package: "@mariozechner/pi-coding-agent", needs: piNeeds },
  aider: {
    needs: ({ anthropic, openai }) => ({
      env: { ANTHROPIC_API_BASE: anthropic, AIDER_OPENAI_API_BASE: openai },
    }),
  },
}

/** Writes an extension, in a folder of its own, that replaces the addresses: pi has them in its table of models. */
function piNeeds({ anthropic, openai, google }: Bases): Needs {
  const folder = mkdtempSync(join(tmpdir(), "sotto-proxy-pi-"))
  const file = join(folder, "sotto-proxy.js")
  const bases = { anthropic, openai, google: `${google}/v1beta` }
  const lines = Object.entries(bases).map(
    ([name, baseUrl]) => `  pi.registerProvider(${JSON.stringify(name)}, ${JSON.stringify({ baseUrl })})`,
  )
  writeFileSync(file, `export default function (pi) {\n${lines.join("\n")}\n}\n`, { mode: 0o600 })
  return { args: ["--extension", file], close: () => rmSync(folder, { recursive: true, force: true }) }
}

type Fields = Readonly<Record<string, unknown>>

/** Variables by which opencode takes a provider for usable. */
const KEYS = {
  anthropic: ["ANTHROPIC_API_KEY"],
  openai: ["OPENAI_API_KEY"],
  google: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
} as const

/**
 * Writes the configuration that opencode reads from a variable, on top of its files. What the user put there stays. A
 * provider that it names is offered to the user, so it names those that the user has, or all if none can be found.
 */
function opencodeConfig({ anthropic, openai, google }: Bases, env: Environment): string {
  const own = objectIn(env.OPENCODE_CONFIG_CONTENT)
  const providers = { ...objectOf(own.provider) }
  const bases = Object.entries({ anthropic: `${anthropic}/v1`, openai, google: `${google}/v1beta` })
  const texts = filesOf(env).map(textAt)
  const isNamed = (name: string) => texts.some((text) => text.includes(`"${name}"`))
  const hasKey = (name: string) => KEYS[name as keyof typeof KEYS].some((key) => env[key])
  const had = bases.filter(([name]) => name in providers || hasKey(name) || isNamed(name))
  for (const [name, baseURL] of had.length > 0 ? had : bases) {
    const provider = objectOf(providers[name])
    providers[name] = { ...provider, options: { ...objectOf(provider.options), baseURL } }
  }
  return JSON.stringify({ ...own, provider: providers })
}

/** Lists where opencode keeps its logins and its configuration. They are only searched for names of providers. */
function filesOf(env: Environment): readonly string[] {
  const home = env.HOME ?? env.USERPROFILE ?? ""
  const config = join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode")
  const names = ["opencode.json", "opencode.jsonc"]
  return [
    join(env.XDG_DATA_HOME || join(home, ".local", "share"), "opencode", "auth.json"),
    ...["config.json", ...names].map((name) => join(config, name)),
    ...names.map((name) => join(process.cwd(), name)),
    ...(env.OPENCODE_CONFIG ? [env.OPENCODE_CONFIG] : []),
  ]
}

function textAt(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

function objectIn(json: string | undefined): Fields {
  try {
    return objectOf(JSON.parse(json ?? "{}"))
  } catch {
    return {}
  }
}

function objectOf(value: unknown): Fields {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Fields) : {}
}
