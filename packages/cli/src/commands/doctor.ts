import { join } from "node:path"
import {
  checkMcpServers,
  dataFolder,
  defaultModel,
  findSandbox,
  isRehearsal,
  knownSecrets,
  loadAgents,
  loadConfig,
  loadRules,
  openStore,
  reasonOf,
  redact,
  ripgrepVersion,
} from "@sotto/harness"
import { oneLine } from "../screen/inert.js"
import { inkFor } from "../screen/ink.js"
import { out } from "../screen/printer.js"
import { EXIT } from "../usage.js"

interface Finding {
  readonly ok: boolean
  readonly text: string
}

/** Looks at everything that a run would need, and says what is missing and what to do. */
export async function doctor(): Promise<number> {
  const place = { cwd: process.cwd(), env: process.env }
  const checks: readonly (readonly [string, () => Promise<Finding>])[] = [
    ["Node", async () => ({ ok: true, text: process.versions.node })],
    [
      "configuration",
      async () => {
        const config = await loadConfig(place)
        const agents = await loadAgents({ ...place, config })
        const own = await loadRules(place)
        const files = config.files.length === 0 ? "no sotto.json" : config.files.join(", ")
        return { ok: true, text: `${files}; ${agents.length} agents, ${own.length} rules of your own` }
      },
    ],
    [
      "store",
      async () => {
        const path = join(dataFolder(process.env), "sessions.db")
        const store = openStore(path)
        const count = store.list().length
        store.close()
        return { ok: true, text: `${path}: ${count} sessions` }
      },
    ],
    [
      "model",
      async () => {
        const config = await loadConfig(place)
        const name = defaultModel(process.env, config)
        const advice =
          "no key found, so the rehearsal serves; set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY"
        return { ok: true, text: isRehearsal(name) ? `${name}: ${advice}` : name }
      },
    ],
    [
      "MCP servers",
      async () => {
        const servers = await checkMcpServers(place)
        const lines = servers.map(({ name, state, tools, why }) =>
          state === "connected" ? `${name}: ${tools.length} tools` : `${name}: not connected, ${why}`,
        )
        return {
          ok: servers.every(({ state }) => state === "connected"),
          text: lines.join("; ") || "none configured",
        }
      },
    ],
    [
      "ripgrep",
      async () => {
        return { ok: true, text: await ripgrepVersion() }
      },
    ],
    [
      "sandbox",
      async () => {
        const sandbox = await findSandbox()
        const without =
          'none that works: plan mode and read-only subagents run only commands that are judged to read, and "sandbox": "workspace" runs none; install bubblewrap'
        return { ok: true, text: sandbox?.name ?? without }
      },
    ],
  ]
  const ink = inkFor(process.stdout.isTTY, process.env)
  let ok = true
  for (const [name, check] of checks) {
    const finding = await check().catch(
      (error: unknown): Finding => ({
        ok: false,
        text: reasonOf(error),
      }),
    )
    ok &&= finding.ok
    out.line(finding.ok ? "ok    " : ink.red("FAILED"), `  ${name.padEnd(14)} ${told(finding.text)}`)
  }
  return ok ? EXIT.done : EXIT.failed
}

/** Keys are never shown, and a name with a line break makes no line of its own. */
function told(text: string): string {
  return oneLine(redact(text, knownSecrets(process.env)))
}
