import { redact } from "@sotto/core/secrets"
import { decideTrust, knownSecrets, loadConfig, reasonOf } from "@sotto/harness"
import type { CheckResult, DoctorCheck } from "../doctor/check-result.js"
import { configuration, demanded, needing, servers, settled, trustFinding } from "../doctor/configuration.js"
import { permissions, store } from "../doctor/folders.js"
import { environment, git, node, ripgrep, sandbox, terminal } from "../doctor/machine.js"
import { prices } from "../doctor/prices.js"
import { model, proxies } from "../doctor/provider.js"
import { wrapped } from "../output/wrapped.js"
import { oneLine } from "../screen/inert.js"
import { inkFor } from "../screen/ink.js"
import { out } from "../screen/printer.js"
import { EXIT, UsageError } from "../usage.js"
import { type CommandOptions, optionRows, type Subcommand } from "./subcommand.js"

const OPTIONS = {
  json: {
    type: "boolean",
    help: `one object: {"ok":…,"checks":[{"name":…,"state":"ok|warning|skipped|failed","text":…,"remedy":…}]}`,
  },
} as const satisfies CommandOptions

export const subcommand: Subcommand = {
  help: `sotto doctor [--json]: whether everything is in place, and what to do where it is not

It looks at Node, the configuration, who else may read your keys and sessions, the store and its disk, the model, whether its
provider takes the key, the provider's address (http or https, with or without /v1), how old the prices are and whether the
model's is known, proxies, MCP servers, trust, ripgrep, git, the sandbox and the terminal. It starts no server and no hook, and sends the key to nobody but the provider.

${optionRows(OPTIONS, 12)}

Exit codes: 0 nothing failed   1 something failed
`,
  options: OPTIONS,
  run,
}

type Named = CheckResult & { readonly name: string }

/**
 * Looks at everything that a run would need, and says what is missing and what to do. Starts nothing that is
 * configured, whether by the user or by the folder.
 */
async function run(args: readonly string[]): Promise<number> {
  const isJson = args.includes("--json")
  if (args.some((arg) => arg !== "--json"))
    throw new UsageError("sotto doctor takes no arguments but --json.")
  // Before anything else: Sotto closes a file of its own whenever it opens one.
  const readable = await settled(permissions)
  const here = { cwd: process.cwd(), env: process.env }
  const trust = await decideTrust(here)
  const place = { ...here, trusted: trust.trusted, folder: trust.folder }
  const configured = await settled(() => loadConfig(place))
  const checks: readonly (readonly [string, DoctorCheck])[] = [
    ["Node", node],
    ["permissions", async () => demanded(readable)],
    ["configuration", () => configuration(place, configured, trust.notices.length > 0)],
    ["store", store],
    ["model", needing(configured, model)],
    ["prices", needing(configured, (config) => prices(config))],
    ["proxy", proxies],
    ["MCP servers", needing(configured, servers)],
    ["trust", async () => trustFinding(trust)],
    ["ripgrep", ripgrep],
    ["git", git],
    ["sandbox", needing(configured, sandbox)],
    ["environment", needing(configured, environment)],
    ["terminal", () => terminal()],
  ]
  const found: Named[] = []
  for (const [name, check] of checks) {
    const finding = await check().catch(
      (error: unknown): CheckResult => ({ state: "failed", text: reasonOf(error) }),
    )
    const one = { name, ...withoutSecrets(finding) }
    found.push(one)
    if (!isJson) print(one)
  }
  const isWell = found.every(({ state }) => state !== "failed")
  if (isJson) out.json(JSON.stringify({ ok: isWell, checks: found }))
  return isWell ? EXIT.done : EXIT.failed
}

const WIDTH = 8
/** Where what a check says begins. */
const INDENT = WIDTH + 15

function print({ name, state, text, remedy, more = [] }: Named): void {
  const ink = inkFor(process.stdout.isTTY, process.env)
  const word = (state === "failed" ? "FAILED" : state).padEnd(WIDTH)
  const [first = "", ...rest] = lines(remedy === undefined ? text : `${text} ${remedy}`)
  out.line(state === "failed" ? ink.red(word) : word, `${name.padEnd(14)} ${first.trimStart()}`)
  for (const line of [...rest, ...more.flatMap(lines)]) out.line(line)
}

function lines(text: string): readonly string[] {
  const indent = " ".repeat(INDENT)
  const width = process.stdout.isTTY ? Math.max(process.stdout.columns, 2 * INDENT) : undefined
  return width === undefined ? [indent + oneLine(text)] : wrapped(oneLine(text), width, indent)
}

/** Keys are never shown. */
function withoutSecrets({ state, text, remedy, more }: CheckResult): CheckResult {
  const shown = (one: string) => redact(one, knownSecrets(process.env))
  return {
    state,
    text: shown(text),
    ...(remedy !== undefined && { remedy: shown(remedy) }),
    ...(more !== undefined && { more: more.map(shown) }),
  }
}
