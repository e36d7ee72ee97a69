import { THINK_LEVELS, type ThinkLevel } from "@sotto/harness"

/** A command line that cannot be carried out: said with what to do, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

export const EXIT = { done: 0, failed: 1, usage: 2, incomplete: 3, unread: 141 } as const

/** The level that `--think` names. */
export function thinking(given: string | undefined): { readonly think?: ThinkLevel } {
  if (given === undefined) return {}
  const think = THINK_LEVELS.find((level) => level === given)
  if (think === undefined) throw new UsageError(`--think ${given}: use ${THINK_LEVELS.join(", ")}.`)
  return { think }
}

/** Commands that read or write sessions. */
const WITH_STORE: ReadonlySet<string | undefined> = new Set([
  ...[
    "run",
    "sessions",
    "store",
    "show",
    "asides",
    "fork",
    "export",
    "import",
    "check",
    "serve",
    "inspect",
    "acp",
    "doctor",
  ],
  undefined,
])

/**
 * Takes `--store PLACE` out of a command line: what is left, and the place. What comes after `--` is for another command.
 */
export function takeStore(args: readonly string[]): {
  readonly args: readonly string[]
  readonly store?: string
} {
  const end = args.includes("--") ? args.indexOf("--") : args.length
  const at = args.findIndex((arg, i) => i < end && (arg === "--store" || arg.startsWith("--store=")))
  const flag = args[at]
  if (flag === undefined) return { args }
  const isTwo = flag === "--store"
  const store = isTwo ? args[at + 1] : flag.slice("--store=".length)
  const rest = args.toSpliced(at, isTwo ? 2 : 1)
  const command = rest[0]?.startsWith("-") ? undefined : rest[0]
  if (!WITH_STORE.has(command)) return { args }
  if (!store)
    throw new UsageError("--store needs a place: the path of a file, or postgres://user@host/database.")
  return { args: rest, store }
}

const OVERVIEW = `sotto: a coding agent in which everything the model is told can be seen

  sotto                     talk to the agent here; type while it works (--plain: a line at a time)
  sotto run [PROMPT]        one prompt, or lines from stdin, without a terminal
  sotto sessions            what has been talked about; delete, repair or archive it
  sotto store               where sessions are: its state; bring it up to date, copy it elsewhere, check it
  sotto show ID             a session as a person sees it
  sotto asides ID           what the model was told beside that
  sotto fork ID PROMPT      a new session from before one of its prompts
  sotto export ID           the session's log, one entry a line
  sotto import FILE         a session from such a log
  sotto check SOURCE…       what broke the prompt cache in recorded traffic or session files of any agent, and the cost
  sotto proxy -- COMMAND    any agent through a proxy: what it really sends, live; recorded or mended if you ask
  sotto serve               sessions over HTTP, for programs and for the page
  sotto inspect [ID|FILE]   a page in the browser: what the model saw, in a session or a recording
  sotto trust               which folders you trust; trust this one, or no longer
  sotto rules               every rule: on or off, throttle, priority, where it comes from
  sotto tour [KIND…]        what a kind of reminder looks like: what you see, and what the model is told; needs no key
  sotto rehearse [SCRIPT]   a strict stand-in for all the providers, for your own tests
  sotto acp                 for editors: the Agent Client Protocol on stdin and stdout
  sotto init [DIR]          writes a commented sotto.json and an example of a reminder
  sotto completion SHELL    completions for bash, zsh or fish
  sotto login               store a provider's key where only you can read it, after trying it
  sotto doctor              whether everything is in place, and whether the provider takes the key

  sotto COMMAND --help      more about one of them
  --store PLACE             of every command that reads or writes sessions: where they are, a file or postgres://…
  sotto takes --plain, --store, and of \`sotto run\`: --model P/M, --agent NAME, --think LEVEL, --session ID, --continue,
  --yes and --trust
  sotto --version

Models: anthropic/…, openai/…, openai-chat/…, google/…; keys by \`sotto login\`, or in ANTHROPIC_API_KEY, OPENAI_API_KEY,
GEMINI_API_KEY.
Without a key the rehearsal serves: a stand-in, with which the terminal offers a tour.
`

const RUN = `sotto run [PROMPT] [options]: one conversation without a terminal

  --model P/M            the model, such as anthropic/claude-opus-5-5
  --agent NAME           the agent to start with
  --max-steps N          at most so many steps a turn
  --think LEVEL          how much the model thinks: off, low, medium, high or max
  --session ID           go on with a session
  --continue             go on with the newest session of this directory
  --cwd DIR              work there
  --store PLACE          keep sessions there: the path of a file, or postgres://user@host/database
  --yes                  allow what would be asked; what is denied stays denied
  --trust                trust the folder for this run: what it brings along takes effect (see sotto trust --help)
  --quiet                only what the model writes; errors go to standard error
  --input text|jsonl     jsonl: commands on stdin, one a line, read while the turn runs
  --output text|jsonl    jsonl: everything that happens, one event a line

A PROMPT such as "/name words" is a command of your own (.sotto/commands/name.md) or a skill, where there is one.
Without PROMPT the text on stdin is the prompt. Lines of --input jsonl:
  {"type":"say","text":"…","delivery":"next-step|after-turn|now|passive","origin":{"kind":"…"},"id":"…",
   "system":"…","hidden":true}
   "parts" instead of "text": [{"type":"text","text":"…","ignored":true}, …]; you see an ignored part, the model does not
  {"type":"agent","name":"plan"}   {"type":"model","model":"…"}   {"type":"answer","id":"…","answer":"allow"}
  {"type":"edit","id":"…","text":"…"}   {"type":"cancel","id":"…"}   {"type":"abort"}
  {"type":"task","id":"…","do":"progress|stop"}   {"type":"remind","text":"…"}   {"type":"reminder","kind":"…","on":false}
  {"type":"compact","focus":"…"}   {"type":"rewind","to":"…","files":true}   {"type":"auto","on":true}   {"type":"style","name":"…"}
\`sotto serve\` and \`sotto acp\` take the same commands.
A line with an error, such as an unknown field, does nothing; an "error" event says why.
Closing stdin ends the session after the last turn.
The last turn decides how it ends. Exit codes:
  0 done   1 error   2 usage   129, 130, 143 ended by SIGHUP, SIGINT, SIGTERM   141 standard output closed
  3 incomplete: the turn ended with max-steps, length (the model's limit on output), limit (one of yours), refused,
    filtered (by the provider), or overflow (the context is full, also after a compaction)
`

const SESSIONS = `sotto sessions: the stored sessions, newest first: id, when, messages, model, directory, title

  sotto sessions delete ID    removes a session, and those of its subagents, for good; asks nothing
  sotto sessions repair ID    keeps the longest beginning of a damaged session that can be restored, under the same id;
                              saves the damaged original as a file first, and says what is lost
  sotto sessions archive [options]
                              moves sessions with those of their subagents to compressed files, and removes them from
                              the store; \`sotto import FILE\` brings one back. Which ones (30d old unless said):
      --older-than TIME       those that nobody has used for so long: 90d, 12h, 4w, 1y, or a number of days
      --larger-than SIZE      the oldest, until logs and kept texts of files have no more than 2GB, 500MB, …
      --keep-latest N         the N that were used last stay in any case
      --to FOLDER             the folder for the files instead of "archive" beside the store
      --dry-run               only says which
  --store PLACE               the sessions of another store: the path of a file, or postgres://user@host/database
A session that is open somewhere is neither deleted, repaired nor archived. One that is at work or has a command waiting
is not archived. "retention" in your own sotto.json has \`sotto serve\` archive once an hour.
`

const STORE = `sotto store: the place where sessions are kept, a file of SQLite or a database of PostgreSQL

  sotto store [status]        which store, its schema, how much it holds, who has sessions open, what waits, what is lost
  sotto store migrate         brings the schema up to date, or makes the store; does no harm twice, nor while others work
  sotto store copy FROM TO    copies sessions with everything that belongs to them, then compares both stores byte for byte.
                              Run again it goes on where it ended. A session whose log differs in TO is named and left
      --session ID            only this one, with those of its subagents; may be repeated
      --idle-only             leaves out sessions that are open. Without it they are copied up to now, and named
      --dry-run               says what would be copied, and changes nothing
  sotto store verify          checks every session and every row; says what is wrong and what to do

  --json                      the answer as one JSON object
  --store PLACE               another store than yours: the path of a file, or postgres://user@host/database

FROM and TO are paths, addresses or \`default\`, which is where your sessions are. FROM is never changed, and nothing is
removed from TO. Exit codes: 0 done   1 something is damaged, differs or was refused   2 usage. docs/store.md tells more.
`

const CHECK = `sotto check SOURCE… [options]: what broke the prompt cache, what the model was told, what it cost

A source is a file, a folder, a session of Sotto, or - for standard input. What it is, is recognised by its content:
  JSONL of request bodies, or of calls (request and response), as \`sotto proxy\` records them
  a HAR file, as browsers and proxies save it
  a log of Sotto, as \`sotto export\` writes it
  session files of Claude Code (~/.claude/projects), Codex (~/.codex/sessions), pi (~/.pi/agent/sessions),
  opencode (~/.local/share/opencode) and Gemini CLI (~/.gemini/tmp); they hold only part of each request
Nothing is written to a source. A damaged line is a finding, and the rest is read.

  --json                  the report as one JSON object
  --html FILE             the report as a page, too
  --verbose               all findings, threads and breaks, with excerpts in full

  --max-breaks N          fail if there are more breaks; a summary of the history is none
  --max-reminders PERCENT fail if reminders are more than that of what a thread sent
  --fail-on ID|SEVERITY   fail if there is such a finding: its id, or error, warning, note (and worse); may be repeated

Exit codes: 0 done   1 a limit is exceeded   2 a source that cannot be read, or another mistake in the command
Costs are in dollars where the model's price is known ("models" in sotto.json can say it), else in tokens.
docs/check.md lists every finding.
`

const PROXY = `sotto proxy [options] [-- COMMAND…]: stands between an agent and its provider, and explains what passes

  sotto proxy -- claude           starts the command with all providers' base URLs set to the proxy. For codex, opencode,
                                  pi and aider it sets what else they need. None of their files is changed
  sotto proxy                     says what to set, and runs until Ctrl+C

  --port N                 listen there; a free port unless given
  --record FILE            add every call to FILE, readable by you only; \`sotto check FILE\` explains it later
  --log FILE               the line about each call goes there. Otherwise it goes to standard error, or waits until the
                           command has ended if that has the terminal
  --upstream URL           where requests go whose path is no provider's. Otherwise they are refused
Mending, each off unless named here or under "proxy" in sotto.json:
  --hold                   what was sent before goes out as it was first sent; what is new is told once
  --hold=results           the same for tool results that the agent masks
  --mute KIND              reminders of this kind are no longer sent; may be repeated
  --throttle KIND=STEPS    reminders of this kind are sent at most once in so many steps; may be repeated
  --smoosh                 Anthropic's API: reminders that follow tool results go out inside the last result
  --breakpoints            adds cache markers where the agent placed none within reach

A request goes on to the address that ANTHROPIC_BASE_URL, OPENAI_BASE_URL or GOOGLE_GEMINI_BASE_URL named when the proxy
was started, else to the provider's own. A path that no provider is known by is refused unless --upstream is given, and so
is a request of a page in a browser. Without mending, requests and responses pass byte for byte.
Credentials are passed on and never recorded. Without --record and mending nothing of the traffic touches the disk.
Exit code: the command's. docs/proxy.md tells more.
`

const TRUST = `sotto trust [list|add|remove] [DIR]: which folders you trust

  sotto trust               the folders you trust, and what you saw when you said so
  sotto trust add [DIR]     trust a folder with what it brings along now; shows what that is
  sotto trust remove [DIR]  trust it no longer

DIR is the current directory unless given. A folder is the root of its git repository, or the directory itself.
Directories below it and worktrees that git knows of belong to it; another clone inside it does not.

In a folder that you do not trust, its instruction files and skills are read as the folder's text, and rules that
tighten permissions count. Everything else is left out: hooks, MCP and language servers, agents, styles, reminders,
rules that allow something, models, programs in its node_modules. When what a folder brings along changes, you are
asked again. For one run: --trust, or SOTTO_TRUST=1.
`

const REHEARSE = `sotto rehearse [SCRIPT] [options]: a strict stand-in for Anthropic, OpenAI and Gemini, on loopback

Point any client at the address that it prints, with any key. It refuses what the real APIs refuse, in their words, and
accounts for the prompt cache as they would. SCRIPT is a YAML or JSON file that says what the model answers (-: standard
input); without one the stand-in improvises a short tour with the tools of each request.

  --port N         the port; a free one unless given
  --report FILE    everything that was seen, as JSON, when it ends
  --strict         exit code 1 if it refused a request, or if an expectation of the script did not hold
  --quiet          no line for each request

Standard output has one line: listening on http://127.0.0.1:PORT. Everything else goes to standard error.
A client asks for a fault with the header x-rehearsal-fault: 529, 429 retry-after=2, drop=before, drop=middle,
event=529 or malformed; with *2 only the first two times that the same request comes.
SIGINT and SIGTERM end it. docs/rehearsal.md is its manual.
`

const TOUR = `sotto tour [KIND…] [options]: plays kinds of reminders with the real harness, and shows both sides

  sotto tour               the short tour: a message in the middle of a turn, a file that changes, a plan that is carried out
  sotto tour KIND…         any kind of the catalogue, and your own of .sotto/reminders/*.md

  --list                   every kind, with a line that says when it speaks
  --model P/M              the model whose rules count, instead of anthropic/claude-opus-5-5

Each scene does what provokes the kind, in a temporary workspace of its own. It shows what the person sees, and what the
model was told: the text as it stands in the request, its carrier, its tokens and its place. The model is the rehearsal,
a stand-in on loopback: no key is needed and nothing is sent to a provider. When it ends, all of it is removed.
Exit codes: 0 done   1 a kind kept silent   2 unknown kind
`

const LOGIN = `sotto login [PROVIDER] [options]: stores a key for anthropic, openai or google

  sotto login                    asks whose key it is, and takes it without showing it
  sotto login PROVIDER < FILE    takes it from standard input

  --list                         which keys there are, and where they come from; never the keys themselves
  --remove PROVIDER              forgets a stored key
  --no-check                     stores the key without trying it

The key is tried first: the provider is asked for its list of models, which costs nothing, at its usual address or the one
in ANTHROPIC_BASE_URL, OPENAI_BASE_URL or GOOGLE_GEMINI_BASE_URL. It is kept in keys.json in your settings folder, which only
you can read. A key in the environment counts more. Commands that the agent runs get neither.
`

const SERVE = `sotto serve [options]: sessions over HTTP and server-sent events

  --port N               4096 unless given; 0 takes a free one. "listening on http://…" on standard output says which
  --host ADDRESS         the address to listen on instead of 127.0.0.1: other machines may then reach the server
  --name NAME            a name under which it is reached there; may be repeated
  --workspace NAME=PATH  a workspace that other machines have too, and where it is here; may be repeated
  --sessions N           at most so many sessions at work here at once; 32 unless given
  --store PLACE          serve the sessions of that store: the path of a file, or postgres://user@host/database

  sotto serve channel add NAME       a credential for somebody who may only send messages; prints its token once
  sotto serve channel remove NAME
  sotto serve channel list

Requests carry the token of the file server.token in Sotto's folder, or SOTTO_TOKEN: Authorization: Bearer TOKEN.
/openapi.json describes them, and docs/server.md explains them. On SIGTERM or Ctrl+C it stops every session and exits.
`

const INSPECT = `sotto inspect [ID|FILE] [--port N] [--no-open]: a page that shows what the model saw

  ID                     a session; FILE: a recording of sotto proxy, a HAR file, or a session file of another agent
  --port N               a free one unless given
  --no-open              only print the address
  --store PLACE          the sessions of that store: the path of a file, or postgres://user@host/database

The address is printed, and opened where there is a display. It lets one browser in, once, within two minutes. If a server
of yours runs already, its page is opened; otherwise one runs until Ctrl+C.
`

const PAGES: Readonly<Record<string, string>> = {
  run: RUN,
  trust: TRUST,
  login: LOGIN,
  check: CHECK,
  proxy: PROXY,
  sessions: SESSIONS,
  store: STORE,
  tour: TOUR,
  rehearse: REHEARSE,
  serve: SERVE,
  inspect: INSPECT,
  show: `sotto show ID [options]: the conversation as a person sees it

  --ids     the id of each prompt before it, for \`sotto fork\` and rewind
  --cost    instead of the conversation: what it cost, on what, and what was decided to save

ID is what \`sotto sessions\` lists.
`,
  fork: `sotto fork ID PROMPT: a new session that begins as this one was before the turn that the prompt opened; prints its id

PROMPT is the id of a prompt, such as m4: \`sotto show ID --ids\` lists them. The old session stays as it is.
\`sotto run --session NEW-ID\` goes on with the new one.
`,
  asides: `sotto asides ID [--step N]: what the model was told beside the conversation, and why rules kept silent

  --step N    only at the Nth request to the model of each turn

Each aside says its kind (\`sotto rules\` lists them), its tokens and its carrier, which is how it travelled in the request.
`,
  export: `sotto export ID [--redact]: the session's log on stdout, one entry a line; \`sotto import\` takes it back

  --redact    a copy to share, without keys and texts that look like secrets
`,
  import:
    "sotto import FILE: stores a session that was exported or archived; a damaged one is refused, with the line and the field\n",
  rules: `sotto rules: every rule of this directory, by the kind of reminder that it has the model told

  priority    higher speaks first
  throttle    how long the rule keeps silent after it spoke
  trust       whose words it tells: the harness's, yours (user), or anybody's (untrusted)
  from        Sotto itself (standard), or your file

"reminders" in sotto.json turns a kind off or changes it. docs/reference/reminders.md has every text.
`,
  acp: "sotto acp [--model P/M] [--agent NAME]: what an editor starts; speaks the Agent Client Protocol on stdin and stdout\n",
  init: "sotto init [DIR]: writes a commented sotto.json and an example of a reminder; never writes over a file\n",
  completion: `sotto completion SHELL: prints a script that completes commands and options in bash, zsh or fish

  bash   add to ~/.bashrc:                   eval "$(sotto completion bash)"
  zsh    add to ~/.zshrc, after compinit:    eval "$(sotto completion zsh)"
  fish   save once:                          sotto completion fish > ~/.config/fish/completions/sotto.fish
`,
  doctor: `sotto doctor [--json]: whether everything is in place, and what to do where it is not

It looks at Node, the configuration, who else may read your keys and sessions, the store and its disk, the model, whether its
provider takes the key, the provider's address (http or https, with or without /v1), proxies, MCP servers, trust, ripgrep, git,
the sandbox and the terminal. It starts no server and no hook, and sends the key to nobody but the provider.

  --json    one object: {"ok":…,"checks":[{"name":…,"state":"ok|warning|skipped|failed","text":…,"remedy":…}]}

Exit codes: 0 nothing failed   1 something failed
`,
}

/** One command as its help describes it: what completions and the manual are made of. */
export interface Described {
  readonly name: string
  readonly summary: string
  readonly page: string
  /** Its options, such as "--model", in the order of its help. */
  readonly options: readonly string[]
}

/** Every command, as the overview lists them. */
export function described(): readonly Described[] {
  return [...OVERVIEW.matchAll(/^ {2}sotto ([a-z]+)\b.*? {2,}(\S.*)$/gm)].map(
    ([, name = "", summary = ""]) => {
      const page = PAGES[name] ?? ""
      return { name, summary, page, options: optionsIn(page) }
    },
  )
}

/** The options of `sotto` itself, without a command. */
export function ownOptions(): readonly string[] {
  const line = /^ {2}sotto takes [\s\S]*?\n(?= {2}sotto )/m.exec(OVERVIEW)?.[0] ?? ""
  return [...(line.match(/--[a-z-]+/g) ?? []), "--help", "--version"]
}

/** Options that a page lists, a line each or in brackets. */
function optionsIn(page: string): readonly string[] {
  return [...new Set([...page.matchAll(/(?:^ {2,}|\[)(--[a-z-]+)/gm)].map(([, option = ""]) => option))]
}

export function help(command?: string): string {
  return (command !== undefined && PAGES[command]) || OVERVIEW
}
