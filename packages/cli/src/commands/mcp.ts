import { join } from "node:path"
import { parseArgs } from "node:util"
import { configFolder, loadConfig, MCP_FILE, type McpServerSettings, projectFolders } from "@sotto/harness"
import { err, out } from "../screen/printer.js"
import { removeServer, type ServerField, serversIn, settingsFiles, writeServer } from "../settings/write.js"
import { EXIT, UsageError } from "../usage.js"
import { LIST_OPTIONS, list, show } from "./mcp-list.js"
import { LOGIN_OPTIONS, login, logout } from "./mcp-login.js"
import { type CommandOptions, optionRows, type Subcommand } from "./subcommand.js"

const ADD_OPTIONS = {
  header: {
    type: "string",
    multiple: true,
    value: "'K: V'",
    help: `sent with every request; for a secret write \${NAME}, a variable of yours`,
  },
  env: {
    type: "string",
    multiple: true,
    value: "K=V",
    help: "a variable for the command; a secret likewise",
  },
  type: { type: "string", value: "TYPE", help: "http, or sse for a server of the protocol's first version" },
  scope: { type: "string", value: "SCOPE", help: "user (your own sotto.json) or project (this folder's)" },
  force: { type: "boolean", help: "in the place of a server with that name" },
} as const satisfies CommandOptions

export const subcommand: Subcommand = {
  help: `sotto mcp [ACTION]: the MCP servers whose tools, prompts and resources the agent has

  sotto mcp add NAME [options] -- COMMAND [ARG…]   a program that Sotto starts
  sotto mcp add NAME URL [options]                 a server that runs already
${optionRows(ADD_OPTIONS, 30, 6)}
  sotto mcp list              every server of this folder and your own: connects to each, and says how that went
  sotto mcp show NAME         one of them, with its tools and prompts
${optionRows(LIST_OPTIONS, 30, 6)}
  sotto mcp remove NAME       takes a server out of the file that it is in; --scope says which, if it is in two
  sotto mcp login NAME        logs you in at a server with OAuth, in your browser; the login is kept like a key
${optionRows(LOGIN_OPTIONS, 30, 6)}
  sotto mcp logout NAME|URL   forgets the login, and has the server revoke it

A server is written to your own sotto.json unless --scope says otherwise. One of a project is used when you trust the folder.
`,
  options: { ...ADD_OPTIONS, ...LIST_OPTIONS, ...LOGIN_OPTIONS },
  manual: ["MCP servers", "../mcp.md"],
  run,
}

async function run(args: readonly string[]): Promise<number> {
  const [action = "list", ...rest] = args
  switch (action) {
    case "add":
      return add(rest)
    case "remove":
      return remove(rest)
    case "list":
      return list(rest)
    case "show":
      return show(rest)
    case "login":
      return login(rest)
    case "logout":
      return logout(rest)
    default:
      // `sotto mcp --json` lists too.
      if (action.startsWith("-")) return list(args)
      throw new UsageError(`sotto mcp ${action}: use add, list, show, remove, login or logout.`)
  }
}

async function add(args: readonly string[]): Promise<number> {
  const end = args.indexOf("--")
  const { values, positionals } = parseArgs({
    args: end < 0 ? [...args] : args.slice(0, end),
    options: ADD_OPTIONS,
    allowPositionals: true,
  })
  const command = end < 0 ? undefined : args.slice(end + 1)
  const [name = "", ...places] = positionals
  checkName(name)
  const server = serverOf(name, places, command, values)
  const scope = scopeOf(values.scope) ?? "user"
  const { user, project } = await files()
  const path = scope === "user" ? user : project
  if (serversIn(path, "mcp").includes(name) && values.force !== true)
    throw new UsageError(
      `${path} has a server "${name}" already. Replace it with --force, or remove it first: sotto mcp remove ${name}.`,
    )
  writeServer(path, name, server)
  out.line(`${name} is added to ${path}. New sessions have it.`)
  for (const word of plainSecrets(server))
    err.line(
      `sotto: the value of ${word} now stands in ${path} as it is. Safer: keep it in a variable of your own and write "\${NAME}" instead.`,
    )
  if (scope === "project")
    out.line("Sotto asks whether you trust it when it next starts here; to say so now: sotto trust add.")
  else if (server.url !== undefined && server.headers === undefined)
    out.line(`If it wants a login: sotto mcp login ${name}.`)
  return EXIT.done
}

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/

function checkName(name: string): void {
  if (name === "")
    throw new UsageError(
      "Which server? For example: sotto mcp add docs https://mcp.example.com/mcp, or sotto mcp add files -- npx -y some-server.",
    )
  if (!NAME.test(name))
    throw new UsageError(
      `"${name}" cannot be a name. Use letters, digits, "-", "_" and ".", up to 64, with a letter or digit first: my-server.`,
    )
}

interface AddValues {
  readonly header?: readonly string[] | undefined
  readonly env?: readonly string[] | undefined
  readonly type?: string | undefined
}

function serverOf(
  name: string,
  places: readonly string[],
  command: readonly string[] | undefined,
  { header = [], env = [], type }: AddValues,
): McpServerSettings {
  const [url, ...more] = places
  if (command !== undefined) {
    const [program = "", ...rest] = command
    if (url !== undefined || program === "")
      throw new UsageError(`Give a URL, or a command after --: sotto mcp add ${name} -- COMMAND.`)
    if (header.length > 0 || type !== undefined)
      throw new UsageError("--header and --type are for a URL. A command takes variables: --env K=V.")
    const variables = pairs(env, /^([A-Za-z_]\w*)=([\s\S]*)$/, "--env", "NAME=VALUE")
    return {
      command: program,
      ...(rest.length > 0 && { args: rest }),
      ...(env.length > 0 && { env: variables }),
    }
  }
  if (url === undefined || more.length > 0 || !URL.canParse(url))
    throw new UsageError(
      `Give a URL such as https://mcp.example.com/mcp, or a command after --: sotto mcp add ${name} -- ${places.join(" ") || "COMMAND"}.`,
    )
  const { protocol, username, password } = new URL(url)
  if (protocol !== "http:" && protocol !== "https:")
    throw new UsageError(`${protocol}// is no way to an MCP server: use https:// or http://.`)
  if (username !== "" || password !== "")
    throw new UsageError(
      `Leave the name and password out of the URL: --header "Authorization: Basic \${NAME}".`,
    )
  if (env.length > 0)
    throw new UsageError("--env is for a command, which Sotto starts. A URL takes --header 'K: V'.")
  if (type !== undefined && type !== "http" && type !== "sse")
    throw new UsageError(`--type ${type}: use http or sse.`)
  const headers = pairs(header, /^([\w!#$%&'*+.^`|~-]+):\s*([^\r\n\0]*)$/, "--header", "'Name: value'")
  return { ...(type && { type }), url, ...(header.length > 0 && { headers }) }
}

function pairs(
  given: readonly string[],
  form: RegExp,
  option: string,
  wanted: string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    given.map((one) => {
      const [, name, value] = form.exec(one) ?? []
      // The value may be a secret: it is not repeated.
      if (name === undefined || value === undefined)
        throw new UsageError(`${option} "${one.split(/[=:]/, 1)[0]}": write ${wanted}.`)
      return [name, value]
    }),
  )
}

/** Finds headers and variables that look as if they held a secret, written out. */
function plainSecrets({ headers = {}, env = {} }: McpServerSettings): readonly string[] {
  return Object.entries({ ...headers, ...env }).flatMap(([name, value]) =>
    /auth|key|token|secret|pass|cookie|credential/i.test(name) && value !== "" && !value.includes("${")
      ? [name]
      : [],
  )
}

async function remove(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { scope: ADD_OPTIONS.scope },
    allowPositionals: true,
  })
  const [name, ...more] = positionals
  if (name === undefined || more.length > 0) throw new UsageError("Which server? sotto mcp remove NAME.")
  const scope = scopeOf(values.scope)
  const { user, project, shared } = await files()
  const places: readonly (readonly [scope: string, path: string, field: ServerField])[] = [
    ["user", user, "mcp"],
    ["project", project, "mcp"],
    ...shared.map((path) => ["project", path, "mcpServers"] as const),
  ]
  const found = places.filter(
    ([where, path, field]) => (scope ?? where) === where && serversIn(path, field).includes(name),
  )
  if (found.length === 0) {
    const where = scope === undefined ? "" : ` in the ${scope}'s settings`
    throw new UsageError(
      `There is no MCP server "${name}"${where}. \`sotto mcp list\` shows which there are.`,
    )
  }
  if (new Set(found.map(([where]) => where)).size > 1)
    throw new UsageError(
      `"${name}" is in ${found.map(([, path]) => path).join(" and in ")}. Say which with --scope user or --scope project.`,
    )
  for (const [, path, field] of found) {
    removeServer(path, field, name)
    out.line(`${name} is removed from ${path}.`)
  }
  return EXIT.done
}

function scopeOf(given: string | undefined): "user" | "project" | undefined {
  if (given === undefined || given === "user" || given === "project") return given
  throw new UsageError(`--scope ${given}: use user or project.`)
}

/** Finds the files that can name servers here: the user's own, the project's, and those that agents share. */
async function files() {
  const place = { cwd: process.cwd(), env: process.env }
  // Trusted or not: they are named, and nothing in them is used.
  const { files: read } = await loadConfig({ ...place, trusted: false })
  return {
    ...settingsFiles(place.cwd, process.env, read),
    shared: projectFolders(place)
      .filter((folder) => folder !== configFolder(process.env))
      .map((folder) => join(folder, MCP_FILE)),
  }
}
