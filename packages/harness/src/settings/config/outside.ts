import { ConfigError } from "./error.js"
import {
  about,
  anything,
  type FieldShape,
  flag,
  name,
  number,
  oneOf,
  type Read,
  text,
  whole,
} from "./shape.js"
import { either, list, object, record } from "./structure.js"
import { USUAL } from "./usual.js"

// What runs or is reached outside of Sotto: MCP servers, language servers, hooks.

const timeout = about(number(0.1, 3_600), "Seconds that it may take.", { usual: USUAL.hookTimeout })

export const mcpServer = object({
  type: about(
    oneOf("stdio", "http", "streamable-http", "sse"),
    "How it is reached; told by `command` and `url` unless given.",
  ),
  command: about(name, "Started, and spoken to over its standard input and output."),
  args: about(list(text), "Arguments of the command."),
  env: about(record(text), "Variables for it; it inherits only what programs need to run."),
  cwd: about(name, "Where it is started; the workspace unless given."),
  url: about(name, "Of a server that runs already."),
  headers: about(record(text), "Sent with every request to `url`."),
  timeout: about(number(0.1, 3_600), "Seconds for a call.", { usual: USUAL.mcpTimeout }),
  disable: about(flag, "Not started."),
})

/** One that says how it is reached, unless it is not to be. */
const reachable: FieldShape<Read<typeof mcpServer>> = {
  ...mcpServer,
  read: (node, at) => {
    const server = mcpServer.read(node, at)
    const { type, command, url, disable } = server
    const wanted = type === "stdio" ? "command" : type === undefined ? "command or a url" : "url"
    const found = type === "stdio" ? command : type === undefined ? (command ?? url) : url
    if (found !== undefined || disable === true) return server
    throw new ConfigError(at.file, node.line, at.field, "There is no way to reach it.", `Give a ${wanted}.`)
  },
}

/** By name, in `sotto.json` as `mcp` and in `.mcp.json` as `mcpServers`. */
export const mcpServers = record(reachable)
/** How one MCP server is reached. */
export type McpServerSettings = Read<typeof mcpServer>

const languageServer = object({
  command: about(list(name), "The program and its arguments; it speaks LSP over standard input and output."),
  extensions: about(list(name), 'Of the files it is for: [".ts", ".tsx"].'),
  env: about(record(text), "Variables for it, beside those it inherits."),
  initialization: about(
    record(anything),
    "Handed over as initializationOptions, and by section where the server asks for its configuration.",
  ),
  disable: about(flag, "Not started."),
})

/** By name: true for one that Sotto knows, or how to start it. */
export const languageServers = record(either(flag, languageServer, ({ is }) => is === "scalar"))
export type LanguageServerSettings = Read<typeof languageServer>

const hook = object(
  {
    command: about(
      name,
      "Run by a shell in the workspace, with what happened as JSON on its standard input.",
    ),
    env: about(record(text), "Variables for it, beside those it inherits."),
    match: about(name, 'Only for these tools: "edit|write", "bash", "mcp__*".'),
    timeout,
    async: about(flag, "Does not hold up anything: what it answers is told later."),
    name: about(name, "For people and for the model; the command unless given."),
  },
  "command",
)
export type HookSettings = Read<typeof hook>

export const HOOK_EVENTS = [
  "session_start",
  "prompt",
  "before_tool",
  "after_tool",
  "stop",
  "compaction",
] as const
export type HookEvent = (typeof HOOK_EVENTS)[number]

export const hooks = object({
  session_start: about(list(hook), "When a session begins or goes on."),
  prompt: about(list(hook), "Before a prompt is sent."),
  before_tool: about(list(hook), "Before a tool runs; may refuse it."),
  after_tool: about(list(hook), "After a tool has run."),
  stop: about(list(hook), "When the model comes to its end; may have it go on."),
  compaction: about(list(hook), "Before the conversation is summarised."),
})

const limit = object({
  steps: about(whole(1), "Steps of each session."),
  tokens: about(whole(1), "Read and written by models, for the session and its subagents together."),
  cost: about(number(0), "In dollars, likewise, where the model's price is known."),
})

export const limits = object({
  turn: about(limit, "In one turn."),
  session: about(limit, "In the whole session."),
})
export type Limit = Read<typeof limit>
export type SpendLimits = Read<typeof limits>

const tenant = object({
  requests: about(number(0.01), "Requests over HTTP a second; as many may come at once."),
  sessions: about(whole(1), "Sessions at work at once that it has given something to do."),
  cost: about(number(0), "Dollars a day (UTC), where the model's price is known."),
})

/** By name: `user` for the user's own token, else a channel. */
export const tenants = record(tenant)
/** What one credential of `sotto serve` may use. */
export type TenantLimits = Read<typeof tenant>

const webhook = object(
  {
    url: about(name, "Where each event is posted to, http or https. Redirects are not followed."),
    events: about(list(oneOf("turn-end", "question", "error")), "Which events; all three unless given."),
    secretEnv: about(name, "The variable that holds the secret by which each message is signed."),
  },
  "url",
  "secretEnv",
)

/** By name, which is for people. */
export const webhooks = record(webhook)
/** Where `sotto serve` posts events to. */
export type WebhookSettings = Read<typeof webhook>
