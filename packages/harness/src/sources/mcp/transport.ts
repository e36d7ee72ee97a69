import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { type ChildEnvironment, withVariables } from "../../execution/programs/environment.js"
import { helper } from "../../execution/programs/supervise.js"
import type { Project } from "../../platform/workspace/project.js"
import type { McpServerConfig } from "../../settings/config/variables.js"
import { refusal, searchPath } from "../../settings/trust/programs.js"
import { cappedFetch } from "./capped-fetch.js"
import { ProcessTransport } from "./stdio.js"

/** Where servers run, and where what they print goes. */
export interface ServerHost extends Project {
  readonly env: ChildEnvironment
  /** Variables that the user wants children to have. */
  readonly named: readonly string[]
  /** Takes what a server prints to its standard error. */
  log(chunk: Buffer): void
}

/**
 * What a server's process inherits: enough for programs to be found and to speak the user's language. Keys and tokens
 * of other services are none of its business; those it needs are given by name, as `env` of its configuration.
 */
const INHERITED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|XDG_\w+|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|(https?|no|all)_proxy|APPDATA|LOCALAPPDATA|USERPROFILE|USERNAME|HOMEDRIVE|HOMEPATH|PATHEXT|SYSTEMROOT|SYSTEMDRIVE|PROGRAMFILES|PROCESSOR_ARCHITECTURE)$/i

/** A way to the server; another one to be tried if the first turns out not to be its way. */
export type Ways = readonly (() => Promise<Transport>)[]

export function waysTo(server: McpServerConfig, host: ServerHost, onStreamEnd: () => void): Ways {
  const { type, command, url } = server
  if (command !== undefined && (type === undefined || type === "stdio")) {
    const why = refusal(command, server.args ?? [], host)
    if (why !== undefined) throw new Error(why)
    const cwd = server.cwd ?? host.cwd
    const env = withVariables(inherited(host), {
      ...(host.env.PATH !== undefined && { PATH: searchPath(host) }),
      ...server.env,
    })
    // At once, so that it gets ready while the SDK is loaded.
    const transport = helper([command, ...(server.args ?? [])], { cwd, env }).then(
      (launch) => new ProcessTransport({ launch, command, cwd, env, log: host.log }),
    )
    return [() => transport]
  }
  const address = new URL(url ?? "")
  const options = { requestInit: { headers: { ...server.headers } }, fetch: cappedFetch(onStreamEnd) }
  const streamable = async () => {
    const { StreamableHTTPClientTransport } = await import(
      "@modelcontextprotocol/sdk/client/streamableHttp.js"
    )
    return new StreamableHTTPClientTransport(address, options) as Transport
  }
  const events = async () => {
    const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js")
    return new SSEClientTransport(address, options)
  }
  // Servers of the protocol's first version know nothing but event streams, and refuse the rest.
  return type === "sse" ? [events] : type === undefined ? [streamable, events] : [streamable]
}

function inherited({ env, named }: ServerHost): ChildEnvironment {
  const passed = Object.entries(env).filter(([name]) => INHERITED.test(name) || named.includes(name))
  return Object.fromEntries(passed) as ChildEnvironment
}
