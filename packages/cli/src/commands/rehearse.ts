import { readFileSync, writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { fileReason, serveRehearsal } from "@sotto/harness"
import type { Rehearsal, RequestSeen } from "@sotto/rehearsal"
import { watchForLeaving } from "../exit.js"
import { RehearsalTally, seenLine, seenReport } from "../output/rehearsal.js"
import { inkFor } from "../screen/ink.js"
import { err, out } from "../screen/printer.js"
import { EXIT, UsageError } from "../usage.js"
import { type CommandOptions, optionRows, type Subcommand } from "./subcommand.js"

const OPTIONS = {
  port: { type: "string", value: "N", help: "the port; a free one unless given" },
  report: { type: "string", value: "FILE", help: "everything that was seen, as JSON, when it ends" },
  strict: {
    type: "boolean",
    default: false,
    help: "exit code 1 if it refused a request, or if an expectation of the script did not hold",
  },
  quiet: { type: "boolean", default: false, help: "no line for each request" },
} as const satisfies CommandOptions

export const subcommand: Subcommand = {
  help: `sotto rehearse [SCRIPT] [options]: a strict stand-in for Anthropic, OpenAI and Gemini, on loopback

Point any client at the address that it prints, with any key. It refuses what the real APIs refuse, in their words, and
accounts for the prompt cache as they would. SCRIPT is a YAML or JSON file that says what the model answers (-: standard
input); without one the stand-in improvises a short tour with the tools of each request.

${optionRows(OPTIONS, 19)}

Standard output has one line: listening on http://127.0.0.1:PORT. Everything else goes to standard error.
A client asks for a fault with the header x-rehearsal-fault: 529, 429 retry-after=2, drop=before, drop=middle,
event=529 or malformed; with *2 only the first two times that the same request comes.
SIGINT and SIGTERM end it. docs/rehearsal.md is its manual.
`,
  options: OPTIONS,
  manual: ["sotto rehearse", "../rehearsal.md"],
  run,
}

/** Requests that `--report` holds; of a longer run the newest. Each may have a body of megabytes. */
const KEPT = 1_000

/** Serves the strict stand-in provider until a signal ends it. */
async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
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
