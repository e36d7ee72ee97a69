import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Environment } from "@sotto/harness"
import type { Bases } from "../transport/upstreams.js"

type Fields = Readonly<Record<string, unknown>>

/** Variables by which opencode takes a provider for usable. */
const KEYS = {
  anthropic: ["ANTHROPIC_API_KEY"],
  openai: ["OPENAI_API_KEY"],
  google: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
} as const

/**
 * opencode reads a configuration from a variable, on top of its files. What the user put there stays. A provider that
 * it names is offered to the user, so it names those that the user has, or all if none can be found.
 */
export function opencodeConfig({ anthropic, openai, google }: Bases, env: Environment): string {
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

/** Where opencode keeps its logins and its configuration. They are only searched for names of providers. */
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
