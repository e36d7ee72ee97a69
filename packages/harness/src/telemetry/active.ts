import type { Environment } from "../workspace/folders.js"
import { telemetryAsked } from "./asked.js"
import type { Telemetry, TelemetryOptions } from "./telemetry.js"

/** OpenTelemetry is one for a process: everything that it runs is reported to the same place. */
let active: Telemetry | undefined

/** The telemetry of this process, if it is on. */
export function activeTelemetry(): Telemetry | undefined {
  return active
}

/** Switches telemetry on if the variables ask for it. Otherwise nothing is loaded. */
export async function startTelemetry(env: Environment, options: TelemetryOptions): Promise<void> {
  const asked = telemetryAsked(env)
  if (asked === undefined) return
  if (asked.problems.length > 0) options.warn(`Telemetry is not sent: ${asked.problems.join(" ")}`)
  if (asked.traces === undefined && asked.metrics === undefined) return
  const { Observer } = await import("./observer.js")
  active = await Observer.start(asked, env, options)
}

/** Sends what is left. Returns false if the process has to be ended by force, or it would go on trying. */
export async function endTelemetry(): Promise<boolean> {
  const ending = active
  active = undefined
  return ending === undefined || (await ending.end())
}
