import { endTelemetry, startTelemetry, telemetryAsked } from "@sotto/harness"
import { err, out } from "./screen/printer.js"

/** The commands that run sessions, and whether what they are to warn of can be printed while they run. */
const OBSERVED: Readonly<Record<string, { readonly prints: boolean }>> = {
  run: { prints: true },
  serve: { prints: true },
  acp: { prints: true },
  talk: { prints: false },
}

/**
 * Runs a command with telemetry, if OpenTelemetry's variables ask for it and the command runs sessions. What is left is
 * sent before the command ends, for a second or two at most.
 */
export async function observed(name: string, command: () => Promise<number>): Promise<number> {
  const watched = Object.hasOwn(OBSERVED, name) ? OBSERVED[name] : undefined
  if (watched === undefined || telemetryAsked(process.env) === undefined) return command()
  const warnings: string[] = []
  const print = (line: string) => err.line(`sotto: ${line}`)
  await startTelemetry(process.env, {
    version: await (await import("./version.js")).version(),
    inherits: name === "run",
    warn: (line) => (watched.prints ? print(line) : warnings.push(line)),
  })
  try {
    return await command()
  } finally {
    // The exporter would go on trying for ten seconds. The exit code is set by then.
    if (!(await endTelemetry())) setImmediate(() => out.whenOut(() => process.exit()))
    for (const line of warnings) print(line)
  }
}
