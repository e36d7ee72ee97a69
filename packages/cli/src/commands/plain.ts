import { createInterface } from "node:readline"
import { parseArgs } from "node:util"
import {
  type Conversation,
  Desk,
  openConversation,
  openWorkplace,
  type Question,
  reasonOf,
  type Workplace,
} from "@sotto/harness"
import { inkFor, textOutput } from "../output/text.js"
import { askInLines } from "../output/trust.js"
import { EXIT, UsageError } from "../usage.js"

const HELP = `Type to talk; what you type while it works reaches it at the next step.
  /agent NAME   /model P/M   /asides   /queue   /abort   /help   /quit
Ctrl+C interrupts; Ctrl+C again leaves.`

/** `sotto` in a terminal, a line at a time: for dumb terminals and screen readers too. */
export async function plain(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      plain: { type: "boolean" },
      model: { type: "string" },
      agent: { type: "string" },
      session: { type: "string" },
      continue: { type: "boolean" },
      yes: { type: "boolean" },
      trust: { type: "boolean" },
    },
  })
  if (!process.stdin.isTTY) throw new UsageError('`sotto` needs a terminal. Without one: sotto run "PROMPT".')
  const workplace = await openWorkplace({
    cwd: process.cwd(),
    env: process.env,
    watched: true,
    ...(values.trust && { trust: true }),
    askTrust: askInLines,
  })
  const ink = inkFor(process.stdout.isTTY, process.env)
  const show = textOutput((text) => process.stdout.write(text), ink, false)
  const questions: Question[] = []
  const desk = new Desk(
    (question) => {
      questions.push(question)
      show({ type: "ask", ...question })
    },
    () => true,
  )
  const stored = values.session ?? (values.continue ? workplace.store().latest(workplace.cwd)?.id : undefined)
  const { conversation, close } = await openConversation({
    workplace,
    desk,
    emit: show,
    yes: () => values.yes ?? false,
    ...(values.model !== undefined && { model: values.model }),
    ...(values.agent !== undefined && { agent: values.agent }),
    ...(stored !== undefined && { session: stored }),
  })
  const reader = createInterface({ input: process.stdin, output: process.stdout, prompt: "" })
  process.stdout.write(
    `${ink.bold("sotto")} ${ink.dim(`${workplace.modelNamed(values.model).id} · ${conversation.session.agent} · ${workplace.cwd}`)}\n${ink.dim(HELP)}\n`,
  )
  reader.on("SIGINT", () => {
    if (conversation.session.phase === "idle") reader.close()
    else conversation.abort("interrupted")
  })
  try {
    for await (const line of reader) {
      const question = questions.shift()
      // Asked before this line was typed: the line is its answer, and no message.
      if (question) desk.answer(question.id, line)
      else if (line.startsWith("/")) {
        if (!slash(line, conversation, workplace)) break
      } else if (line.trim() !== "") conversation.say(line)
    }
  } finally {
    // Else the terminal would keep the process.
    reader.close()
    desk.close()
    if (conversation.session.phase !== "idle") conversation.abort("left")
    await close()
    await workplace.close()
  }
  return EXIT.done
}

/** Whether to stay. */
function slash(line: string, conversation: Conversation, workplace: Workplace): boolean {
  const [command = "", argument = ""] = line.slice(1).trim().split(/\s+/)
  const say = (text: string) => process.stdout.write(`${text}\n`)
  try {
    switch (command) {
      case "agent":
        conversation.switchAgent(argument)
        break
      case "model":
        conversation.switchModel(workplace.modelNamed(argument))
        break
      case "asides":
        for (const { step, kind, tokens, carrier, text } of conversation.session.asides())
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
