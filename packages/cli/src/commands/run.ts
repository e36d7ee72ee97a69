import { statSync } from "node:fs"
import { parseArgs } from "node:util"
import {
  type Conversation,
  type HarnessEvent,
  type OpenConversation,
  OpenQuestions,
  openConversation,
  openProjectRuntime,
  ownCommandIn,
  type ProjectRuntime,
  type Restored,
  reasonOf,
  type TurnEnd,
} from "@sotto/harness"
import { watchForLeaving } from "../exit.js"
import { parseCommand } from "../input/jsonl.js"
import { standardInput } from "../input/standard-input.js"
import { textOutput } from "../output/text.js"
import { leftOutLines } from "../output/trust.js"
import { inkFor } from "../screen/ink.js"
import { err, out } from "../screen/printer.js"
import { EXIT, thinking, UsageError } from "../usage.js"

const OPTIONS = {
  model: { type: "string" },
  agent: { type: "string" },
  "max-steps": { type: "string" },
  think: { type: "string" },
  session: { type: "string" },
  continue: { type: "boolean" },
  cwd: { type: "string" },
  yes: { type: "boolean" },
  trust: { type: "boolean" },
  quiet: { type: "boolean" },
  input: { type: "string" },
  output: { type: "string" },
} as const

/** `sotto run`: a conversation without a terminal. */
export async function run(args: readonly string[]): Promise<number> {
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
    ...sessionOf(values, workplace),
  })
  watch.event({ type: "session", id: conversation.session.id })
  const { trust } = workplace
  if (trust.leftOut.length > 0) watch.event({ type: "untrusted", items: trust.leftOut })
  // Text output has told them already: each is an "error" event of the opening.
  if (values.output === "jsonl") for (const notice of trust.notices) err.line(`sotto: ${notice}`)
  for (const line of leftOutLines(trust)) err.line(line)
  // The model has to know that nobody will be asked.
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

/** An abort that was asked for is no failure. */
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
  /** Something failed, such as a line of input that is no command. */
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

/** A prompt, or a command of the user's own: `/name what follows`. */
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

function sessionOf(
  values: { readonly session?: string; readonly continue?: boolean },
  workplace: ProjectRuntime,
) {
  if (values.session !== undefined) return { session: values.session }
  if (!values.continue) return {}
  const latest = workplace.store().latest(workplace.cwd)
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
