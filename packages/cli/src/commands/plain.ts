import { createInterface } from "node:readline"
import { type InvokedCommand, openConversation, openProjectRuntime, reasonOf } from "@sotto/harness"
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
import { carryOut, commandIn, type PlainTalk } from "./plain-commands.js"

const START = `Type to talk; what you type while it works reaches it at the next step. /help lists the commands.
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
  const show = textOutput({ say: print, tell: print, ink, ends: true, columns: () => process.stdout.columns })
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
  const opened = (options: Pick<TalkFlags, "model" | "agent" | "session">) =>
    openConversation({ workplace, questions, emit: show, yes: () => values.yes ?? false, ...options })
  const { model, agent } = values
  const stored = await wantedSession(values, workplace)
  let open = await opened({
    ...(model !== undefined && { model }),
    ...(agent !== undefined && { agent }),
    ...(stored !== undefined && { session: stored }),
  })
  const leave = async () => {
    const { conversation } = open
    if (conversation.session.phase !== "idle") conversation.abort("left")
    // What was stopped may still have to find that out.
    await conversation.wake()
    await open.close()
  }
  const talk: PlainTalk = {
    workplace,
    open: () => open,
    say: (text) => out.line(text),
    replace: async (session) => {
      const next = await opened(
        session === undefined ? { model: open.conversation.session.model } : { session },
      )
      await leave()
      open = next
    },
    hidden: async (work) => {
      reader.pause()
      try {
        return await work()
      } finally {
        reader.resume()
      }
    },
    quit: () => reader.close(),
  }
  const sayOwn = async ({ command, typed }: InvokedCommand) => {
    try {
      open.conversation.sayOwn(await command.prompt(typed))
    } catch (error) {
      out.line(reasonOf(error))
    }
  }
  const take = (line: string, begun: number) => {
    try {
      // While a question is open only Sotto's own names count: `/usr/bin` may be an answer.
      const command = commandIn(line)
      const own = asking.isOpen || command?.isKnown ? undefined : workplace.ownCommandIn(line)
      if (own) void sayOwn(own)
      else if (command && (command.isKnown || !asking.isOpen)) void carryOut(command, talk)
      else if (!asking.took(line, begun) && line.trim() !== "") open.conversation.say(line)
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
  const { session } = open.conversation
  const where = [session.model, session.agent, workplace.cwd]
  out.line(ink.bold("sotto"), " ", ink.dim(where.map(oneLine).join(" · ")))
  out.line(ink.dim(START))
  // Ctrl+C is a key here.
  const leaving = watchForLeaving({ interrupts: false })
  leaving.signal.addEventListener("abort", () => reader.close())
  if (values.prompt !== undefined) take(values.prompt, 0)
  reader.on("SIGINT", () => {
    if (open.conversation.session.phase === "idle") reader.close()
    else open.conversation.abort("interrupted")
  })
  try {
    await left
  } finally {
    // Else the terminal would keep the process.
    reader.close()
    asking.close()
    questions.close()
    await leave()
    await workplace.close()
    leaving.stop()
  }
  return leaving.code ?? EXIT.done
}
