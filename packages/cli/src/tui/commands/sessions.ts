import { redoable } from "@sotto/core"
import { forkSession, isRehearsal, type RewindOptions } from "@sotto/harness"
import { fullSessionId } from "../../commands/open-store.js"
import { write } from "../actions/draft.js"
import { GO_BACK, moved, REDO } from "../actions/restore.js"
import type { SlashCommand, TerminalContext } from "../context.js"

export const resume: SlashCommand = {
  name: "resume",
  aliases: ["sessions", "continue"],
  argument: "[ID]",
  help: "go on with another session of this directory: search, look, choose",
  run: async (terminal, argument) => {
    if (argument === "") terminal.open("sessions")
    else await terminal.openSession(await fullSessionId(terminal.workplace.store(), argument))
  },
}

export const clear: SlashCommand = {
  name: "clear",
  aliases: ["new", "reset"],
  help: "begin a new session; this one stays stored",
  run: (terminal) => terminal.openSession(),
}

export const rewind: SlashCommand = {
  name: "rewind",
  aliases: ["checkpoint"],
  help: "back to before one of your messages, files too if you want; Esc Esc does the same",
  run: async (terminal) => {
    const prompt = await choosePrompt(terminal, "Back to before")
    if (prompt === undefined) return
    const { conversation } = terminal.talk()
    const move = (options: RewindOptions) => conversation.rewind(prompt.id, options)
    if (await moved(terminal, GO_BACK, move)) write(terminal, prompt.text)
  },
}

export const undo: SlashCommand = {
  name: "undo",
  help: "back to before your last message, with what was done to files since",
  run: async (terminal) => {
    const [prompt] = terminal.talk().prompts()
    if (prompt === undefined) return terminal.say("There is nothing to undo yet.")
    const { conversation } = terminal.talk()
    if (await moved(terminal, "Undo", (options) => conversation.undo(options))) write(terminal, prompt.text)
  },
}

export const redo: SlashCommand = {
  name: "redo",
  help: "take the last undo or rewind back, before you say something new",
  run: async (terminal) => {
    const { conversation } = terminal.talk()
    if (redoable(conversation.session.log) === undefined)
      return terminal.say("There is no undo to take back, or something was said since.")
    await moved(terminal, REDO, (options) => conversation.redo(options))
  },
}

export const fork: SlashCommand = {
  name: "fork",
  aliases: ["branch"],
  help: "a new session that begins as this one was before one of your messages",
  run: async (terminal) => {
    const prompt = await choosePrompt(terminal, "Fork before")
    if (prompt === undefined) return
    const id = await forkSession(terminal.workplace.store(), terminal.talk().session.id, prompt.id)
    await terminal.openSession(id)
    write(terminal, prompt.text)
  },
}

export const compact: SlashCommand = {
  name: "compact",
  aliases: ["summarize", "compress"],
  argument: "[FOCUS]",
  help: "replace the conversation so far by a summary of it",
  run: ({ talk, say }, argument) => {
    say("the conversation is being summarised")
    talk().conversation.compact(argument === "" ? undefined : argument)
  },
}

export const quit: SlashCommand = {
  name: "quit",
  aliases: ["exit", "q"],
  help: "leave; the session stays stored",
  run: (terminal) => terminal.quit(),
}

/** Has the person choose one of the messages that opened a turn. */
async function choosePrompt(
  { talk, pick, say }: TerminalContext,
  title: string,
): Promise<{ readonly id: string; readonly text: string } | undefined> {
  const prompts = talk().prompts()
  if (prompts.length === 0) {
    say("There is nothing to go back to yet.")
    return undefined
  }
  const items = prompts.map(({ id, text }) => ({ value: id, label: text.split("\n")[0] ?? "" }))
  const chosen = await pick(title, items)
  return prompts.find(({ id }) => id === chosen)
}

export const tour: SlashCommand = {
  name: "tour",
  help: "a message in mid-turn, a change to allow, a plan: played by the rehearsal",
  run: async ({ talk, ui, startTour, hint, say }) => {
    const { model } = talk().model()
    if (!isRehearsal(model))
      say(
        `The tour needs the rehearsal, and this session talks to ${model}. Run \`sotto tour\` in a shell instead: it costs nothing.`,
      )
    else if (ui().tour) hint("The tour is on already. Esc leaves it.")
    else if (ui().screen.turn) hint("The tour begins when nothing else goes on: Esc interrupts this turn.")
    else await startTour()
  },
}
