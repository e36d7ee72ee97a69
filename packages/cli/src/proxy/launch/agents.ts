import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Environment } from "@sotto/harness"
import type { Bases } from "../transport/upstreams.js"
import { opencodeConfig } from "./opencode.js"

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

/** pi has the addresses in its table of models. An extension, in a folder of its own, says others. */
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
