/** A command line that cannot be carried out: said with what to do, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

export const EXIT = { done: 0, failed: 1, usage: 2, incomplete: 3, unread: 141 } as const

const OVERVIEW = `sotto: a coding agent in which everything the model is told can be seen

  sotto                     talk to the agent here; type while it works (--plain: a line at a time)
  sotto run [PROMPT]        one prompt, or lines from stdin, without a terminal
  sotto sessions            what has been talked about; delete, repair or archive it
  sotto show ID             a session as a person sees it
  sotto asides ID           what the model was told beside that
  sotto fork ID PROMPT      a new session from before one of its prompts
  sotto export ID           the session's log, one entry a line
  sotto import FILE         a session from such a log
  sotto check SOURCE…       what broke the prompt cache in recorded traffic or session files of any agent, and the cost
  sotto trust               which folders you trust; trust this one, or no longer
  sotto rules               every rule: on or off, throttle, priority, where it comes from
  sotto acp                 for editors: the Agent Client Protocol on stdin and stdout
  sotto doctor              whether everything is in place

  sotto COMMAND --help      more about one of them
  sotto takes --plain, --model P/M, --agent NAME, --session ID, --continue, --yes and --trust, as \`sotto run\` does
  sotto --version

Models: anthropic/…, openai/…, openai-chat/…, google/…; keys in ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY.
Without a key the rehearsal serves: a stand-in that plays a tour.
`

const RUN = `sotto run [PROMPT] [options]: one conversation without a terminal

  --model P/M            the model, such as anthropic/claude-opus-5-5
  --agent NAME           the agent to start with
  --max-steps N          at most so many steps a turn
  --think LEVEL          how much the model thinks: off, low, medium, high or max
  --session ID           go on with a session
  --continue             go on with the newest session of this directory
  --cwd DIR              work there
  --yes                  allow what would be asked; what is denied stays denied
  --trust                trust the folder for this run: what it brings along takes effect (see sotto trust --help)
  --quiet                only what the model writes; errors go to standard error
  --input text|jsonl     jsonl: commands on stdin, one a line, read while the turn runs
  --output text|jsonl    jsonl: everything that happens, one event a line

Without PROMPT the text on stdin is the prompt. Lines of --input jsonl:
  {"type":"say","text":"…","delivery":"next-step|after-turn|now|passive","origin":{"kind":"…"},"id":"…",
   "system":"…","hidden":true}
  {"type":"agent","name":"plan"}   {"type":"model","model":"…"}   {"type":"answer","id":"…","answer":"allow"}
  {"type":"edit","id":"…","text":"…"}   {"type":"cancel","id":"…"}   {"type":"abort"}
  {"type":"task","id":"…","do":"progress|stop"}   {"type":"remind","text":"…"}
  {"type":"compact","focus":"…"}   {"type":"rewind","id":"…","files":true}   {"type":"auto","on":true}   {"type":"style","name":"…"}
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
  sotto sessions archive [--older-than DAYS]
                              moves sessions that nobody has used for so long (30 days unless given) to compressed files
                              beside the store; \`sotto import FILE\` brings one back
A session that is open somewhere is neither deleted, repaired nor archived.
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

const PAGES: Readonly<Record<string, string>> = {
  run: RUN,
  trust: TRUST,
  check: CHECK,
  sessions: SESSIONS,
  show: "sotto show ID [--ids]: the conversation as a person sees it, with the ids of its prompts\n",
  fork: "sotto fork ID PROMPT: a new session that begins as this one was before the turn that the prompt opened; prints its id\n",
  asides:
    "sotto asides ID [--step N]: what the model was told beside the conversation, and why rules kept silent\n",
  export:
    "sotto export ID [--redact]: the session's log on stdout, one entry a line; `sotto import` takes it back. --redact makes a copy to share, without keys and texts that look like secrets\n",
  import:
    "sotto import FILE: stores a session that was exported or archived; a damaged one is refused, with the line and the field\n",
  rules:
    "sotto rules: every rule of this directory: on/off, throttle, priority, trust, where it comes from\n",
  acp: "sotto acp [--model P/M] [--agent NAME]: what an editor starts; speaks the Agent Client Protocol on stdin and stdout\n",
  doctor:
    "sotto doctor: checks Node, the store, the model's key, ripgrep, the sandbox, the configuration and trust; starts no server and no hook\n",
}

export function help(command?: string): string {
  return (command !== undefined && PAGES[command]) || OVERVIEW
}
