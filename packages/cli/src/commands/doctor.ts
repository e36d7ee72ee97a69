import { join } from "node:path"
import {
  dataFolder,
  decideTrust,
  defaultModel,
  findSandbox,
  isRehearsal,
  knownSecrets,
  loadAgents,
  loadConfig,
  loadRules,
  openStore,
  printable,
  reasonOf,
  redact,
  ripgrepVersion,
} from "@sotto/harness"
import { itemText } from "../output/trust.js"
import { oneLine } from "../screen/inert.js"
import { inkFor } from "../screen/ink.js"
import { out } from "../screen/printer.js"
import { EXIT } from "../usage.js"

interface Finding {
  readonly ok: boolean
  readonly text: string
}

/**
 * Looks at everything that a run would need, and says what is missing and what to do. Starts nothing that is configured,
 * whoever configured it.
 */
export async function doctor(): Promise<number> {
  const here = { cwd: process.cwd(), env: process.env }
  const trust = await decideTrust(here).catch(() => undefined)
  const place = { ...here, ...(trust && { trusted: trust.trusted, folder: trust.folder }) }
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
        const { mcp } = await loadConfig(place)
        const lines = Object.entries(mcp).map(([name, { disable, problem }]) =>
          printable(
            `${name}: ${problem ?? (disable === true ? "switched off" : "configured, not started here")}`,
          ),
        )
        const isFine = Object.values(mcp).every(({ problem }) => problem === undefined)
        return { ok: isFine, text: lines.join("; ") || "none configured" }
      },
    ],
    [
      "trust",
      async () => {
        if (trust === undefined) return { ok: true, text: "not known: the configuration cannot be read" }
        const { folder, trusted, leftOut } = trust
        if (trusted) return { ok: true, text: `${folder} is trusted` }
        const needed = leftOut.map(itemText).join("; ")
        const rest = leftOut.length === 0 ? "brings nothing that needs it" : `left out: ${needed}`
        return { ok: true, text: `${folder} is not trusted; ${rest}` }
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
