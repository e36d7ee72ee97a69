import { realpathSync, writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { setFlagsFromString } from "node:v8"
import { redact } from "@sotto/core/secrets"
import { fileReason, knownSecrets } from "@sotto/harness"
import { embeddedTrace, pageWith } from "@sotto/inspector"
import { createLens, type Lens, type LensOptions, type Report } from "@sotto/lens"
import { createPages, type Pages } from "@sotto/lens/pages"
import { OversizedPart, openSource, type TrafficSource, UnknownSource } from "@sotto/lens/sources"
import { counted } from "../output/figures.js"
import { reportLines } from "../output/report.js"
import { inkFor } from "../screen/ink.js"
import { err, out } from "../screen/printer.js"
import { Progress } from "../screen/progress.js"
import { exceeded, gatesOf } from "../traffic/gates.js"
import { type Named, namedBy } from "../traffic/named.js"
import { ownModels, pricesIn } from "../traffic/prices.js"
import { EXIT, UsageError } from "../usage.js"
import { type CommandOptions, optionRows, type Subcommand } from "./subcommand.js"

const REPORT_OPTIONS = {
  json: { type: "boolean", default: false, help: "the report as one JSON object" },
  html: { type: "string", value: "FILE", help: "the report as a page, too" },
  verbose: {
    type: "boolean",
    default: false,
    help: "all findings, threads and breaks, with excerpts in full",
  },
} as const satisfies CommandOptions

const LIMIT_OPTIONS = {
  "max-breaks": {
    type: "string",
    value: "N",
    help: "fail if there are more breaks; a summary of the history is none",
  },
  "max-reminders": {
    type: "string",
    value: "PERCENT",
    help: "fail if reminders are more than that of what a thread sent",
  },
  "fail-on": {
    type: "string",
    multiple: true,
    value: "ID|SEVERITY",
    help: "fail if there is such a finding: its id, or error, warning, note (and worse); may be repeated",
  },
} as const satisfies CommandOptions

export const subcommand: Subcommand = {
  help: `sotto check SOURCE… [options]: what broke the prompt cache, what the model was told, what it cost

A source is a file, a folder, a session of Sotto, or - for standard input. What it is, is recognised by its content:
  JSONL of request bodies, or of calls (request and response), as \`sotto proxy\` records them
  a HAR file, as browsers and proxies save it
  a log of Sotto, as \`sotto export\` writes it
  session files of Claude Code (~/.claude/projects), Codex (~/.codex/sessions), pi (~/.pi/agent/sessions),
  opencode (~/.local/share/opencode) and Gemini CLI (~/.gemini/tmp); they hold only part of each request
Nothing is written to a source. A damaged line is a finding, and the rest is read.

${optionRows(REPORT_OPTIONS, 26)}

${optionRows(LIMIT_OPTIONS, 26)}

Exit codes: 0 done   1 a limit is exceeded   2 a source that cannot be read, or another mistake in the command
Costs are in dollars where the model's price is known ("models" in sotto.json can say it), else in tokens.
docs/check.md lists every finding.
`,
  options: { ...REPORT_OPTIONS, ...LIMIT_OPTIONS },
  manual: ["sotto check", "../check.md"],
  run,
}

const NARROWEST = 40
const WIDEST = 120
const USUAL = 100

/** Explains recorded traffic and session files of any agent. */
async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { ...REPORT_OPTIONS, ...LIMIT_OPTIONS },
    allowPositionals: true,
  })
  const gates = gatesOf(values)
  const named = await sourcesFor(positionals)
  if (values.html !== undefined) checkTarget(values.html, positionals)
  const options = await pricing()
  // A page shows every call, so that each has to be kept. Without one only what is compared is.
  const pages = values.html === undefined ? undefined : createPages(options)
  const report = await explain(named, pages ?? createLens(options))
  if (values.html !== undefined && pages !== undefined) writePage(values.html, pages, named)
  if (values.json) out.json(withoutKeys(JSON.stringify(report)))
  else printReport(report, values.verbose)
  const sentences = exceeded(report, gates)
  for (const sentence of sentences) err.line(`sotto: ${sentence}`)
  return sentences.length > 0 ? EXIT.failed : EXIT.done
}

async function sourcesFor(positionals: readonly string[]): Promise<readonly Named[]> {
  const named: Named[] = []
  for (const one of positionals) named.push(...(await namedBy(one)))
  if (positionals.length > 0) return named
  if (process.stdin.isTTY)
    throw new UsageError(
      "What should be checked? sotto check SOURCE…; `sotto check --help` says what a source is.",
    )
  return await namedBy("-")
}

async function pricing(): Promise<LensOptions> {
  return { prices: pricesIn(await ownModels(process.env)) }
}

type Reading = Pick<Lens, "source" | "damage" | "report"> & {
  push(call: Parameters<Lens["push"]>[0]): unknown
}

async function explain(named: readonly Named[], lens: Reading): Promise<Report> {
  // Most of what is read is garbage at once. V8 would let the heap grow to several times what is kept before it collects.
  setFlagsFromString("--heap-growing-percent=25")
  const progress = new Progress()
  let passedOver = 0
  let read = 0
  try {
    for (const one of named) {
      const isSource = await take(one, lens, progress)
      if (isSource) read++
      else passedOver++
    }
  } finally {
    progress.done()
  }
  if (read === 0) throw new UsageError("None of the files there is a recording or a session file.")
  if (passedOver > 0) err.line(`${counted(passedOver, "file")} passed over: no recordings or session files.`)
  return lens.report()
}

/** Reads one source into the lens. Returns false for a file of a folder if the file is not a source. */
async function take(named: Named, lens: Reading, progress: Progress): Promise<boolean> {
  const { name, size } = named
  let bytes = 0
  let calls = 0
  const text = named.open((more) => {
    bytes += more
    progress.show(() => `${name}: ${share(bytes, size)}${counted(calls, "call")}`)
  })
  const source = await open(name, text, named.isAsked)
  if (source === undefined) return false
  lens.source(name, source.format)
  try {
    for await (const item of source.items) {
      if (item.type === "call") lens.push(item.call)
      else lens.damage(item.damage)
      calls++
    }
  } catch (error) {
    throw error instanceof OversizedPart ? unreadable(name, error) : error
  }
  return true
}

async function open(
  name: string,
  text: AsyncIterable<string>,
  isAsked: boolean,
): Promise<TrafficSource | undefined> {
  try {
    return await openSource(name, text)
  } catch (error) {
    if (error instanceof UnknownSource && !isAsked) return undefined
    throw error instanceof UnknownSource ? new UsageError(error.message) : unreadable(name, error)
  }
}

function unreadable(name: string, error: unknown): UsageError {
  if (error instanceof UsageError) return error
  return new UsageError(`${name} cannot be read: ${fileReason(error)}`)
}

function share(bytes: number, size: number | undefined): string {
  const megabytes = `${Math.round(bytes / 1e6)} MB`
  return size === undefined || size === 0
    ? `${megabytes}, `
    : `${Math.min(100, Math.round((bytes / size) * 100))}% of ${Math.round(size / 1e6)} MB, `
}

function printReport(report: Report, verbose: boolean): void {
  const columns = process.stdout.isTTY ? process.stdout.columns : USUAL
  const width = Math.min(WIDEST, Math.max(NARROWEST, columns || USUAL))
  const ink = inkFor(process.stdout.isTTY, process.env)
  for (const pieces of reportLines(JSON.parse(withoutKeys(JSON.stringify(report))), { ink, width, verbose }))
    out.line(...pieces)
}

/** Refuses to write the page over a file that was read. */
function checkTarget(path: string, sources: readonly string[]): void {
  const real = (file: string) => {
    try {
      return realpathSync(file)
    } catch {
      return file
    }
  }
  if (sources.some((source) => real(source) === real(path)))
    throw new UsageError(`--html ${path}: that is a source. Name another file.`)
}

function writePage(path: string, pages: Pages, named: readonly Named[]): void {
  const [first, ...others] = named
  const name = `${first?.name ?? "nothing"}${others.length > 0 ? ` and ${counted(others.length, "more")}` : ""}`
  try {
    // It has excerpts of conversations.
    writeFileSync(path, pageWith(embeddedTrace(pages, name), `${name} · sotto check`, withoutKeys), {
      mode: 0o600,
    })
  } catch (error) {
    throw new UsageError(`--html ${path} cannot be written: ${fileReason(error)}`)
  }
}

function withoutKeys(text: string): string {
  return redact(text, knownSecrets(process.env))
}
