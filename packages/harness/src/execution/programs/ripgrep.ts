import { statSync } from "node:fs"
import { dirname, join } from "node:path"
import { ToolError } from "../../platform/text/errors.js"
import { foldersBelow } from "../../platform/workspace/walk.js"
import { BoundedLines } from "./bounded-lines.js"
import { childEnvironment } from "./environment.js"
import { endingOf, type ProgramLimits } from "./launch.js"
import { startPrinting } from "./start.js"
import { helper } from "./supervise.js"

const NAMES = [".ignore", ".rgignore", ".gitignore", ".git/info/exclude"]
/** Bytes. A real ignore file is not longer. */
const LONGEST = 1_000_000
/** Folders that are looked into at most. */
const MOST_FOLDERS = 50_000

/** True if ripgrep would read an ignore file of the folder, or above it, that is a pipe, a device or too long. */
function hasBadIgnoreFile(folder: string): boolean {
  const parent = dirname(folder)
  return NAMES.some((name) => isBad(join(folder, name))) || (parent !== folder && hasBadIgnoreFile(parent))
}

async function hasBadIgnoreFileBelow(folder: string): Promise<boolean> {
  const enters = (name: string) => name !== ".git"
  for await (const { folder: one, entries } of foldersBelow(folder, { most: MOST_FOLDERS, enters }))
    if (entries.some(({ name }) => NAMES.includes(name) && isBad(join(one, name)))) return true
  return false
}

/** Lists the ignore files of one folder that can be read. */
function goodIgnoreFiles(folder: string): readonly string[] {
  return NAMES.map((name) => join(folder, name)).filter(
    (path) => statSync(path, { throwIfNoEntry: false }) !== undefined && !isBad(path),
  )
}

function isBad(path: string): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found !== undefined && !found.isDirectory() && (!found.isFile() || found.size > LONGEST)
  } catch {
    return false // A circle of links, or nothing that ripgrep could open either.
  }
}

/** Bytes of a line that are read: more than anybody is shown, and than any path has. */
const LONGEST_LINE = 64_000
/** Characters of a matching line that ripgrep prints. */
const LONGEST_MATCH = 4_000
const LONGEST_SEARCH_S = 60
/** A search that takes so long may be stuck in an ignore file that has no end. */
const LOOK_AFTER_MS = 700
const LIMITS: ProgramLimits = { memory: 1024 ** 3 }

type Take = (line: string) => boolean

/**
 * Runs ripgrep and hands over its output line by line, of long lines the start, until it ends or `take` returns false.
 * Finding nothing does not count as an error; what ripgrep complains of (a bad expression) does. An ignore file that is
 * a pipe, a device or too long is not read: a search that met one is done again without ignore files but those of the
 * folder itself.
 */
export async function ripgrep(
  args: readonly string[],
  cwd: string,
  abort: AbortSignal,
  take: Take,
): Promise<void> {
  const ignores = !args.includes("--no-ignore")
  const handed = new Set<string>()
  if (!ignores || !hasBadIgnoreFile(cwd)) {
    const once: Take = (line) => {
      handed.add(line)
      return take(line)
    }
    const isStuck = () => (ignores ? hasBadIgnoreFileBelow(cwd) : Promise.resolve(false))
    if ((await search(args, cwd, abort, once, isStuck)) === "done") return
  }
  const without = ["--no-ignore", ...goodIgnoreFiles(cwd).map((path) => `--ignore-file=${path}`)]
  await search([...without, ...args], cwd, abort, (line) => handed.has(line) || take(line))
}

/** Searches once. Resolves to "stuck" if the search did not end well and `isStuck` says that ignore files are why. */
async function search(
  args: readonly string[],
  cwd: string,
  abort: AbortSignal,
  take: Take,
  isStuck: () => Promise<boolean> = async () => false,
): Promise<"done" | "stuck"> {
  abort.throwIfAborted()
  const { rgPath } = await import("@vscode/ripgrep")
  const usual = ["--no-config", "--no-messages", "--color=never"]
  const bounds = [`--max-columns=${LONGEST_MATCH}`, "--max-columns-preview"]
  const env = childEnvironment(process.env)
  const launch = await helper([rgPath, ...usual, ...bounds, ...args], { cwd, env }, LIMITS)
  const child = startPrinting(launch, { cwd, env, signal: abort })
  let complaint = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(0, 2000)
  })
  let why: "enough" | "stuck" | "too long" | undefined
  const stop = (reason: typeof why) => {
    why ??= reason
    child.kill("SIGKILL")
  }
  const ended = new Promise<void>((resolve, reject) => child.on("error", reject).on("close", () => resolve()))
  // Both are waited for together: a failure to start must not stay unheard while the lines are read.
  const reading = (async () => {
    const lines = new BoundedLines(LONGEST_LINE)
    const hand = (line: string) => {
      if (why === undefined && !take(line)) stop("enough")
    }
    for await (const chunk of child.stdout) for (const line of lines.take(chunk)) hand(line)
    for (const line of lines.rest()) hand(line)
  })()
  const look = setTimeout(async () => (await isStuck()) && stop("stuck"), LOOK_AFTER_MS)
  const late = setTimeout(() => stop("too long"), LONGEST_SEARCH_S * 1000)
  await Promise.all([ended, reading]).finally(() => {
    clearTimeout(look)
    clearTimeout(late)
  })
  if (why === "too long")
    throw new ToolError(`The search was stopped after ${LONGEST_SEARCH_S} s. Give a narrower path or glob.`)
  if (why !== undefined) return why === "stuck" ? "stuck" : "done"
  const { code, signal } = endingOf(launch, child.exitCode, child.signalCode)
  if (signal !== null) {
    if (await isStuck()) return "stuck"
    throw new ToolError(`The search needed too much memory (${signal}). Give a narrower path or glob.`)
  }
  if (code === 2 && complaint !== "") throw new ToolError(complaint.replaceAll(/^rg: /gm, "").trim())
  return "done"
}

/** Gives the version that the ripgrep in use says of itself. */
export async function ripgrepVersion(): Promise<string> {
  let first = ""
  await ripgrep(["--version"], process.cwd(), new AbortController().signal, (line) => {
    first ||= line
    return true
  })
  return first
}
