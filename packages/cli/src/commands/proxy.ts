import { parseArgs } from "node:util"
import { redact } from "@sotto/core/secrets"
import { decideTrust, knownSecrets, loadConfig, reasonOf, startAttached } from "@sotto/harness"
import type { Report } from "@sotto/lens"
import { watchForLeaving } from "../exit.js"
import { reportLines } from "../output/report.js"
import { type AgentLaunch, launchOf, refusesWebSockets, variablesFor } from "../proxy/launch/launch.js"
import { type PolicyFlags, policyOf, policyText } from "../proxy/mender/policy.js"
import { type ProxyMessages, tellingTo } from "../proxy/messages.js"
import { checkRecording } from "../proxy/recorder/file.js"
import { type StartedProxy, startProxy } from "../proxy/start.js"
import { basesAt, type Upstreams, upstreamsIn } from "../proxy/transport/upstreams.js"
import { inkFor } from "../screen/ink.js"
import { err } from "../screen/printer.js"
import { EXIT, UsageError } from "../usage.js"
import { type CommandOptions, optionRows, type Subcommand } from "./subcommand.js"

const PROXY_OPTIONS = {
  port: { type: "string", default: "0", value: "N", help: "listen there; a free port unless given" },
  record: {
    type: "string",
    value: "FILE",
    help: "add every call to FILE, readable by you only; `sotto check FILE` explains it later",
  },
  log: {
    type: "string",
    value: "FILE",
    help: `the line about each call goes there. Otherwise it goes to standard error, or waits until the
command has ended if that has the terminal`,
  },
  upstream: {
    type: "string",
    value: "URL",
    help: "where requests go whose path is no provider's. Otherwise they are refused",
  },
} as const satisfies CommandOptions

const HOLD_OPTION = {
  hold: {
    type: "string",
    help: "what was sent before goes out as it was first sent; what is new is told once",
  },
} as const satisfies CommandOptions

const MENDER_OPTIONS = {
  mute: {
    type: "string",
    multiple: true,
    value: "KIND",
    help: "reminders of this kind are no longer sent; may be repeated",
  },
  throttle: {
    type: "string",
    multiple: true,
    value: "KIND=STEPS",
    help: "reminders of this kind are sent at most once in so many steps; may be repeated",
  },
  smoosh: {
    type: "boolean",
    help: "Anthropic's API: reminders that follow tool results go out inside the last result",
  },
  breakpoints: { type: "boolean", help: "adds cache markers where the agent placed none within reach" },
} as const satisfies CommandOptions

export const subcommand: Subcommand = {
  help: `sotto proxy [options] [-- COMMAND…]: stands between an agent and its provider, and explains what passes

  sotto proxy -- claude           starts the command with all providers' base URLs set to the proxy. For codex, opencode,
                                  pi and aider it sets what else they need. None of their files is changed
  sotto proxy                     says what to set, and runs until Ctrl+C

${optionRows(PROXY_OPTIONS, 27)}
Mending, each off unless named here or under "proxy" in sotto.json:
${optionRows(HOLD_OPTION, 27)}
  --hold=results           the same for tool results that the agent masks
${optionRows(MENDER_OPTIONS, 27)}

A request goes on to the address that ANTHROPIC_BASE_URL, OPENAI_BASE_URL or GOOGLE_GEMINI_BASE_URL named when the proxy
was started, else to the provider's own. A path that no provider is known by is refused unless --upstream is given, and so
is a request of a page in a browser. Without mending, requests and responses pass byte for byte.
Credentials are passed on and never recorded. Without --record and mending nothing of the traffic touches the disk.
Exit code: the command's. docs/proxy.md tells more.
`,
  options: { ...PROXY_OPTIONS, ...HOLD_OPTION, ...MENDER_OPTIONS },
  manual: ["sotto proxy", "../proxy.md"],
  run,
}

const WIDTH = { narrowest: 40, usual: 100, widest: 120 } as const
/** The exit codes of shells for a program that is not found, or that cannot be run. */
const NOT_FOUND = 127
const NOT_RUNNABLE = 126

/** Stands between an agent and its provider: shows, records and, if asked, mends what passes. */
async function run(args: readonly string[]): Promise<number> {
  const { flags, port, record, log, upstream, command } = parsed(args)
  const { env } = process
  const upstreams = upstreamsIn(env, upstream)
  const trust = await decideTrust({ cwd: process.cwd(), env })
  const config = await loadConfig({ cwd: process.cwd(), env, trusted: trust.trusted })
  const policy = policyOf(flags, config.proxy)
  if (record !== undefined) await checkRecording(record)
  const isTerminalTaken = command !== undefined && log === undefined && process.stderr.isTTY === true
  const telling = tellingTo(log, isTerminalTaken)
  refuseLoop(upstreams, port)
  const running = await started(port, {
    port,
    upstreams,
    env,
    models: config,
    record,
    policy,
    command,
    refusesWebSockets: command !== undefined && refusesWebSockets(command),
    say: (line) => telling.say(withoutKeys(line)),
  })
  err.line(`sotto proxy: listening on http://127.0.0.1:${running.port}`)
  for (const line of whereTo(upstreams)) err.line(withoutKeys(line))
  if (policy !== undefined) err.line(`Requests are mended: ${policyText(policy)}`)
  if (trust.leftOut.some(({ what }) => what === "proxy"))
    err.line(
      "The folder's sotto.json has settings for the proxy, which count once you trust it: sotto trust add",
    )
  if (record !== undefined) err.line(`Calls are recorded in ${record}`)
  const code =
    command === undefined
      ? await untilLeft(running)
      : await during(launchOf(command, basesAt(running.port), env), command[0], isTerminalTaken)
  return finish(running, telling, code)
}

function parsed(args: readonly string[]) {
  const split = args.indexOf("--")
  const own = (split < 0 ? args : args.slice(0, split)).map((arg) => (arg === "--hold" ? "--hold=" : arg))
  const [program, ...rest] = split < 0 ? [] : args.slice(split + 1)
  const { values, positionals } = parseArgs({
    args: own,
    options: { ...PROXY_OPTIONS, ...HOLD_OPTION, ...MENDER_OPTIONS },
    allowPositionals: true,
  })
  const [word] = positionals
  if (word !== undefined)
    throw new UsageError(
      `What is "${word}"? A command comes after --: sotto proxy -- ${positionals.join(" ")}`,
    )
  if (split >= 0 && program === undefined)
    throw new UsageError("Which command? For example: sotto proxy -- claude")
  const port = Number(values.port)
  if (!/^\d+$/.test(values.port) || port > 65_535)
    throw new UsageError(`--port ${values.port}: a port is a number up to 65535; 0 takes a free one.`)
  const flags: PolicyFlags = values
  const command: readonly [string, ...string[]] | undefined =
    program === undefined ? undefined : [program, ...rest]
  const { record, log, upstream } = values
  return { flags, port, record, log, upstream, command }
}

async function started(port: number, options: Parameters<typeof startProxy>[0]): Promise<StartedProxy> {
  try {
    return await startProxy(options)
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE")
      throw new UsageError(`--port ${port} is taken. Name another, or leave it out to have a free one.`)
    throw error
  }
}

/**
 * Refuses the proxy's own address as an upstream: the variables may still be set from an earlier run on the same port.
 */
function refuseLoop({ others, ...providers }: Upstreams, port: number): void {
  const places = Object.values(providers).map(({ provider, base }) => [provider, base] as const)
  for (const [whose, base] of [...places, ...(others ? [["other paths", others] as const] : [])])
    if (port !== 0 && base.port === String(port) && /^(localhost|127\.|\[::1\])/.test(base.hostname))
      throw new UsageError(
        `The address for ${whose}, ${base.origin}, is this proxy's own. Name another one, or take another --port.`,
      )
}

function whereTo({ others, ...providers }: Upstreams): readonly string[] {
  const place = (base: URL) => `${base.origin}${base.pathname.replace(/\/$/, "")}`
  const places = Object.values(providers).map(({ base }) => place(base))
  return [
    `Requests go on to ${places.join(", ")}.`,
    others
      ? `Other paths go on to ${place(others)}.`
      : "Other paths are refused: --upstream URL names where they go.",
  ]
}

/** Says what to set, where no command was given, and runs until a signal. */
async function untilLeft(running: StartedProxy): Promise<number> {
  err.line("Set these where your agent runs:")
  for (const [name, value] of Object.entries(variablesFor(basesAt(running.port))))
    err.line(`  export ${name}=${value}`)
  err.line("Or have it started: sotto proxy -- COMMAND. Ctrl+C ends the proxy and prints the findings.")
  const leaving = watchForLeaving()
  await new Promise<void>((resolve) => {
    if (leaving.signal.aborted) resolve()
    else leaving.signal.addEventListener("abort", () => resolve())
  })
  leaving.stop()
  // Being told to end is how it ends.
  return leaving.code === EXIT.unread ? EXIT.unread : EXIT.done
}

/** Runs the command to its end. Its exit code is the proxy's. */
async function during(launch: AgentLaunch, name: string, isTerminalTaken: boolean): Promise<number> {
  err.line(`Set for ${name}:`)
  for (const line of launch.said) err.line(`  ${line}`)
  if (isTerminalTaken) err.line("Calls are told when the command has ended, or at once with --log FILE.")
  // Before the command starts: it may be told to end as soon as it is there, and would outlive a proxy that does not listen.
  const early: NodeJS.Signals[] = []
  let pass = (signal: NodeJS.Signals): void => {
    early.push(signal)
  }
  const listeners = (["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"] as const).map((signal) => {
    // In a terminal the command has heard Ctrl+C itself: it decides what that means.
    const isHeard = process.stdin.isTTY === true && (signal === "SIGINT" || signal === "SIGQUIT")
    return [signal, isHeard ? () => {} : () => pass(signal)] as const
  })
  for (const [signal, listener] of listeners) process.on(signal, listener)
  const child = startAttached(launch.command, launch.env)
  pass = (signal) => child.signal(signal)
  for (const signal of early) pass(signal)
  try {
    return await child.ended
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT"
    err.line(`sotto: ${name} cannot be started: ${isMissing ? "there is no such program" : reasonOf(error)}.`)
    return isMissing ? NOT_FOUND : NOT_RUNNABLE
  } finally {
    for (const [signal, listener] of listeners) process.removeListener(signal, listener)
    launch.close()
  }
}

async function finish(running: StartedProxy, telling: ProxyMessages, code: number): Promise<number> {
  const { report, notes } = await running.end()
  for (const line of telling.rest()) err.line(line)
  for (const note of notes) err.line(`sotto: ${note}`)
  if (report === undefined) err.line("sotto: the findings are lost with the analysis.")
  else if (report.threads.length > 0 || report.findings.length > 0) printReport(report)
  else err.line("No call to a model passed.")
  return code
}

function printReport(report: Report): void {
  const columns = process.stderr.isTTY ? process.stderr.columns : WIDTH.usual
  const width = Math.min(WIDTH.widest, Math.max(WIDTH.narrowest, columns || WIDTH.usual))
  const ink = inkFor(process.stderr.isTTY, process.env)
  const redacted: Report = JSON.parse(withoutKeys(JSON.stringify(report)))
  err.line()
  for (const pieces of reportLines(redacted, { ink, width, verbose: false })) err.line(...pieces)
}

function withoutKeys(text: string): string {
  return redact(text, knownSecrets(process.env))
}
