import { createInterface } from "node:readline"
import {
  asidesOf,
  type Conversation,
  openConversation,
  openProjectRuntime,
  ownCommandIn,
  type ProjectRuntime,
  reasonOf,
} from "@sotto/harness"
import { watchForLeaving } from "../exit.js"
import { textOutput } from "../output/text.js"
import { onTypedLine } from "../questions/input.js"
import { LineAsking } from "../questions/line-questions.js"
import { ToldQuestions } from "../questions/told-questions.js"
import { askForTrust } from "../questions/trust.js"
import { oneLine } from "../screen/inert.js"
import { type InkPiece, inkFor } from "../screen/ink.js"
import { out } from "../screen/printer.js"
import { EXIT, type TalkFlags, thinking, UsageError } from "../usage.js"
import { wantedSession } from "./open-store.js"

const HELP = `Type to talk; what you type while it works reaches it at the next step.
  /agent NAME   /model P/M   /asides   /queue   /abort   /help   /quit
Ctrl+C interrupts; Ctrl+C again leaves.`

/** Runs `sotto` in a terminal, a line at a time: for dumb terminals and screen readers too. */
export async function plain(values: TalkFlags): Promise<number> {
  if (!process.stdin.isTTY) throw new UsageError('`sotto` needs a terminal. Without one: sotto run "PROMPT".')
  const workplace = await openProjectRuntime({
    cwd: process.cwd(),
    env: process.env,
    watched: true,
    ...thinking(values.think),
    ...(values.trust && { trust: true }),
    askTrust: askForTrust,
  })
  const ink = inkFor(process.stdout.isTTY, process.env)
  // While a question is in sight nothing is printed below it: it stays the last thing on the screen.
  const held: (readonly InkPiece[])[] = []
  let isHolding = false
  const print = (...pieces: readonly InkPiece[]) => {
    if (isHolding) held.push(pieces)
    else out.print(...pieces)
  }
  const show = textOutput({ say: print, tell: print, ink, columns: () => process.stdout.columns })
  const asking = new LineAsking({
    pose: (question) => {
      if (reader.line !== "") out.line()
      show({ type: "ask", ...question })
      isHolding = true
    },
    say: (line) => {
      out.line(ink.bold(line))
      if (reader.line !== "") reader.prompt(true)
    },
    answer: (id, answer) => questions.answer(id, answer),
    done: () => {
      isHolding = false
      for (const pieces of held.splice(0)) out.print(...pieces)
    },
  })
  const questions = new ToldQuestions({
    asked: (question) => asking.asked(question),
    settled: (id) => asking.settled(id),
  })
  const stored = await wantedSession(values, workplace)
  const { conversation, close } = await openConversation({
    workplace,
    questions,
    emit: show,
    yes: () => values.yes ?? false,
    ...(values.model !== undefined && { model: values.model }),
    ...(values.agent !== undefined && { agent: values.agent }),
    ...(stored !== undefined && { session: stored }),
  })
  const sayOwn = async ({ command, typed }: NonNullable<ReturnType<typeof ownCommandIn>>) => {
    try {
      conversation.sayOwn(await command.prompt(typed))
    } catch (error) {
      out.line(reasonOf(error))
    }
  }
  const take = (line: string, begun: number) => {
    try {
      if (isCommand(line, asking.isOpen)) {
        const own = ownCommandIn(line, workplace.ownCommands())
        const isBuiltIn = COMMANDS.includes(line.slice(1).trim().split(/\s+/)[0] ?? "")
        if (own && !isBuiltIn) void sayOwn(own)
        else if (!slash(line, conversation, workplace)) reader.close()
      } else if (!asking.took(line, begun) && line.trim() !== "") conversation.say(line)
    } catch (error) {
      out.line(reasonOf(error))
    }
  }
  const reader = onTypedLine(
    process.stdin,
    () => createInterface({ input: process.stdin, output: process.stdout, prompt: "" }),
    take,
  )
  const left = new Promise<void>((resolve) => reader.once("close", resolve))
  const where = [workplace.modelNamed(values.model).id, conversation.session.agent, workplace.cwd]
  out.line(ink.bold("sotto"), " ", ink.dim(where.map(oneLine).join(" · ")))
  out.line(ink.dim(HELP))
  // Ctrl+C is a key here.
  const leaving = watchForLeaving({ interrupts: false })
  leaving.signal.addEventListener("abort", () => reader.close())
  if (values.prompt !== undefined) take(values.prompt, 0)
  reader.on("SIGINT", () => {
    if (conversation.session.phase === "idle") reader.close()
    else conversation.abort("interrupted")
  })
  try {
    await left
  } finally {
    // Else the terminal would keep the process.
    reader.close()
    asking.close()
    questions.close()
    if (conversation.session.phase !== "idle") conversation.abort("left")
    // What was stopped may still have to find that out.
    await conversation.wake()
    await close()
    await workplace.close()
    leaving.stop()
  }
  return leaving.code ?? EXIT.done
}

const COMMANDS = "agent model asides queue abort help quit exit".split(" ")

/** Takes only known commands while a question is open: `/usr/bin` may be an answer. */
function isCommand(line: string, isAsked: boolean): boolean {
  if (!line.startsWith("/")) return false
  return !isAsked || COMMANDS.includes(line.slice(1).trim().split(/\s+/)[0] ?? "")
}

/** Returns false if the user wants to leave. */
function slash(line: string, conversation: Conversation, workplace: ProjectRuntime): boolean {
  const [command = "", argument = ""] = line.slice(1).trim().split(/\s+/)
  const say = (text: string) => out.line(text)
  try {
    switch (command) {
      case "agent":
        conversation.switchAgent(argument)
        break
      case "model":
        conversation.switchModel(workplace.modelNamed(argument))
        break
      case "asides":
        for (const { step, kind, tokens, carrier, text } of asidesOf(conversation.session))
          say(`step ${step}: ${kind} (${tokens} tokens, ${carrier})\n${text.replace(/^/gm, "  ")}`)
        break
      case "queue":
        for (const { id, delivery, content } of conversation.session.queue())
          say(`${id} ${delivery}: ${JSON.stringify(content)}`)
        break
      case "abort":
        conversation.abort("the user aborted")
        break
      case "quit":
      case "exit":
        return false
      default:
        say(HELP)
    }
  } catch (error) {
    say(reasonOf(error))
  }
  return true
}
