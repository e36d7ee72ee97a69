import { statSync } from "node:fs"
import { createInterface } from "node:readline"
import { text as readAll } from "node:stream/consumers"
import { parseArgs } from "node:util"
import {
  type Conversation,
  Desk,
  type HarnessEvent,
  openConversation,
  openWorkplace,
  type Workplace,
} from "@sotto/harness"
import { type InputCommand, InputError, parseCommand } from "../input/jsonl.js"
import { inkFor, textOutput } from "../output/text.js"
import { leftOutLines } from "../output/trust.js"
import { EXIT, UsageError } from "../usage.js"

const OPTIONS = {
  model: { type: "string" },
  agent: { type: "string" },
  "max-steps": { type: "string" },
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
  const workplace = await openWorkplace({
    cwd: folder(values.cwd ?? process.cwd()),
    env: process.env,
    ...maxSteps(values["max-steps"]),
    ...(values.trust && { trust: true }),
  })
  const watch = new Watch(
    output === "jsonl"
      ? writeLine
      : textOutput(write, inkFor(process.stdout.isTTY, process.env), values.quiet ?? false),
  )
  let listening = input === "jsonl"
  const desk = new Desk(
    (question) => watch.event({ type: "ask", ...question }),
    () => listening,
  )
  const { model, agent } = values
  const { conversation, settled, close } = await openConversation({
    workplace,
    desk,
    emit: watch.event,
    yes: () => values.yes ?? false,
    ...(model !== undefined && { model }),
    ...(agent !== undefined && { agent }),
    ...sessionOf(values, workplace),
  })
  watch.event({ type: "session", id: conversation.session.id })
  const { trust } = workplace
  if (trust.leftOut.length > 0) watch.event({ type: "untrusted", items: trust.leftOut })
  for (const line of leftOutLines(trust)) process.stderr.write(`${line}\n`)
  const left = new AbortController()
  const onSignal = () => {
    watch.interrupted = true
    conversation.abort("interrupted")
    desk.close()
    left.abort()
    process.stdin.destroy()
  }
  process.once("SIGINT", onSignal)
  process.once("SIGTERM", onSignal)
  try {
    const [prompt] = positionals
    if (prompt !== undefined) conversation.say(prompt)
    if (input === "jsonl") {
      // What a crash left open goes on without being asked.
      void conversation.wake()
      await readCommands(conversation, workplace, watch, left.signal)
      listening = false
      desk.close()
    } else if (prompt === undefined && conversation.session.phase === "idle")
      conversation.say(await promptFromStdin())
    await settled(left.signal)
  } finally {
    process.removeListener("SIGINT", onSignal)
    process.removeListener("SIGTERM", onSignal)
    await close()
    await workplace.close()
  }
  return watch.interrupted ? EXIT.interrupted : watch.failed ? EXIT.failed : EXIT.done
}

/** Sees what happens go by, and remembers how it ended. */
class Watch {
  interrupted = false
  failed = false
  readonly event: (event: HarnessEvent) => void

  constructor(show: (event: HarnessEvent) => void) {
    this.event = (event) => {
      if (event.type === "turn-end") this.failed = event.reason === "error"
      show(event)
    }
  }
}

async function readCommands(
  conversation: Conversation,
  workplace: Workplace,
  watch: Watch,
  signal: AbortSignal,
): Promise<void> {
  let number = 0
  const lines = { input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY, signal }
  for await (const line of createInterface(lines)) {
    number++
    if (line.trim() === "") continue
    try {
      await obey(parseCommand(line, number), conversation, workplace)
    } catch (error) {
      const message =
        error instanceof InputError
          ? error.message
          : `line ${number}: ${error instanceof Error ? error.message : error}`
      watch.event({ type: "error", message })
    }
  }
}

async function obey(command: InputCommand, conversation: Conversation, workplace: Workplace): Promise<void> {
  switch (command.type) {
    case "say": {
      const { text, type: _, ...options } = command
      conversation.say(text, options)
      return
    }
    case "agent":
      conversation.switchAgent(command.name)
      return
    case "model":
      conversation.switchModel(workplace.modelNamed(command.model))
      return
    case "answer":
      if (!conversation.answer(command.id, command.answer))
        throw new Error(`nobody asked "${command.id}", or it has been answered`)
      return
    case "edit": {
      const { id, text, delivery } = command
      const patch = { ...(text !== undefined && { content: text }), ...(delivery && { delivery }) }
      if (!conversation.edit(id, patch)) throw new Error(`"${id}" is not queued`)
      return
    }
    case "cancel":
      if (!conversation.cancel(command.id)) throw new Error(`"${command.id}" is not queued`)
      return
    case "compact":
      conversation.compact(command.focus)
      return
    case "rewind":
      await goBack(command, conversation)
      return
    case "auto":
      conversation.setAuto(command.on)
      return
    case "style":
      conversation.setStyle(command.name)
      return
    case "abort":
      conversation.abort("the user aborted")
  }
}

async function goBack(
  { id, files }: Extract<InputCommand, { type: "rewind" }>,
  conversation: Conversation,
): Promise<void> {
  const { conflicts } = await conversation.rewind(id, { files })
  if (conflicts.length === 0) return
  const left = conflicts.map(({ path, why }) => `${path}: ${why}`).join("; ")
  throw new Error(`went back, but left some files as they are: ${left}`)
}

async function promptFromStdin(): Promise<string> {
  if (process.stdin.isTTY)
    throw new UsageError('What should it do? sotto run "PROMPT", or the prompt on stdin.')
  const text = await readAll(process.stdin)
  if (text.trim() === "")
    throw new UsageError('The prompt is empty. sotto run "PROMPT", or the prompt on stdin.')
  return text
}

function sessionOf(values: { readonly session?: string; readonly continue?: boolean }, workplace: Workplace) {
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

function write(text: string): void {
  process.stdout.write(text)
}

function writeLine(event: HarnessEvent): void {
  process.stdout.write(`${JSON.stringify(event)}\n`)
}
