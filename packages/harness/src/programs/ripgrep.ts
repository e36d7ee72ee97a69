import { ToolError } from "../text/errors.js"
import { BoundedLines } from "./bounded-lines.js"
import { childEnvironment } from "./environment.js"
import { startPrinting } from "./start.js"

/** Bytes of a line that are read: more than anybody is shown, and than any path has. */
const LONGEST_LINE = 64_000
/** Characters of a matching line that ripgrep prints. */
const LONGEST_MATCH = 4_000

/**
 * Runs ripgrep and hands over its output line by line, of long lines the start, until it ends or `take` returns false. Finding nothing is no
 * error; what ripgrep complains of (a bad expression) is.
 */
export async function ripgrep(
  args: readonly string[],
  cwd: string,
  abort: AbortSignal,
  take: (line: string) => boolean,
): Promise<void> {
  abort.throwIfAborted()
  const { rgPath } = await import("@vscode/ripgrep")
  const usual = ["--no-config", "--no-messages", "--color=never"]
  const bounds = [`--max-columns=${LONGEST_MATCH}`, "--max-columns-preview"]
  const child = startPrinting(rgPath, [...usual, ...bounds, ...args], {
    cwd,
    env: childEnvironment(process.env),
    signal: abort,
  })
  let complaint = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(0, 2000)
  })
  const ended = new Promise<void>((resolve, reject) => child.on("error", reject).on("close", () => resolve()))
  let enough = false
  // Both are waited for together: a failure to start must not stay unheard while the lines are read.
  const reading = (async () => {
    const lines = new BoundedLines(LONGEST_LINE)
    const hand = (line: string) => {
      if (enough || take(line)) return
      enough = true
      child.kill()
    }
    for await (const chunk of child.stdout) for (const line of lines.take(chunk)) hand(line)
    for (const line of lines.rest()) hand(line)
  })()
  await Promise.all([ended, reading])
  if (!enough && child.exitCode === 2 && complaint !== "")
    throw new ToolError(complaint.replaceAll(/^rg: /gm, "").trim())
}

/** What the ripgrep that is used calls itself. */
export async function ripgrepVersion(): Promise<string> {
  let first = ""
  await ripgrep(["--version"], process.cwd(), new AbortController().signal, (line) => {
    first ||= line
    return true
  })
  return first
}
