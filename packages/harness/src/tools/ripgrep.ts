import { createInterface } from "node:readline"
import { childEnvironment } from "../programs/environment.js"
import { startPrinting } from "../programs/start.js"
import { ToolError } from "./tool.js"

/**
 * Runs ripgrep and hands over its output line by line, until it ends or `take` returns false. Finding nothing is no
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
  const child = startPrinting(rgPath, ["--no-config", "--no-messages", "--color=never", ...args], {
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
    for await (const line of createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY }))
      if (!enough && !take(line)) {
        enough = true
        child.kill()
      }
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
