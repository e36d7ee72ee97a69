import { statSync } from "node:fs"
import { parseArgs } from "node:util"
import {
  CommandError,
  type Conversation,
  type HarnessEvent,
  type OpenConversation,
  OpenQuestions,
  openConversation,
  openProjectRuntime,
  ownCommandIn,
  type ProjectRuntime,
  type Restored,
  readCommand,
  reasonOf,
  type SessionCommand,
  type TurnEnd,
} from "@sotto/harness"
import { watchForLeaving } from "../exit.js"
import { textOutput } from "../output/text.js"
import { leftOutLines } from "../output/trust.js"
import { standardInput } from "../questions/input.js"
import { inkFor } from "../screen/ink.js"
import { err, out } from "../screen/printer.js"
import { EXIT, thinking, UsageError } from "../usage.js"
import { type CommandOptions, optionRows, type Subcommand } from "./subcommand.js"

const OPTIONS = {
  model: { type: "string", value: "P/M", help: "the model, such as anthropic/claude-opus-5-5" },
  agent: { type: "string", value: "NAME", help: "the agent to start with" },
  "max-steps": { type: "string", value: "N", help: "at most so many steps a turn" },
  think: { type: "string", value: "LEVEL", help: "how much the model thinks: off, low, medium, high or max" },
  session: { type: "string", value: "ID", help: "go on with a session" },
  continue: { type: "boolean", help: "go on with the newest session of this directory" },
  cwd: { type: "string", value: "DIR", help: "work there" },
  store: {
    type: "string",
    value: "PLACE",
    help: "keep sessions there: the path of a file, or postgres://user@host/database",
  },
  yes: { type: "boolean", help: "allow what would be asked; what is denied stays denied" },
  trust: {
    type: "boolean",
    help: "trust the folder for this run: what it brings along takes effect (see sotto trust --help)",
  },
  quiet: { type: "boolean", help: "only what the model writes; errors go to standard error" },
  input: {
    type: "string",
    value: "text|jsonl",
    help: "jsonl: commands on stdin, one a line, read while the turn runs",
  },
  output: { type: "string", value: "text|jsonl", help: "jsonl: everything that happens, one event a line" },
} as const satisfies CommandOptions

export const subcommand: Subcommand = {
  help: `sotto run [PROMPT] [options]: one conversation without a terminal

${optionRows(OPTIONS, 25)}

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
`,
  options: OPTIONS,
  manual: ["Using the agent", "../agent.md#scripting"],
  run,
}

async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  const input = oneOf("input", values.input)
  const output = oneOf("output", values.output)
  if (positionals[0]?.trim() === "") throw new UsageError("The prompt is empty.")
  if (positionals.length > 1) throw new UsageError("One prompt at a time: put it in quotes.")
  const isNew = values.session === undefined && !values.continue
  // Before anything is opened: without a prompt there is to be no session.
  const prompt = positionals[0] ?? (input === "text" && isNew ? await promptFromStdin() : undefined)
  const workplace = await openProjectRuntime({
    cwd: folder(values.cwd ?? process.cwd()),
    env: process.env,
    ...maxSteps(values["max-steps"]),
    ...thinking(values.think),
    ...(values.trust && { trust: true }),
  })
  const watch = new Watch(
    output === "jsonl"
      ? writeLine
      : textOutput({
          say: out.print,
          tell: err.print,
          ink: inkFor(process.stderr.isTTY, process.env),
          quiet: values.quiet ?? false,
        }),
  )
  let listening = input === "jsonl"
  const questions = new OpenQuestions(
    (question) => watch.event({ type: "ask", ...question }),
    () => listening,
  )
  const { model, agent } = values
  const { conversation, obey, settled, close } = await openConversation({
    workplace,
    questions,
    emit: watch.event,
    yes: () => values.yes ?? false,
    ...(model !== undefined && { model }),
    ...(agent !== undefined && { agent }),
    ...(await sessionOf(values, workplace)),
  })
  watch.event({ type: "session", id: conversation.session.id })
  const { trust } = workplace
  if (trust.leftOut.length > 0) watch.event({ type: "untrusted", items: trust.leftOut })
  // Text output has told them already: each is an "error" event of the opening.
  if (values.output === "jsonl") for (const notice of trust.notices) err.line(`sotto: ${notice}`)
  for (const line of leftOutLines(trust)) err.line(line)
  // The model has to know that the user will not be asked.
  if (values.yes) conversation.setAuto(true)
  const leaving = watchForLeaving()
  leaving.signal.addEventListener("abort", () => {
    conversation.abort("interrupted")
    questions.close()
    process.stdin.destroy()
  })
  try {
    if (prompt !== undefined) await sayTyped(prompt, conversation, workplace)
    if (input === "jsonl") {
      // What a crash left open goes on without being asked.
      void conversation.wake()
      await readCommands(obey, watch, leaving.signal)
      listening = false
      questions.close()
    } else if (prompt === undefined && conversation.session.phase === "idle")
      await sayTyped(await promptFromStdin(), conversation, workplace)
    await settled(leaving.signal)
  } finally {
    await close()
    await workplace.close()
    leaving.stop()
  }
  return leaving.code ?? (watch.end === undefined && watch.hasError ? EXIT.failed : exitFor(watch.end))
}

/** Treats an abort as success: the user asked for it. */
function exitFor(end: TurnEnd | undefined): number {
  switch (end) {
    case undefined:
    case "done":
    case "interrupted":
      return EXIT.done
    case "error":
      return EXIT.failed
    default:
      return EXIT.incomplete
  }
}

/** Sees what happens go by, and remembers how it ended. */
class Watch {
  /** How the last turn ended. */
  end: TurnEnd | undefined
  /** Something failed, such as a line of input that is not a command. */
  hasError = false
  readonly event: (event: HarnessEvent) => void

  constructor(show: (event: HarnessEvent) => void) {
    this.event = (event) => {
      if (event.type === "turn-end") this.end = event.reason
      if (event.type === "error") this.hasError = true
      show(event)
    }
  }
}

async function readCommands(
  obey: OpenConversation["obey"],
  watch: Watch,
  signal: AbortSignal,
): Promise<void> {
  let number = 0
  const lines = { input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY, signal }
  const { createInterface } = await import("node:readline")
  for await (const line of createInterface(lines)) {
    number++
    if (line.trim() === "") continue
    try {
      const command = parseCommand(line)
      const result = await obey(command)
      if (command.type === "rewind") checkFiles(result as Restored)
    } catch (error) {
      watch.event({ type: "error", message: `line ${number}: ${reasonOf(error)}` })
    }
  }
}

async function sayTyped(text: string, conversation: Conversation, workplace: ProjectRuntime): Promise<void> {
  const own = ownCommandIn(text, workplace.ownCommands())
  if (own) conversation.sayOwn(await own.command.prompt(own.typed))
  else conversation.say(text)
}

/** Throws if going back left files as they are. */
function checkFiles({ conflicts }: Restored): void {
  if (conflicts.length === 0) return
  const left = conflicts.map(({ path, why }) => `${path}: ${why}`).join("; ")
  throw new Error(`went back, but left some files as they are: ${left}`)
}

async function promptFromStdin(): Promise<string> {
  if (process.stdin.isTTY)
    throw new UsageError('What should it do? sotto run "PROMPT", or the prompt on stdin.')
  const text = await standardInput("The prompt")
  if (text.trim() === "")
    throw new UsageError('The prompt is empty. sotto run "PROMPT", or the prompt on stdin.')
  return text
}

async function sessionOf(
  values: { readonly session?: string; readonly continue?: boolean },
  workplace: ProjectRuntime,
) {
  if (values.session !== undefined) return { session: values.session }
  if (!values.continue) return {}
  const latest = await workplace.store().latest(workplace.cwd)
  if (latest === undefined)
    throw new UsageError(`There is no session of ${workplace.cwd} to go on with. Leave --continue out.`)
  return { session: latest.id }
}

function maxSteps(given: string | undefined): { readonly maxSteps?: number } {
  if (given === undefined) return {}
  const steps = Number(given)
  if (!Number.isInteger(steps) || steps < 1)
    throw new UsageError(`--max-steps ${given}: use a whole number from 1.`)
  return { maxSteps: steps }
}

function folder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path
  throw new UsageError(`--cwd ${path}: there is no such folder.`)
}

function oneOf(name: string, given = "text"): "text" | "jsonl" {
  if (given === "text" || given === "jsonl") return given
  throw new UsageError(`--${name} ${given}: use text or jsonl.`)
}

function writeLine(event: HarnessEvent): void {
  // For people who watch; programs get the call when it is whole.
  if (event.type === "tool-input") return
  out.json(JSON.stringify(event))
}

/** Reads a line of `--input jsonl`. Throws a CommandError that says what is wrong with it. */
export function parseCommand(line: string): SessionCommand {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new CommandError("bad-command", `not JSON: ${line.slice(0, 80)}`)
  }
  // A stop is obeyed whatever else its line says.
  if ((value as { readonly type?: unknown } | null)?.type === "abort") return { type: "abort" }
  return readCommand(value)
}
