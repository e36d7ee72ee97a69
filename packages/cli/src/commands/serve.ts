import { statSync } from "node:fs"
import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { wrongName } from "@sotto/harness"
import { watchForLeaving } from "../exit.js"
import { err, out } from "../screen/printer.js"
import { isLoopback } from "../server/access.js"
import { EXIT, UsageError } from "../usage.js"
import { channel, TOKEN_OPTIONS, token } from "./serve-credentials.js"
import { type CommandOptions, optionRows, type Subcommand } from "./subcommand.js"

/** How long the server may take to stop, at most. */
const DRAIN_MS = 10_000

const OPTIONS = {
  port: {
    type: "string",
    value: "N",
    help: `4096 unless given; 0 takes a free one. "listening on http://…" on standard output says which`,
  },
  host: {
    type: "string",
    value: "ADDRESS",
    help: "the address to listen on instead of 127.0.0.1: other machines may then reach the server",
  },
  name: {
    type: "string",
    multiple: true,
    value: "NAME",
    help: "a name under which it is reached there; may be repeated",
  },
  workspace: {
    type: "string",
    multiple: true,
    value: "NAME=PATH",
    help: "a workspace that other machines have too, and where it is here; may be repeated",
  },
  sessions: {
    type: "string",
    value: "N",
    help: "at most so many sessions at work here at once; 32 unless given",
  },
  "metrics-open": {
    type: "boolean",
    help: "GET /metrics needs no token: for who may reach the server anyway, such as a Prometheus on this machine",
  },
  store: {
    type: "string",
    value: "PLACE",
    help: "serve the sessions of that store: the path of a file, or postgres://user@host/database",
  },
} as const satisfies CommandOptions

export const subcommand: Subcommand = {
  help: `sotto serve [options]: sessions over HTTP and server-sent events

${optionRows(OPTIONS, 25)}

  sotto serve channel add NAME       a credential for somebody who may only send messages; prints its token once
  sotto serve channel remove NAME
  sotto serve channel list

  sotto serve token add NAME --scope read,talk,answer,administer    a credential with limits; prints it once
${optionRows(TOKEN_OPTIONS, 25, 4)}
  sotto serve token remove NAME
  sotto serve token list

Requests carry the token of the file server.token in Sotto's folder, or SOTTO_TOKEN: Authorization: Bearer TOKEN.
/openapi.json describes them, and docs/server.md explains them. On SIGTERM or Ctrl+C it stops every session and exits,
within ${DRAIN_MS / 1000} seconds: with a database, other servers go on with what it was at work on.
`,
  options: { ...OPTIONS, ...TOKEN_OPTIONS },
  manual: ["The server", "../server.md"],
  run,
}

async function run(args: readonly string[]): Promise<number> {
  if (args[0] === "channel") return channel(args.slice(1))
  if (args[0] === "token") return token(args.slice(1))
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  if (positionals.length > 0)
    throw new UsageError(`sotto serve takes no "${positionals[0]}". See \`sotto serve --help\`.`)
  const host = values.host ?? "127.0.0.1"
  if (!isLoopback(host))
    err.line(
      `sotto: warning: listening on ${host}, which others can reach. Traffic is not encrypted, and who has the token can run commands as you.`,
    )
  // Loaded here, because completions load this file for its options alone.
  const { startServer } = await import("../server/server.js")
  const leaving = watchForLeaving()
  const server = await startServer({
    env: process.env,
    port: portOf(values.port),
    host,
    ...(values.name && { names: values.name }),
    workspaces: workspacesIn(values.workspace ?? []),
    ...(values.sessions !== undefined && { sessions: countOf(values.sessions) }),
    takes: true,
    archives: true,
    posts: true,
    isMetricsOpen: values["metrics-open"] ?? false,
  })
  out.line(`listening on http://${isLoopback(host) ? "127.0.0.1" : host}:${server.port}`)
  await ended(leaving.signal)
  // Whatever hangs: a session that was not given back goes to another worker when its lease has ended.
  setTimeout(() => {
    err.line(`sotto: not everything came to rest within ${DRAIN_MS / 1000} seconds; exiting all the same.`)
    process.exit(EXIT.done)
  }, DRAIN_MS).unref()
  await server.close()
  leaving.stop()
  // A server is meant to be ended like this.
  return EXIT.done
}

function workspacesIn(given: readonly string[]): Readonly<Record<string, string>> {
  const entries = given.map((one) => {
    const [, name = "", path = ""] = /^([^=]*)=(.+)$/.exec(one) ?? []
    if (path === "") throw new UsageError(`--workspace ${one}: use NAME=PATH, such as app=/srv/app.`)
    const wrong = wrongName(name)
    if (wrong !== undefined) throw new UsageError(`--workspace ${one}: ${wrong}`)
    const folder = resolve(path)
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`--workspace ${one}: there is no folder ${folder}.`)
    return [name, folder] as const
  })
  return Object.fromEntries(entries)
}

function countOf(given: string): number {
  const count = Number(given)
  if (!/^\d+$/.test(given) || count < 1) throw new UsageError(`--sessions ${given}: use a number from 1 on.`)
  return count
}

export function portOf(given: string | undefined, usual = 4096): number {
  if (given === undefined) return usual
  const port = Number(given)
  if (!/^\d+$/.test(given) || port > 65_535)
    throw new UsageError(`--port ${given}: use a number from 0 to 65535.`)
  return port
}

export function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener("abort", () => resolve(), { once: true })
  })
}
