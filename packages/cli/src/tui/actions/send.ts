import { readFileSync } from "node:fs"
import { basename } from "node:path"
import type { ContentPart, Delivery } from "@sotto/core"
import { type InvokedCommand, reasonOf } from "@sotto/harness"
import { findCommand, parseCommand, unknownCommand } from "../commands/table.js"
import { guarded, type TerminalContext } from "../context.js"
import { type Buffer, expand, imagesIn } from "../input/buffer.js"
import { imageType } from "../input/paste.js"
import { emptied, overtaken } from "../state/draft.js"
import type { OwnShell } from "./turn.js"

/**
 * Sends what is written where it belongs: a queued message is changed, a command carried out, what follows `!` run, and
 * anything else said.
 */
export function submit(terminal: TerminalContext, shell: OwnShell, delivery: Delivery): void {
  const { draft } = terminal.ui()
  const text = expand(draft.buffer).trim()
  const command = parseCommand(text)
  const own = terminal.workplace.ownCommandIn(text)
  const known = command && findCommand(command.name, terminal)
  if (draft.editing !== undefined) void submitEdited(terminal, draft.editing, text, own)
  else if (command && (own === undefined || (known && known.isOwn !== true)))
    carryOut(terminal, command.name, command.argument, text)
  else if (own) void sayOwn(terminal, own, text, delivery)
  else if (/^!\s*\S/.test(text)) runTyped(terminal, shell, text)
  else if (text !== "")
    guarded(terminal, () => {
      const content = contentOf(draft.buffer, text)
      clearDraft(terminal, text)
      terminal.talk().say(content, delivery)
    })
}

function clearDraft(terminal: TerminalContext, text: string): void {
  terminal.history.add(text)
  terminal.update((ui) => ({ ...ui, draft: emptied(ui.draft) }))
}

/**
 * Says a command of the user's own, or a skill: the model gets what it stands for, and the person sees what they typed.
 */
async function sayOwn(
  terminal: TerminalContext,
  { command, typed }: InvokedCommand,
  text: string,
  delivery: Delivery,
): Promise<void> {
  const talk = terminal.talk()
  clearDraft(terminal, text)
  try {
    talk.conversation.sayOwn(await command.prompt(typed), { delivery })
  } catch (error) {
    terminal.say(reasonOf(error), "error")
  }
}

function runTyped(terminal: TerminalContext, shell: OwnShell, text: string): void {
  if (shell.isRunning) {
    terminal.hint("A command of yours still runs. Esc stops it.")
    return
  }
  clearDraft(terminal, text)
  void shell.run(text.slice(1).trim())
}

async function submitEdited(
  terminal: TerminalContext,
  id: string,
  text: string,
  own: InvokedCommand | undefined,
): Promise<void> {
  const { conversation } = terminal.talk()
  const content = own ? (await own.command.prompt(own.typed)).content : text
  const done = text === "" ? conversation.cancel(id) : conversation.edit(id, { content })
  terminal.dispatch({ type: "waiting", waiting: terminal.talk().waiting() })
  if (done) terminal.update((ui) => ({ ...ui, draft: emptied(ui.draft) }))
  else {
    terminal.update((ui) => ({ ...ui, draft: overtaken(ui.draft) }))
    terminal.hint("That message was delivered already. Enter sends this as a new one.")
  }
}

function carryOut(terminal: TerminalContext, name: string, argument: string, text: string): void {
  const command = findCommand(name, terminal)
  if (command === undefined) {
    terminal.hint(unknownCommand(name, terminal))
    return
  }
  clearDraft(terminal, text)
  // What a command has to say goes to the session that it was given in.
  void (async () => {
    try {
      await command.run(terminal, argument)
    } catch (error) {
      terminal.say(reasonOf(error), "error")
    }
  })()
}

function contentOf(buffer: Buffer, text: string): string | readonly ContentPart[] {
  const images = imagesIn(buffer)
  if (images.length === 0) return text
  return [{ type: "text", text }, ...images.map(imagePart)]
}

function imagePart(path: string): ContentPart {
  const mediaType = imageType(path) ?? "image/png"
  return { type: "image", mediaType, name: basename(path), data: readFileSync(path).toString("base64") }
}
