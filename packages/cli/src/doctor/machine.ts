import {
  type Config,
  findSandbox,
  ownProcesses,
  printedBy,
  ripgrepVersion,
  sandboxProblem,
  withheldFrom,
} from "@sotto/harness"
import { type CheckResult, failed, ok, warning } from "./check-result.js"

type Variables = Readonly<Record<string, string | undefined>>

/** Names the Node that runs this. It is new enough: `bin/sotto.js` refuses one that is too old. */
export async function node(): Promise<CheckResult> {
  return ok(process.versions.node)
}

export async function ripgrep(): Promise<CheckResult> {
  try {
    return ok(await ripgrepVersion())
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined
    const why =
      code === "ENOENT" || code === "ERR_MODULE_NOT_FOUND"
        ? "its program is missing"
        : code === "EACCES"
          ? "its program is not executable"
          : String(error instanceof Error ? error.message : error)
    return failed(
      `${why}: grep, glob and the completion of file names do not work.`,
      "Install Sotto again: npm install -g sotto. It brings ripgrep along, unless npm was told to leave out optional packages.",
    )
  }
}

const BOUNDS = { most: 10_000, within: 5_000 }

export async function git(): Promise<CheckResult> {
  const printed = await printedBy(["git", "--version"], process.env, BOUNDS)
  if (printed !== undefined)
    return ok(
      printed
        .toString("utf8")
        .trim()
        .replace(/^git version /, ""),
    )
  return warning(
    "git is not in PATH, or does not start: the agent cannot look at changes, and cannot commit.",
    "Install git.",
  )
}

/** Tries the sandbox, and whether programs that Sotto starts can be kept from seeing its processes. */
export async function sandbox({ processes }: Config): Promise<CheckResult> {
  const found = await findSandbox()
  if (found === undefined) {
    const { why, remedy } = await sandboxProblem(process.env)
    return warning(
      `${why} Commands that are judged to read run unconfined, plan mode and read-only subagents run only those, and "sandbox": "workspace" runs none. ${READABLE}`,
      remedy,
    )
  }
  if (processes === "shared")
    return warning(
      `${found.name}; your sotto.json says "processes": "shared". ${READABLE}`,
      'Take "processes" out.',
    )
  if ((await ownProcesses(process.cwd())) === undefined)
    return warning(
      `${found.name}, but programs get no processes of their own. ${READABLE}`,
      "Update bubblewrap.",
    )
  return ok(found.name)
}

const READABLE = "A program that you allow can read Sotto's own variables, keys included, through /proc."

/** Names the variables that programs do not get. Their values are never shown. */
export async function environment(config: Config): Promise<CheckResult> {
  const withheld = withheldFrom(process.env, config)
  if (withheld.length === 0) return ok("no variable looks like a secret")
  return ok(
    `withheld from commands, hooks and servers, because they look like secrets: ${withheld.join(", ")}. To pass one on, name it in your own sotto.json: "env": {"pass": ["${withheld[0]}"]}`,
  )
}

/** Columns that the terminal UI needs to show a line of code. */
const NARROW = 60

export async function terminal(env: Variables = process.env, stdout = process.stdout): Promise<CheckResult> {
  if (!stdout.isTTY) return ok("standard output is not a terminal; `sotto` would take a line at a time")
  const { columns } = stdout
  if (env.TERM === "dumb" || !env.TERM)
    return warning(
      `TERM is ${env.TERM ? `"${env.TERM}"` : "not set"}: Sotto cannot draw, and takes a line at a time.`,
      "Set TERM to what your terminal is, such as xterm-256color.",
    )
  if (!isUtf8(env))
    return warning(
      `The locale (${localeOf(env) || "none is set"}) is not UTF-8: letters, marks and lines are garbled.`,
      "Set LANG to a UTF-8 locale, such as C.UTF-8.",
    )
  if (columns < NARROW)
    return warning(
      `It has ${columns} columns: lines of code are cut.`,
      `Make the window at least ${NARROW} columns wide.`,
    )
  const colours = env.NO_COLOR ? "no colours (NO_COLOR is set)" : "colours"
  return ok(`${env.TERM}, ${columns} columns, UTF-8, ${colours}`)
}

function localeOf({ LC_ALL, LC_CTYPE, LANG }: Variables): string {
  return LC_ALL || LC_CTYPE || LANG || ""
}

/** Checks the locale only on Linux: macOS sets no locale in some terminals, and takes UTF-8 in all of them. */
function isUtf8(env: Variables): boolean {
  return process.platform !== "linux" || /utf-?8/i.test(localeOf(env))
}
