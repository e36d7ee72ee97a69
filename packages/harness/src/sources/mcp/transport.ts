import type { FetchLike, Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { type ChildEnvironment, withVariables } from "../../execution/programs/environment.js"
import { helper } from "../../execution/programs/supervise.js"
import { type Fetch, fetchThrough } from "../../platform/network/fetch.js"
import type { ProxySettings } from "../../platform/network/proxy-settings.js"
import type { Environment } from "../../platform/workspace/folders.js"
import type { Project } from "../../platform/workspace/project.js"
import type { McpServerConfig } from "../../settings/config/variables.js"
import { refusal, searchPath } from "../../settings/trust/programs.js"
import { fieldsOf } from "./fields.js"
import { LineSplitter } from "./line-splitter.js"
import type { LinkError } from "./link-error.js"
import { authorizedFetch } from "./login/authorized-fetch.js"
import { ProcessTransport } from "./stdio.js"
import { answeredBy, LONGEST_MESSAGE, tooLongAnswer } from "./too-long.js"

/** Of the body of a refusal, which only people read. */
const LONGEST_REFUSAL = 10_000

/** Makes a fetch that takes no message longer than may be held, and says when a stream has come to its end. */
function cappedFetch(fetch: Fetch, onStreamEnd: () => void): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init)
    const { body, status, statusText, headers } = response
    if (body === null) return response
    const as = (content: ReadableStream<Uint8Array> | string) =>
      new Response(content, { status, statusText, headers: plain(headers) })
    if (!response.ok) return as(body.pipeThrough(cutAfter(LONGEST_REFUSAL)))
    const type = headers.get("content-type") ?? ""
    const asked = requestIn(init?.body)
    if (type.startsWith("text/event-stream")) return as(body.pipeThrough(eventsWithin(asked, onStreamEnd)))
    if (type.startsWith("application/json")) return as(await jsonWithin(body, asked))
    return response
  }
}

/** Removes headers that do not hold any more: the body is neither compressed nor as long as it was. */
function plain(headers: Headers): Headers {
  const kept = new Headers(headers)
  for (const name of ["content-encoding", "content-length"]) kept.delete(name)
  return kept
}

function requestIn(body: unknown): unknown {
  if (typeof body !== "string") return undefined
  try {
    return fieldsOf(JSON.parse(body)).id
  } catch {
    return undefined
  }
}

async function jsonWithin(body: ReadableStream<Uint8Array>, id: unknown): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    // Leaving the loop cancels the rest of it.
    if (bytes > LONGEST_MESSAGE) return JSON.stringify(tooLongAnswer(id, bytes))
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

/** Reads events by lines: an event has its data in one line, because JSON that is sent has no line breaks. */
function eventsWithin(asked: unknown, onEnd: () => void): TransformStream<Uint8Array, Uint8Array> {
  const encoder = new TextEncoder()
  let lines: LineSplitter
  return new TransformStream({
    start(controller) {
      const send = (line: string) => controller.enqueue(encoder.encode(`${line}\n`))
      lines = new LineSplitter(LONGEST_MESSAGE, send, (long) => {
        const id = answeredBy(long) ?? asked
        if (id !== undefined) send(`data: ${JSON.stringify(tooLongAnswer(id, long.bytes))}`)
      })
    },
    transform: (chunk) => lines.push(Buffer.from(chunk)),
    flush: onEnd,
  })
}

function cutAfter(most: number): TransformStream<Uint8Array, Uint8Array> {
  let left = most
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left))
      left -= Math.min(left, chunk.length)
      if (left === 0) controller.terminate()
    },
  })
}

/** Where servers run, and where what they print goes. */
export interface ServerHost extends Project {
  readonly env: ChildEnvironment
  /** The variables that Sotto was started with: they say where the user's logins are. */
  readonly ownEnv: Environment
  /** Variables that the user wants children to have. */
  readonly named: readonly string[]
  /** What servers of the network are reached through. */
  readonly proxies?: ProxySettings
  /** Takes what a server prints to its standard error. */
  log(chunk: Buffer): void
}

/**
 * What a server's process inherits: enough for programs to be found and to speak the user's language. Keys and tokens
 * of other services are none of its business; those it needs are given by name, as `env` of its configuration.
 */
const INHERITED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|XDG_\w+|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|(https?|no|all)_proxy|APPDATA|LOCALAPPDATA|USERPROFILE|USERNAME|HOMEDRIVE|HOMEPATH|PATHEXT|SYSTEMROOT|SYSTEMDRIVE|PROGRAMFILES|PROCESSOR_ARCHITECTURE)$/i

interface WayListener {
  /** The connection may be over. */
  onDoubt(): void
  onLoginWanted(why: LinkError): void
}

/** A way to the server; another one to be tried if the first turns out not to be its way. */
export type Ways = readonly (() => Promise<Transport>)[]

export function waysTo(
  server: McpServerConfig,
  host: ServerHost,
  { onDoubt, onLoginWanted }: WayListener,
): Ways {
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
  const capped = cappedFetch(fetchThrough(host.proxies), onDoubt)
  const options = {
    requestInit: { headers: { ...server.headers } },
    fetch: hasOwnLogin(server) ? capped : authorizedFetch(capped, address, host.ownEnv, onLoginWanted),
  }
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

/** True if the configuration says itself how Sotto proves who the user is. */
function hasOwnLogin({ headers = {} }: McpServerConfig): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === "authorization")
}

function inherited({ env, named }: ServerHost): ChildEnvironment {
  const passed = Object.entries(env).filter(([name]) => INHERITED.test(name) || named.includes(name))
  return Object.fromEntries(passed) as ChildEnvironment
}
