import { readFileSync } from "node:fs"
import { basename } from "node:path"
import type { ContentPart, Delivery } from "@sotto/core"
import { ownCommandIn, reasonOf } from "@sotto/harness"
import { type Around, findCommand, parseCommand } from "../commands/index.js"
import { type Buffer, expand, imagesIn } from "../input/buffer.js"
import { imageType } from "../input/paste.js"
import { emptied, overtaken } from "../state/draft.js"
import { type Core, guarded } from "./core.js"
import type { OwnShell } from "./shell.js"

/**
 * What is written goes where it belongs: a queued message is changed, a command carried out, what follows `!` run, and
 * anything else said.
 */
export function submit(core: Core, around: Around, shell: OwnShell, delivery: Delivery): void {
  const { draft } = core.store.get()
  const text = expand(draft.buffer).trim()
  const command = parseCommand(text)
  const own = ownCommandIn(text, core.workplace.ownCommands())
  if (draft.editing !== undefined) void submitEdited(core, draft.editing, text, own)
  else if (command && findCommand(command.name, around)?.isOwn !== true)
    carryOut(core, around, command.name, command.argument, text)
  else if (own) void sayOwn(core, own, text, delivery)
  else if (/^!\s*\S/.test(text)) runTyped(core, shell, text)
  else if (text !== "")
    guarded(core, () => {
      const content = contentOf(draft.buffer, text)
      clearDraft(core, text)
      core.talk().say(content, delivery)
    })
}

function clearDraft(core: Core, text: string): void {
  core.history.add(text)
  core.store.update((ui) => ({ ...ui, draft: emptied(ui.draft) }))
}

type Own = NonNullable<ReturnType<typeof ownCommandIn>>

/** A command of the user's own, or a skill: the model gets what it stands for, and the person sees what they typed. */
async function sayOwn(core: Core, { command, typed }: Own, text: string, delivery: Delivery): Promise<void> {
  const talk = core.talk()
  clearDraft(core, text)
  try {
    talk.conversation.sayOwn(await command.prompt(typed), { delivery })
  } catch (error) {
    core.say(reasonOf(error), "error")
  }
}

function runTyped(core: Core, shell: OwnShell, text: string): void {
  if (shell.isRunning) {
    core.hint("A command of yours still runs. Esc stops it.")
    return
  }
  clearDraft(core, text)
  void shell.run(text.slice(1).trim())
}

async function submitEdited(core: Core, id: string, text: string, own: Own | undefined): Promise<void> {
  const { conversation } = core.talk()
  const content = own ? (await own.command.prompt(own.typed)).content : text
  const done = text === "" ? conversation.cancel(id) : conversation.edit(id, { content })
  core.dispatch({ type: "waiting", waiting: core.talk().waiting() })
  if (done) core.store.update((ui) => ({ ...ui, draft: emptied(ui.draft) }))
  else {
    core.store.update((ui) => ({ ...ui, draft: overtaken(ui.draft) }))
    core.hint("That message was delivered already. Enter sends this as a new one.")
  }
}

function carryOut(core: Core, around: Around, name: string, argument: string, text: string): void {
  const command = findCommand(name, around)
  if (command === undefined) {
    core.hint(`There is no command /${name}; /help lists them.`)
    return
  }
  clearDraft(core, text)
  // What a command has to say goes to the session that it was given in.
  void (async () => {
    try {
      await command.run(around, argument)
    } catch (error) {
      core.say(reasonOf(error), "error")
    }
  })()
}

/** The words, and the images that are named in them. */
function contentOf(buffer: Buffer, text: string): string | readonly ContentPart[] {
  const images = imagesIn(buffer)
  if (images.length === 0) return text
  return [{ type: "text", text }, ...images.map(imagePart)]
}

function imagePart(path: string): ContentPart {
  const mediaType = imageType(path) ?? "image/png"
  return { type: "image", mediaType, name: basename(path), data: readFileSync(path).toString("base64") }
}
