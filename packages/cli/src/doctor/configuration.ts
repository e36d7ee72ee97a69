import {
  type Config,
  type FolderTrust,
  loadAgents,
  type loadConfig,
  loadRules,
  printable,
  readKept,
} from "@sotto/harness"
import { itemText } from "../output/trust.js"
import { type CheckResult, counted, type DoctorCheck, ok } from "./check-result.js"

type Located = Parameters<typeof loadConfig>[0]
type Settled<T> = { readonly value: T } | { readonly error: unknown }

export async function settled<T>(work: () => Promise<T>): Promise<Settled<T>> {
  try {
    return { value: await work() }
  } catch (error) {
    return { error }
  }
}

export function demanded<T>(found: Settled<T>): T {
  if ("error" in found) throw found.error
  return found.value
}

/**
 * Makes a check of something that the configuration settles. What is wrong with the configuration is told once,
 * elsewhere.
 */
export function needing(
  configured: Settled<Config>,
  check: (config: Config) => Promise<CheckResult>,
): DoctorCheck {
  return async () =>
    "value" in configured
      ? check(configured.value)
      : { state: "skipped", text: "the configuration cannot be used" }
}

/** Checks the configuration. `isLeftOut`: a file of the folder has a mistake, which the line about trust names. */
export async function configuration(
  place: Located,
  configured: Settled<Config>,
  isLeftOut: boolean,
): Promise<CheckResult> {
  const config = demanded(configured)
  const agents = await loadAgents({ ...place, config })
  const own = await loadRules(place)
  const files =
    config.files.length === 0
      ? isLeftOut
        ? "no sotto.json that can be used"
        : "no sotto.json"
      : config.files.join(", ")
  return ok(`${files}; ${counted(agents.length, "agent")}, ${counted(own.length, "rule")} of your own`)
}

export async function servers({ mcp }: Config): Promise<CheckResult> {
  const lines = Object.entries(mcp).map(([name, { disable, problem }]) =>
    printable(`${name}: ${problem ?? (disable === true ? "switched off" : "configured, not started here")}`),
  )
  const isFine = Object.values(mcp).every(({ problem }) => problem === undefined)
  return { state: isFine ? "ok" : "failed", text: lines.join("; ") || "none configured" }
}

export function trustFinding({ folder, trusted, leftOut, notices }: FolderTrust): CheckResult {
  const { problem } = readKept(process.env)
  const state = problem === undefined ? (notices.length === 0 ? "ok" : "warning") : "failed"
  const found = { state, ...(state === "warning" && { remedy: "Mend what is named below." }) } as const
  if (trusted) return { ...found, text: `${folder} is trusted.`, more: notices }
  const rest =
    leftOut.length === 0 ? "brings nothing that needs it." : `${counted(leftOut.length, "item")} left out:`
  const more = [...leftOut.map(itemText), ...notices]
  return { ...found, text: `${folder} is not trusted; ${rest}`, more }
}
