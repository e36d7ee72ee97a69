import { createInterface } from "node:readline"
import { parseArgs } from "node:util"
import { LinkError, logIn, loginsFile, logOut, readLogins, whyNoLogin } from "@sotto/harness"
import { watchForLeaving } from "../exit.js"
import { err, out } from "../screen/printer.js"
import { openBrowser } from "../server/browser.js"
import { EXIT, UsageError } from "../usage.js"
import { knownServers, LIST_OPTIONS, serverNamed, timeoutIn } from "./mcp-list.js"
import type { CommandOptions } from "./subcommand.js"

export const LOGIN_OPTIONS = {
  "no-browser": { type: "boolean", help: "only prints the address to open" },
  host: {
    type: "string",
    multiple: true,
    value: "HOST",
    help: "a host that may take part beside the server and its authorization server",
  },
  "client-id": { type: "string", value: "ID", help: "a client that is registered already, with --port" },
  port: {
    type: "string",
    value: "N",
    help: "the port that the browser comes back to; a free one unless given",
  },
} as const satisfies CommandOptions

const USUAL_TIMEOUT = 300

/** Logs the user in at a server. Every address is printed; the browser is opened where there is one. */
export async function login(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { ...LOGIN_OPTIONS, timeout: LIST_OPTIONS.timeout },
    allowPositionals: true,
  })
  const [name, ...more] = positionals
  if (name === undefined || more.length > 0) throw new UsageError("At which server? sotto mcp login NAME.")
  const limit = timeoutIn(values.timeout, USUAL_TIMEOUT)
  const port = portIn(values.port)
  const { problem } = readLogins(process.env)
  if (problem !== undefined) throw new UsageError(problem)
  const server = serverNamed(name, await knownServers())
  const obstacle = whyNoLogin(server)
  if (obstacle !== undefined) throw new UsageError(`${name}: ${obstacle}`)
  const leaving = watchForLeaving()
  let reader: ReturnType<typeof createInterface> | undefined
  try {
    const isDone = await logIn({
      server,
      env: process.env,
      signal: AbortSignal.any([leaving.signal, AbortSignal.timeout(limit)]),
      hosts: values.host ?? [],
      ...(values["client-id"] !== undefined && { client: values["client-id"] }),
      ...(port !== undefined && { port }),
      show: (address, take) => {
        const isOpened = !values["no-browser"] && openBrowser(address, process.env)
        out.line(isOpened ? "Log in on the page that opens in your browser:" : "Log in at this address:")
        out.line(`\n${address}\n`)
        out.line(
          "Is the browser on another machine? It ends at an address that it cannot open: paste that here.",
        )
        reader = createInterface({ input: process.stdin })
        reader.on("line", (line) => {
          const wrong = line.trim() === "" ? undefined : take(line)
          if (wrong !== undefined) err.line(`sotto: ${wrong}`)
        })
      },
    })
    if (isDone)
      out.line(
        `You are logged in at ${name}. The login is kept in ${loginsFile(process.env)}, which only you can read.`,
      )
    else out.line(`${name} answers without a login. Nothing has changed.`)
    return EXIT.done
  } catch (error) {
    if (!(error instanceof LinkError)) throw error
    err.line(`sotto: ${name}: ${error.message}. Nothing is kept of it.`)
    return leaving.code ?? EXIT.failed
  } finally {
    reader?.close()
    process.stdin.destroy()
    leaving.stop()
  }
}

/** Forgets a login, of a server by its name or, where no configuration names it any more, by its address. */
export async function logout(args: readonly string[]): Promise<number> {
  const { positionals } = parseArgs({ args: [...args], options: {}, allowPositionals: true })
  const [given, ...more] = positionals
  if (given === undefined || more.length > 0) throw new UsageError("Of which server? sotto mcp logout NAME.")
  const { logins, problem } = readLogins(process.env)
  if (problem !== undefined) throw new UsageError(problem)
  const url = /^https?:\/\//.test(given) ? given : serverNamed(given, await knownServers()).url
  const done = url !== undefined && URL.canParse(url) ? await logOut(new URL(url), process.env) : undefined
  if (done === undefined) {
    const known =
      logins.size === 0 ? "There are no logins." : `There are logins at: ${[...logins.keys()].join(", ")}.`
    err.line(`sotto: you are not logged in at ${given}. ${known}`)
    return EXIT.failed
  }
  out.line(`You are logged out of ${given}: the login is removed from ${loginsFile(process.env)}.`)
  if (done.problem !== undefined) err.line(`sotto: ${done.problem}. It ends by itself when its time is over.`)
  return EXIT.done
}

function portIn(given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  const port = Number(given)
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new UsageError(`--port ${given}: use a number from 1 to 65535.`)
}
