import { join } from "node:path"
import type { ContentPart } from "@sotto/core"
import { ToolError } from "../../platform/text/errors.js"
import { printable } from "../../platform/text/printable.js"
import { startOf } from "../../platform/text/text.js"
import { dataFolder, type Environment } from "../../platform/workspace/folders.js"
import { privateFolder } from "../../platform/workspace/private-files.js"
import { wordsIn } from "../own-commands/expand.js"
import type { OwnCommand } from "../own-commands/own-commands.js"
import { fieldsOf, listIn, type McpFields } from "./fields.js"
import { plainName } from "./names.js"
import type { McpPrompt } from "./offered.js"
import { contentFrom } from "./output.js"
import type { McpServers, ServerStatus } from "./servers.js"

type Named = Pick<ServerStatus, "name" | "prefix">

/** Lists the prompts of all servers that are connected, as commands: `/server:prompt`. */
export function promptCommands(servers: McpServers, env: Environment): readonly OwnCommand[] {
  const all = servers
    .statuses()
    .flatMap((server) => server.prompts.map((prompt) => commandFor(server, prompt, servers, env)))
  // Names that differ only in what cannot be typed are one name: the first counts.
  return all.filter(({ name }, place) => all.findIndex((one) => one.name === name) === place)
}

/**
 * Finds the prompt that a command's name means: `server:prompt`, or `mcp__server__prompt`. A server need not be connected
 * yet: it is when the command is carried out. Undefined if no server has the name.
 */
export function promptCommand(name: string, servers: McpServers, env: Environment): OwnCommand | undefined {
  for (const server of servers.statuses()) {
    const starts = [`${server.name}:`, promptName(server.prefix, ""), server.prefix].map((one) =>
      one.toLowerCase(),
    )
    const start = starts.find((one) => name.startsWith(one))
    if (start === undefined) continue
    const known = server.prompts.find((prompt) => typedAs(prompt.name) === name.slice(start.length))
    const prompt = known ?? { name: name.slice(start.length), description: "", arguments: [] }
    return commandFor(server, prompt, servers, env)
  }
  return undefined
}

function commandFor(server: Named, prompt: McpPrompt, servers: McpServers, env: Environment): OwnCommand {
  const name = promptName(server.prefix, prompt.name)
  const usage = usageOf(prompt)
  return {
    name,
    description: aboutOf(prompt) || `a prompt of the MCP server ${server.name}`,
    ...(usage !== "" && { argument: usage }),
    from: "prompt",
    path: server.name,
    prompt: async (typed) => {
      const found = await servers.prompt(server.name, (one) => typedAs(one.name) === typedAs(prompt.name))
      if (found === undefined) throw new ToolError(missing(server.name, prompt.name, servers))
      const result = await servers.getPrompt(server.name, found.name, argumentsIn(typed, found, `/${name}`))
      const scratch = join(dataFolder(env), "output")
      privateFolder(scratch)
      const content = await contentFrom(blocksIn(result), scratch)
      const said = typed === "" ? `/${name}` : `/${name} ${typed}`
      return {
        content: [{ type: "text", text: said, ignored: true }, ...introduced(content, server.name, found)],
      }
    },
  }
}

/** Names a prompt as it is typed after a slash: the server as in the names of its tools, and the prompt in small letters. */
export function promptName(prefix: string, prompt: string): string {
  return `${prefix.slice("mcp__".length, -"__".length)}:${typedAs(prompt)}`.toLowerCase()
}

function typedAs(prompt: string): string {
  return plainName(prompt).toLowerCase()
}

const LONGEST_ABOUT = 200

/** Shows the first line of what a server says of a prompt. */
function aboutOf({ description }: McpPrompt): string {
  return printable(startOf(description.trim().split("\n", 1)[0] ?? "", LONGEST_ABOUT))
}

function usageOf({ arguments: takes }: McpPrompt): string {
  return takes.map(({ name, required }) => (required ? shout(name) : `[${shout(name)}]`)).join(" ")
}

function shout(argument: string): string {
  return plainName(argument).toUpperCase()
}

function missing(server: string, prompt: string, servers: McpServers): string {
  const names =
    servers
      .statuses()
      .find(({ name }) => name === server)
      ?.prompts.map(({ name }) => name) ?? []
  const there = names.length === 0 ? "It has none." : `It has: ${names.join(", ")}.`
  return `The MCP server ${server} has no prompt "${prompt}". ${there}`
}

/**
 * Takes the words for the arguments in their order; quotes keep words together. The last argument takes all that is left.
 */
function argumentsIn(typed: string, prompt: McpPrompt, command: string): McpFields {
  const takes = prompt.arguments
  const words = wordsIn(typed)
  const how = `${command} ${usageOf(prompt)}`.trim()
  if (takes.length === 0 && words.length > 0) throw new ToolError(`${command} takes no arguments.`)
  const given =
    words.length > takes.length
      ? [...words.slice(0, takes.length - 1), words.slice(takes.length - 1).join(" ")]
      : words
  const left = takes.slice(given.length).filter(({ required }) => required)
  if (left.length > 0)
    throw new ToolError(
      `${command} needs ${left.map(({ name }) => shout(name)).join(" and ")} too. Type ${how}; quotes keep words together.`,
    )
  return Object.fromEntries(given.map((word, i) => [takes[i]?.name ?? "", word]))
}

/** Lists what the messages of a prompt hold. Where not all are the user's, each says whose it is. */
function blocksIn(result: McpFields): readonly McpFields[] {
  const messages = listIn(result, "messages").map(fieldsOf)
  const isMixed = messages.some(({ role }) => role !== "user")
  return messages.flatMap(({ role, content }) => [
    ...(isMixed
      ? [{ type: "text", text: role === "user" ? "[from the user]" : "[from the assistant]" }]
      : []),
    ...(Array.isArray(content) ? content : [content]).map(fieldsOf),
  ])
}

/** Says whose words these are: the user chose them, and the server wrote them. */
function introduced(
  content: readonly ContentPart[],
  server: string,
  { name }: McpPrompt,
): readonly ContentPart[] {
  const whose = `The user chose the prompt "${printable(startOf(name, LONGEST_ABOUT))}" of the MCP server "${server}". What follows is the text of that server, not the user's own words: do what it asks as far as the user's other wishes and your rules allow.`
  const [first, ...rest] = content
  const start =
    first?.type === "text"
      ? [{ ...first, text: `${whose}\n\n${first.text}` }, ...rest]
      : [{ type: "text" as const, text: whose }, ...content]
  return start.map((part) => ({ ...part, synthetic: true }))
}
