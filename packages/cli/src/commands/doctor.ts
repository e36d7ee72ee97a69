import {
  type Config,
  decideTrust,
  defaultModel,
  findSandbox,
  isRehearsal,
  keyPlace,
  knownSecrets,
  loadAgents,
  loadConfig,
  loadRules,
  openStore,
  PROVIDERS,
  printable,
  providerOf,
  readKept,
  readKeys,
  reasonOf,
  redact,
  resolveModel,
  ripgrepVersion,
  storePlace,
  type Trust,
  tryKey,
  withStoredKeys,
} from "@sotto/harness"
import { itemText } from "../output/trust.js"
import { oneLine } from "../screen/inert.js"
import { inkFor } from "../screen/ink.js"
import { out } from "../screen/printer.js"
import { EXIT, UsageError } from "../usage.js"

interface Finding {
  readonly state: "ok" | "skipped" | "FAILED"
  readonly text: string
  /** Below it, one a line. */
  readonly more?: readonly string[]
}

type Check = () => Promise<Finding>
type Located = Parameters<typeof loadConfig>[0]

/**
 * Looks at everything that a run would need, and says what is missing and what to do. Starts nothing that is configured,
 * whoever configured it.
 */
export async function doctor(args: readonly string[]): Promise<number> {
  if (args.length > 0) throw new UsageError("sotto doctor takes no arguments.")
  const here = { cwd: process.cwd(), env: process.env }
  const trust = await decideTrust(here)
  const place = { ...here, trusted: trust.trusted, folder: trust.folder }
  const configured = await settled(() => loadConfig(place))
  const checks: readonly (readonly [string, Check])[] = [
    ["Node", async () => ok(process.versions.node)],
    ["configuration", () => configuration(place, configured)],
    ["store", store],
    ["model", needing(configured, (config) => model(config))],
    ["MCP servers", needing(configured, async (config) => servers(config))],
    ["trust", async () => trustFinding(trust)],
    ["ripgrep", async () => ok(await ripgrepVersion())],
    ["sandbox", sandbox],
  ]
  const ink = inkFor(process.stdout.isTTY, process.env)
  let isWell = true
  for (const [name, check] of checks) {
    const {
      state,
      text,
      more = [],
    } = await check().catch((error: unknown): Finding => ({ state: "FAILED", text: reasonOf(error) }))
    isWell &&= state !== "FAILED"
    const shown = state === "FAILED" ? ink.red(state.padEnd(WIDTH)) : state.padEnd(WIDTH)
    out.line(shown, `${name.padEnd(14)} ${told(text)}`)
    for (const line of more) out.line(`${" ".repeat(INDENT)}${told(line)}`)
  }
  return isWell ? EXIT.done : EXIT.failed
}

const WIDTH = 8
/** Where what a check says begins. */
const INDENT = WIDTH + 15

type Settled<T> = { readonly value: T } | { readonly error: unknown }

async function settled<T>(work: () => Promise<T>): Promise<Settled<T>> {
  try {
    return { value: await work() }
  } catch (error) {
    return { error }
  }
}

function ok(text: string): Finding {
  return { state: "ok", text }
}

/** A check of something that the configuration settles. What is wrong with the configuration is told once, elsewhere. */
function needing(configured: Settled<Config>, check: (config: Config) => Promise<Finding>): Check {
  return async () =>
    "value" in configured
      ? check(configured.value)
      : { state: "skipped", text: "the configuration cannot be used" }
}

async function configuration(place: Located, configured: Settled<Config>): Promise<Finding> {
  if ("error" in configured) throw configured.error
  const config = configured.value
  const agents = await loadAgents({ ...place, config })
  const own = await loadRules(place)
  const files = config.files.length === 0 ? "no sotto.json" : config.files.join(", ")
  return ok(`${files}; ${counted(agents.length, "agent")}, ${counted(own.length, "rule")} of your own`)
}

async function store(): Promise<Finding> {
  const opened = openStore(storePlace(process.env))
  const count = opened.list().length
  opened.close()
  return ok(`${opened.path}: ${counted(count, "session")}`)
}

/** The model that would be asked, and what its provider says of the key. */
async function model(config: Config): Promise<Finding> {
  const kept = readKeys(process.env)
  if (kept.problem !== undefined) return { state: "FAILED", text: kept.problem }
  const env = withStoredKeys(process.env, kept)
  const name = defaultModel(env, config)
  const provider = providerOf(name)
  const advice =
    "no key found, so the rehearsal serves; run `sotto login`, or set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY"
  if (provider === undefined) return ok(isRehearsal(name) ? `${name}: ${advice}` : name)
  // Says what to do where there is no key or no such address.
  resolveModel(name, env)
  const { is, at, answer } = await tryKey(provider, env)
  const key = keyPlace(PROVIDERS[provider], env)
  switch (is) {
    case "taken":
      return ok(`${name}: ${at} takes ${key}`)
    case "untried":
      return ok(`${name}: ${at} was reached, and ${key} could not be tried: ${answer}`)
    case "refused":
      return {
        state: "FAILED",
        text: `${name}: ${at} refuses ${key}: ${answer}. \`sotto login\` stores another.`,
      }
    case "unreached":
      return {
        state: "FAILED",
        text: `${name}: ${at} was asked for its models: ${answer}. Check the connection, and the address (${PROVIDERS[provider].base} sets another).`,
      }
  }
}

function servers({ mcp }: Config): Finding {
  const lines = Object.entries(mcp).map(([name, { disable, problem }]) =>
    printable(`${name}: ${problem ?? (disable === true ? "switched off" : "configured, not started here")}`),
  )
  const isFine = Object.values(mcp).every(({ problem }) => problem === undefined)
  return { state: isFine ? "ok" : "FAILED", text: lines.join("; ") || "none configured" }
}

function trustFinding({ folder, trusted, leftOut, notices }: Trust): Finding {
  const { problem } = readKept(process.env)
  const state = problem === undefined ? "ok" : "FAILED"
  if (trusted) return { state, text: `${folder} is trusted`, more: notices }
  const rest =
    leftOut.length === 0 ? "brings nothing that needs it" : `${counted(leftOut.length, "item")} left out:`
  return { state, text: `${folder} is not trusted; ${rest}`, more: [...leftOut.map(itemText), ...notices] }
}

async function sandbox(): Promise<Finding> {
  const found = await findSandbox()
  const without =
    'none that works: plan mode and read-only subagents run only commands that are judged to read, and "sandbox": "workspace" runs none; install bubblewrap'
  return ok(found?.name ?? without)
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`
}

/** Keys are never shown, and a name with a line break makes no line of its own. */
function told(text: string): string {
  return oneLine(redact(text, knownSecrets(process.env)))
}
