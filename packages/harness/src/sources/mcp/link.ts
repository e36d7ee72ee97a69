import { pathToFileURL } from "node:url"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { startOf } from "../../platform/text/text.js"
import { within } from "../../platform/wait.js"
import type { McpServerConfig } from "../../settings/config/variables.js"
import { fieldsOf, type McpFields } from "./fields.js"
import { LinkError, linkError } from "./link-error.js"
import { ProcessTransport } from "./stdio.js"
import { tooLongBy } from "./too-long.js"
import { type ServerHost, waysTo } from "./transport.js"

/** What a server may have a list of. */
export type ListName = "tools" | "resources" | "prompts"

/** A server that answered: what it can, and how it is asked. */
export interface Link {
  readonly instructions: string | undefined
  has(what: ListName): boolean
  /** Throws LinkError. */
  request(method: string, params: McpFields, how?: RequestHow): Promise<McpFields>
  /** Rejects if it does not answer. */
  ping(): Promise<void>
  close(): Promise<void>
}

export interface RequestHow {
  readonly signal?: AbortSignal
  /** Milliseconds. */
  readonly timeout?: number
  onProgress?(line: string): void
}

export interface LinkListener {
  /** The connection is over, or may be: HTTP has no end to notice but a stream that breaks. */
  onEnd(why: string | undefined): void
  onDoubt(): void
  onListChanged(what: ListName): void
}

/** Milliseconds for a server to answer at all. */
const CONNECT_LIMIT = 30_000
const PING_LIMIT = 5_000
const GOODBYE_LIMIT = 500

/** Characters that are kept of what a server says about itself, and about how far it has come. */
const LONGEST_INSTRUCTIONS = 16_000
const LONGEST_PROGRESS = 500

/** A call may take this many times its limit if the server says again and again that it goes on. */
const PATIENCE = 10

export async function connect(
  server: McpServerConfig,
  host: ServerHost,
  listener: LinkListener,
  signal: AbortSignal,
): Promise<Link> {
  let loginWanted: LinkError | undefined
  const ways = waysTo(server, host, {
    onDoubt: listener.onDoubt,
    onLoginWanted: (why) => {
      loginWanted = why
    },
  })
  const sdk = Promise.all([
    import("@modelcontextprotocol/sdk/client/index.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ])
  let failure: unknown
  for (const way of ways) {
    try {
      const [[{ Client }, types], transport] = await Promise.all([sdk, way()])
      return await connectBy(new Client(ABOUT_US, { capabilities: { roots: {} } }), types, transport)
    } catch (error) {
      // The first is told: that the second does not work either says nothing.
      failure ??= loginWanted ?? error
      if (loginWanted !== undefined || !isOtherWay(error)) break
    }
  }
  throw failure

  async function connectBy(client: Client, types: Types, transport: Transport): Promise<Link> {
    client.setRequestHandler(types.ListRootsRequestSchema, () => ({
      roots: [{ uri: pathToFileURL(host.cwd).href, name: "workspace" }],
    }))
    client.setNotificationHandler(types.ToolListChangedNotificationSchema, () =>
      listener.onListChanged("tools"),
    )
    client.setNotificationHandler(types.ResourceListChangedNotificationSchema, () =>
      listener.onListChanged("resources"),
    )
    client.setNotificationHandler(types.PromptListChangedNotificationSchema, () =>
      listener.onListChanged("prompts"),
    )
    client.onerror = () => listener.onDoubt()
    const ending = () => (transport instanceof ProcessTransport ? transport.ending : undefined)
    const stop = () => void transport.close()
    signal.addEventListener("abort", stop)
    try {
      signal.throwIfAborted()
      await client.connect(transport, { timeout: CONNECT_LIMIT })
    } catch (error) {
      signal.removeEventListener("abort", stop)
      await transport.close()
      throw ending() === undefined ? linkError(error, signal, CONNECT_LIMIT / 1_000) : new Error(ending())
    }
    client.onclose = () => {
      signal.removeEventListener("abort", stop)
      listener.onEnd(ending())
    }
    return linkOver(client, types, transport)
  }
}

type Client = InstanceType<typeof import("@modelcontextprotocol/sdk/client/index.js")["Client"]>
type Types = typeof import("@modelcontextprotocol/sdk/types.js")

const ABOUT_US = { name: "sotto", version: "0.1.0" }

function linkOver(client: Client, types: Types, transport: Transport): Link {
  return {
    instructions: shortened(client.getInstructions()),
    has: (what) => client.getServerCapabilities()?.[what] !== undefined,
    request: (method, params, how) => ask(client, types, method, params, how),
    ping: async () => {
      try {
        await ask(client, types, "ping", {}, { timeout: PING_LIMIT })
      } catch (error) {
        // A server that refuses to be pinged is there.
        if (!(error instanceof LinkError && error.failure === "refused")) throw error
      }
    },
    close: async () => {
      if ("terminateSession" in transport && typeof transport.terminateSession === "function")
        await within(
          GOODBYE_LIMIT,
          transport.terminateSession().catch(() => undefined),
        )
      await client.close()
    },
  }
}

async function ask(
  client: Client,
  types: Types,
  method: string,
  params: McpFields,
  { signal, timeout = CONNECT_LIMIT, onProgress }: RequestHow = {},
): Promise<McpFields> {
  // The SDK listens to a signal and never stops: it gets one of its own for each request.
  const own = new AbortController()
  const abort = () => own.abort(signal?.reason)
  signal?.addEventListener("abort", abort)
  if (signal?.aborted) abort()
  try {
    const result = await client.request({ method, params }, types.ResultSchema, {
      timeout,
      maxTotalTimeout: timeout * PATIENCE,
      resetTimeoutOnProgress: onProgress !== undefined,
      signal: own.signal,
      ...(onProgress && {
        onprogress: ({ progress, total, message }) =>
          onProgress(
            startOf(message ?? `${progress}${total === undefined ? "" : ` of ${total}`}`, LONGEST_PROGRESS),
          ),
      }),
    })
    const bytes = tooLongBy(result)
    if (bytes === undefined) return fieldsOf(result)
    throw new LinkError("too long", `its answer has over ${bytes} bytes, more than is taken; ask for less`)
  } catch (error) {
    throw linkError(error, signal, timeout / 1_000)
  } finally {
    signal?.removeEventListener("abort", abort)
  }
}

function shortened(instructions: string | undefined): string | undefined {
  if (instructions === undefined || instructions.length <= LONGEST_INSTRUCTIONS) return instructions
  const start = startOf(instructions, LONGEST_INSTRUCTIONS)
  return `${start}\n[cut: ${start.length} of ${instructions.length} characters are shown]`
}

/**
 * True if the server refused as servers do that speak another version of the protocol, and not because they are not
 * there.
 */
function isOtherWay(error: unknown): boolean {
  return error instanceof LinkError && [400, 404, 405].includes(error.status ?? 0)
}
