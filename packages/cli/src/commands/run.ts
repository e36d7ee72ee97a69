import { fstatSync, statSync } from "node:fs"
import { parseArgs } from "node:util"
import {
  type AccountFigures,
  CommandError,
  type Conversation,
  type HarnessEvent,
  type OpenConversation,
  OpenQuestions,
  openConversation,
  openProjectRuntime,
  type ProjectRuntime,
  type RestoreReport,
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
  print: { type: "boolean", short: "p", isInternal: true },
  model: { type: "string", short: "m", value: "P/M", help: "the model, such as anthropic/claude-opus-5-5" },
  agent: { type: "string", value: "NAME", help: "the agent to start with" },
  "max-steps": { type: "string", value: "N", help: "at most so many steps a turn" },
  think: { type: "string", value: "LEVEL", help: "how much the model thinks: off, low, medium, high or max" },
  session: { type: "string", value: "ID", help: "go on with a session; the beginning of its id is enough" },
  continue: { type: "boolean", short: "c", help: "go on with the newest session of this directory" },
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
  quiet: { type: "boolean", help: "only the answer; errors go to standard error" },
  input: {
    type: "string",
    value: "text|jsonl",
    help: "jsonl: commands on stdin, one a line, read while the turn runs",
  },
  output: {
    type: "string",
    value: "text|json|jsonl",
    help: "json: one object at the end, with the answer and what it cost; jsonl: everything that happens, one event a line",
  },
} as const satisfies CommandOptions

export const subcommand: Subcommand = {
  help: `sotto run [PROMPT] [-] [options]: one conversation without a terminal; \`sotto -p\` is the same

${optionRows(OPTIONS, 25)}

A PROMPT such as "/name words" is a command of your own (.sotto/commands/name.md) or a skill, where there is one.
Without PROMPT the text on stdin is the prompt. With both, the text follows the prompt: git diff | sotto run "Review this."
A pipe in which nothing comes for 3 s (a socket: 1 s) is left alone; - waits for it to its end: make 2>&1 | sotto run "Why?" -
--output json prints {"answer","reason","cost","tokens","duration","session"}: dollars, tokens by price class, seconds; "cost"
is null where a price is not known, and "error" says what went wrong. Lines of --input jsonl:
  {"type":"say","text":"…","delivery":"next-step|after-turn|now|passive","origin":{"kind":"…"},"id":"…",
   "system":"…","hidden":true}
   "parts" instead of "text": [{"type":"text","text":"…","ignored":true}, …]; you see an ignored part, the model does not
  {"type":"agent","name":"plan"}   {"type":"model","model":"…"}   {"type":"answer","id":"…","answer":"allow"}
  {"type":"edit","id":"…","text":"…"}   {"type":"cancel","id":"…"}   {"type":"abort"}
  {"type":"task","id":"…","do":"progress|stop"}   {"type":"remind","text":"…"}   {"type":"reminder","kind":"…","on":false}
  {"type":"compact","focus":"…"}   {"type":"undo"}   {"type":"redo"}   {"type":"rewind","to":"…","files":true}
  {"type":"auto","on":true}   {"type":"style","name":"…"}
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
  const input = oneOf("input", ["text", "jsonl"], values.input)
  const output = oneOf("output", ["text", "json", "jsonl"], values.output)
  const isNew = values.session === undefined && !values.continue
  // Before anything is opened: without a prompt there is to be no session.
  const prompt = await promptOf(positionals, input === "jsonl" ? "commands" : isNew ? "prompt" : "nothing")
  const workplace = await openProjectRuntime({
    cwd: folder(values.cwd ?? process.cwd()),
    env: process.env,
    ...maxSteps(values["max-steps"]),
    ...thinking(values.think),
    ...(values.trust && { trust: true }),
    standIn: false,
  })
  const began = performance.now()
  const answer = new Answer()
  const shown =
    output === "jsonl"
      ? writeLine
      : textOutput({
          say: output === "json" ? () => {} : out.print,
          tell: err.print,
          ink: inkFor(process.stderr.isTTY, process.env),
          quiet: output === "json" || (values.quiet ?? false),
        })
  const watch = new Watch((event) => {
    if (output === "json") answer.hear(event)
    shown(event)
  })
  let listening = input === "jsonl"
  const questions = new OpenQuestions(
    (question) => watch.event({ type: "ask", ...question }),
    () => listening,
  )
  const { model, agent } = values
  const goesOn = values.session !== undefined || values.continue === true
  const session = goesOn
    ? await (await import("./open-store.js")).wantedSession(values, workplace)
    : undefined
  const { conversation, obey, settled, close } = await openConversation({
    workplace,
    questions,
    emit: watch.event,
    yes: () => values.yes ?? false,
    ...(model !== undefined && { model }),
    ...(agent !== undefined && { agent }),
    ...(session !== undefined && { session }),
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
  const code = leaving.code ?? (watch.end === undefined && watch.hasError ? EXIT.failed : exitFor(watch.end))
  if (output === "json")
    out.json(
      JSON.stringify({
        ...answer.result(watch.end ?? (code === EXIT.done ? "done" : "error")),
        duration: Math.round(performance.now() - began) / 1000,
        session: conversation.session.id,
      }),
    )
  return code
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

/** Collects what `--output json` prints: the answer of the last turn, and what the session has cost. */
class Answer {
  #text = ""
  #account: AccountFigures | undefined
  #error: string | undefined

  hear(event: HarnessEvent): void {
    if (event.type === "step" || event.type === "retry") this.#text = ""
    if (event.type === "text") this.#text += event.text
    if (event.type === "error") this.#error = event.message
    if (event.type === "usage" || event.type === "turn-end") this.#account = event.account ?? this.#account
  }

  result(reason: TurnEnd) {
    const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, cost = null } = this.#account ?? { cost: 0 }
    return {
      answer: this.#text,
      reason,
      ...(reason !== "done" && this.#error !== undefined && { error: this.#error }),
      cost,
      tokens: { input, output, cacheRead, cacheWrite },
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
      if (["rewind", "undo", "redo"].includes(command.type)) checkFiles(result as RestoreReport, command)
    } catch (error) {
      watch.event({ type: "error", message: `line ${number}: ${reasonOf(error)}` })
    }
  }
}

async function sayTyped(text: string, conversation: Conversation, workplace: ProjectRuntime): Promise<void> {
  const own = workplace.ownCommandIn(text)
  if (own) conversation.sayOwn(await own.command.prompt(own.typed))
  else conversation.say(text)
}

/** Throws if going back or forward left files as they are. */
function checkFiles({ conflicts, lost }: RestoreReport, command: SessionCommand): void {
  const left = [...conflicts, ...lost].map(({ path, why }) => `${path}: ${why}`).join("; ")
  const isPreview = "preview" in command && command.preview === true
  if (left === "" || isPreview) return
  throw new Error(
    `went ${command.type === "redo" ? "forward" : "back"}, but left some files as they are: ${left}`,
  )
}

/**
 * Gives the prompt: the words of the command line, standard input, or both, the words first. `stdin` says what standard
 * input is without words: the prompt, commands, or nothing where a session may go on by itself.
 */
async function promptOf(
  positionals: readonly string[],
  stdin: "prompt" | "commands" | "nothing",
): Promise<string | undefined> {
  const words = positionals.filter((one) => one !== "-")
  const isDash = words.length < positionals.length
  if (words.length > 1) throw new UsageError("One prompt at a time: put it in quotes.")
  const [given] = words
  if (given?.trim() === "") throw new UsageError("The prompt is empty.")
  if (stdin === "commands") {
    if (isDash)
      throw new UsageError("- is standard input, and --input jsonl reads commands from there. Leave one out.")
    return given
  }
  if (given === undefined) return isDash || stdin === "prompt" ? promptFromStdin() : undefined
  const piped = isDash ? await standardInput("The text") : await pipedText()
  return piped.trim() === "" ? given : `${given}\n\n${piped}`
}

/**
 * Milliseconds for the first byte: in a pipe, which shells make between programs, and in a socket, which other programs make
 * when they start us. They may leave it open and never write to it.
 */
const FIRST_BYTE = { pipe: 3_000, socket: 1_000 }

/** Reads what is piped in. Nothing from a terminal, and nothing if a pipe stays silent: that is said. */
async function pipedText(): Promise<string> {
  const { stdin } = process
  const found = fstatSync(stdin.fd)
  if (found.isFile()) return standardInput("The text")
  if (!found.isFIFO() && !found.isSocket()) return ""
  const wait = FIRST_BYTE[found.isFIFO() ? "pipe" : "socket"]
  const isThere = await new Promise<boolean>((resolve) => {
    const late = setTimeout(() => resolve(false), wait)
    const come = () => {
      clearTimeout(late)
      resolve(true)
    }
    for (const event of ["readable", "end", "error"]) stdin.once(event, come)
  })
  if (isThere) return standardInput("The text")
  stdin.destroy()
  err.line(
    `sotto: nothing came on standard input for ${wait / 1_000} s, so it is left alone. With - after the prompt Sotto waits for it.`,
  )
  return ""
}

async function promptFromStdin(): Promise<string> {
  if (process.stdin.isTTY)
    throw new UsageError('What should it do? sotto run "PROMPT", or the prompt on stdin.')
  const text = await standardInput("The prompt")
  if (text.trim() === "")
    throw new UsageError('The prompt is empty. sotto run "PROMPT", or the prompt on stdin.')
  return text
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

/** Reads an option that takes one of a few words; the first of them unless given. */
function oneOf<W extends string>(name: string, words: readonly W[], given?: string): W {
  const word = given === undefined ? words[0] : words.find((one) => one === given)
  if (word !== undefined) return word
  throw new UsageError(`--${name} ${given}: use ${words.slice(0, -1).join(", ")} or ${words.at(-1)}.`)
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
