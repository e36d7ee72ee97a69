import { readFileSync, writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { fileReason, serveRehearsal } from "@sotto/harness"
import type { Rehearsal, RequestSeen } from "@sotto/rehearsal"
import { watchForLeaving } from "../exit.js"
import { RehearsalTally, seenLine, seenReport } from "../output/rehearsal.js"
import { inkFor } from "../screen/ink.js"
import { err, out } from "../screen/printer.js"
import { EXIT, UsageError } from "../usage.js"

/** Requests that `--report` holds; of a longer run the newest. Each may have a body of megabytes. */
const KEPT = 1_000

/** Serves the strict stand-in provider until a signal ends it. */
export async function rehearse(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      port: { type: "string" },
      report: { type: "string" },
      strict: { type: "boolean", default: false },
      quiet: { type: "boolean", default: false },
    },
    allowPositionals: true,
  })
  if (positionals.length > 1) throw new UsageError("One script at a time: sotto rehearse SCRIPT.")
  const script = scriptFrom(positionals[0])
  const port = portFrom(values.port)
  // A report that cannot be written is said before anything is served.
  if (values.report !== undefined) write(values.report, "")

  const ink = inkFor(process.stderr.isTTY, process.env)
  const tally = new RehearsalTally()
  const seen = (request: RequestSeen) => {
    tally.add(request)
    if (!values.quiet) err.line(...seenLine(request, ink))
  }
  const leaving = watchForLeaving()
  const rehearsal = await started({
    ...(script && { script }),
    ...(port !== undefined && { port }),
    seen,
    keep: values.report === undefined ? 0 : KEPT,
  })
  out.line(`listening on ${rehearsal.url}`)
  if (!values.quiet) for (const line of instructions(rehearsal.url)) err.line(ink.dim(line))
  await until(leaving.signal)
  await rehearsal.close()
  leaving.stop()
  if (values.report !== undefined) write(values.report, JSON.stringify(seenReport(rehearsal.requests, tally)))
  for (const line of tally.lines()) err.line(line)
  return values.strict && tally.refused > 0 ? EXIT.failed : EXIT.done
}

async function started(options: Parameters<typeof serveRehearsal>[0]): Promise<Rehearsal> {
  try {
    return await serveRehearsal(options)
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE")
      throw new UsageError(
        `Port ${options.port} is taken. Name another one, or leave --port out for a free one.`,
      )
    throw error
  }
}

function scriptFrom(path: string | undefined): { text: string; file: string } | undefined {
  if (path === undefined) return undefined
  try {
    return path === "-"
      ? { text: readFileSync(0, "utf8"), file: "standard input" }
      : { text: readFileSync(path, "utf8"), file: path }
  } catch (error) {
    throw new UsageError(`The script ${path} cannot be read: ${fileReason(error)}`)
  }
}

function portFrom(given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  const port = Number(given)
  if (!/^\d+$/.test(given) || port > 65_535)
    throw new UsageError(`--port ${given}: a port is a number from 0 to 65535; 0 takes a free one.`)
  return port
}

function write(path: string, text: string): void {
  try {
    // It holds what the clients sent.
    writeFileSync(path, text, { mode: 0o600 })
  } catch (error) {
    throw new UsageError(`--report ${path} cannot be written: ${fileReason(error)}`)
  }
}

function instructions(url: string): readonly string[] {
  return [
    "Any key will do. Clients find it by their usual variables:",
    `  ANTHROPIC_BASE_URL=${url}`,
    `  OPENAI_BASE_URL=${url}/v1`,
    `  GOOGLE_GEMINI_BASE_URL=${url}`,
  ]
}

function until(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener("abort", () => resolve(), { once: true })
  })
}
