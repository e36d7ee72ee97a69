import { optionalPackage } from "../../execution/programs/optional-package.js"
import { knownSecrets } from "../../models/known-secrets.js"
import { redact } from "../../platform/secrets/redact.js"
import type { Environment } from "../../platform/workspace/folders.js"
import { telemetryAsked } from "./asked.js"
import type { Telemetry, TelemetryOptions, TelemetryPackage } from "./telemetry.js"

/** OpenTelemetry is one for a process: everything that it runs is reported to the same place. */
let active: Telemetry | undefined

/** Gives the telemetry of this process, if it is on. */
export function activeTelemetry(): Telemetry | undefined {
  return active
}

const PACKAGE = "@sotto/telemetry"

/**
 * Switches telemetry on if the variables ask for it and the package that sends it is installed. Without the variables
 * nothing is loaded; without the package the user is told how to get it.
 */
export async function startTelemetry(env: Environment, options: TelemetryOptions): Promise<void> {
  const asked = telemetryAsked(env)
  if (asked === undefined) return
  if (asked.problems.length > 0) options.warn(`Telemetry is not sent: ${asked.problems.join(" ")}`)
  if (asked.traces === undefined && asked.metrics === undefined) return
  const found = await optionalPackage<TelemetryPackage>(PACKAGE)
  if (found === undefined) {
    options.warn(
      `Telemetry is not sent: the package ${PACKAGE} is not installed. Run \`npm install -g ${PACKAGE}\`, or set OTEL_SDK_DISABLED=true.`,
    )
    return
  }
  const redactorFor = (whose: Environment, more: readonly string[]) => {
    const secrets = knownSecrets(whose, more)
    return (text: string) => redact(text, secrets)
  }
  active = await found.start({ ...options, asked, env, redactorFor })
}

/** Has everything that this process runs watched: by what `watch` makes around the telemetry that is on, if any is. */
export function watchSessions<T extends Telemetry>(watch: (inner: Telemetry | undefined) => T): T {
  const watching = watch(active)
  active = watching
  return watching
}

/** Sends what is left. Returns false if the process has to be ended by force, or it would go on trying. */
export async function endTelemetry(): Promise<boolean> {
  const ending = active
  active = undefined
  return ending === undefined || (await ending.end())
}
