import { closest } from "@sotto/harness"
import { UsageError } from "../usage.js"
import { SUBCOMMANDS } from "./table.js"

/** A page of `sotto help` that is not about one command: what a user looks up offline. */
interface Topic {
  readonly summary: string
  /** @param keys lists the keys of the terminal, which knows them */
  text(keys: () => Promise<string>): string | Promise<string>
}

const SCRIPTS = `Sotto in scripts

  sotto run "PROMPT"                    works until the answer is there, prints what happens, and ends
  sotto run --quiet "PROMPT"            prints only the answer; errors go to standard error
  git diff | sotto run "Review this."   adds what comes on standard input to the prompt
  sotto run --output json "PROMPT"      prints one object: the answer, why the turn ended, and what it cost
  sotto run --output jsonl "PROMPT"     prints every event, one a line
  sotto run --input jsonl --output jsonl
                                        reads commands while the turn runs, and writes events
  sotto run --continue "PROMPT"         goes on with the newest session of the folder; --session ID with any other

Nobody can be asked there. A call that needs permission is denied unless a rule allows it, or --yes does; what is
denied stays denied. What a folder brings along is left out unless you trust the folder, or say --trust.

See also: sotto run --help, sotto help exit-codes, sotto help permissions.
`

const EXIT_CODES = `Exit codes of sotto

  0               done
  1               an error: a provider, the store or a file failed, or the command found what it looks for
  2               the command line is wrong; nothing was done
  3               of \`sotto run\`: the answer is not whole. A limit of yours or of the model was reached, the model
                  refused, the provider filtered, or the context is full
  129, 130, 143   ended from outside: SIGHUP, Ctrl+C (SIGINT), SIGTERM
  141             nobody reads standard output any more

Some commands say more of theirs: sotto check --help, sotto store --help.
`

const PERMISSIONS = `What the agent may do without a question

Sotto reads without asking. It asks before it changes a file, runs a command that does more than read, reads a page of
the web, or leaves the folder. Rules in sotto.json say otherwise; the last one that matches wins:

  {
    "permission": {
      "edit": "allow",
      "bash": { "npm test*": "allow", "git push*": "deny" },
      "read": { ".env*": "deny" },
      "fetch": { "docs.example.com": "allow" }
    }
  }

Each rule is allow, ask or deny. Permissions: read, edit, bash, fetch, search, outside (places out of the folder), task,
skill, unconfined (a command out of the sandbox), and the names of MCP tools.

In the terminal you can answer a question for once, for the session, or always; "always" is written to your own
sotto.json, for this project. Shift+Tab changes the mode: ask, accept edits, plan, auto. /permissions lists and removes
what you allowed. \`sotto run --yes\` allows what would be asked, and never what is denied.

The rules of a folder that you do not trust count only where they are stricter than yours: sotto trust --help.
`

const CONFIGURATION = `Where Sotto is configured

  ~/.config/sotto/sotto.json   your own file; in $SOTTO_HOME if that is set
  sotto.json                   a project's file, in the folder or above it. Most of it counts once you trust the folder
  .sotto/                      a project's agents, commands, reminders, skills and styles, as Markdown files

Both files are JSON with comments. \`sotto init\` writes one with examples. Fields that most people use:

  model         "anthropic/claude-opus-5-5", "openai/…", "openai-chat/…", "google/…"; names: sotto models
  agent, think  the agent to start with; off, low, medium, high or max
  agents        agents of your own: model, prompt, tools, permissions
  permission    what may be done without a question: sotto help permissions
  reminders     what the model is reminded of; false turns a kind off: sotto rules
  mcp, lsp      MCP servers (sotto mcp --help) and language servers
  hooks         commands of yours before and after prompts, calls and turns
  sandbox       "off", "workspace" or "read-only": what commands can reach
  web           private addresses that may be read, and the provider's own search: sotto help web
  limits        dollars, tokens and steps that a turn or a session may use
  terminal      theme, keys, how it calls you

A wrong field is named with its line: sotto doctor. In an editor, "$schema" completes and checks every field.
`

const WEB = `The web

The agent reads pages with the tool fetch: as Markdown, without cookies, passwords or keys. You are asked before each
host. Rules go by hosts:

  { "permission": { "fetch": { "*": "ask", "docs.example.com": "allow", "paste.example.com": "deny" } } }

Addresses of this machine and its network are refused whatever a rule says. To have one read, name it in your own
sotto.json: { "web": { "private": ["127.0.0.1:8080", "wiki.corp.example"] } }

{ "web": { "search": true } } offers the search of your provider; its permission is "search".

Behind a proxy: HTTPS_PROXY, HTTP_PROXY and NO_PROXY count for models, MCP servers and fetch. For a certificate of your
company: NODE_EXTRA_CA_CERTS=/path/to/ca.pem.
`

const UNDO = `Undo

  /undo         goes back to before your last message: the conversation, and the files as they were then
  /redo         goes forward again, until you say something new
  /rewind       goes back to before any of your messages; also Esc twice
  /diff         lists every file that the session changed, and undoes one by one

Undo covers what tools, commands, hooks and subagents did to files in the workspace, in git and outside. You first see
what would become of each file. A file that somebody else has changed since is asked about.

Not covered: the repository itself (commits, branches, the index), databases and servers, node_modules, .venv, and files
that are too large to keep. "snapshots" in sotto.json sets how much is kept, or turns it off.
`

const ENVIRONMENT = `Environment variables

  ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY
                          keys; \`sotto login\` stores them instead
  ANTHROPIC_BASE_URL, OPENAI_BASE_URL, GOOGLE_GEMINI_BASE_URL
                          another address of the provider
  SOTTO_HOME              one folder for settings, keys and sessions; otherwise ~/.config/sotto and
                          ~/.local/share/sotto
  SOTTO_STORE             where sessions are: the path of a file, or postgres://…; like --store
  SOTTO_TRUST=1           trusts the folder for this run; like --trust
  SOTTO_TOKEN             the token of \`sotto serve\`
  SOTTO_DEBUG=1           says where an error happened
  HTTPS_PROXY, HTTP_PROXY, NO_PROXY
                          the proxy, and what is reached without it
  NODE_EXTRA_CA_CERTS     a file with certificates that are trusted too
  VISUAL, EDITOR          the editor for Ctrl+G
  NO_COLOR                no colours

Programs that the agent starts do not see your providers' keys.
`

/** Every topic, in the order of `sotto help`. */
export const TOPICS: ReadonlyMap<string, Topic> = new Map(
  Object.entries<Topic>({
    configuration: { summary: "where Sotto is configured, and by what", text: () => CONFIGURATION },
    permissions: { summary: "what the agent may do without a question", text: () => PERMISSIONS },
    keys: { summary: "the keys of the terminal", text: (keys) => keys() },
    scripts: { summary: "Sotto in scripts and pipes", text: () => SCRIPTS },
    "exit-codes": { summary: "what an exit code says", text: () => EXIT_CODES },
    undo: { summary: "back to before a message, with its files", text: () => UNDO },
    web: { summary: "pages, search and proxies", text: () => WEB },
    environment: { summary: "variables that Sotto reads", text: () => ENVIRONMENT },
  }),
)

/**
 * Makes what `sotto help NAME` prints. Throws if there is no such command or topic.
 * @param keys lists the keys of the terminal
 */
export async function helpOn(name: string, keys: () => Promise<string>): Promise<string> {
  const row = SUBCOMMANDS.get(name)
  if (row !== undefined) return (await row.load()).subcommand.help
  const topic = TOPICS.get(name)
  if (topic !== undefined) return topic.text(keys)
  const meant = closest(name, [...TOPICS.keys(), ...SUBCOMMANDS.keys()])
  const hint = meant === undefined ? "" : ` Did you mean \`sotto help ${meant}\`?`
  throw new UsageError(
    `There is no command "${name}", and no topic.${hint} Topics: ${[...TOPICS.keys()].join(", ")}; \`sotto help\` lists commands.`,
  )
}
