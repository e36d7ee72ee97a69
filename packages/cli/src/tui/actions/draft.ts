import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { dataFolder, editText, printedBy, privateFolder, reasonOf } from "@sotto/harness"
import type { TerminalContext } from "../context.js"
import { bufferWith, expand, rewritten } from "../input/buffer.js"
import { paste } from "../input/paste.js"
import { travelled, withBuffer } from "../state/draft.js"

/** Puts a text in place of what is written. */
export function write({ update }: TerminalContext, text: string): void {
  update((ui) => ({ ...ui, draft: withBuffer(ui.draft, bufferWith(text)) }))
}

export function pasteText({ update, workplace }: TerminalContext, text: string): void {
  update((ui) => ({ ...ui, draft: withBuffer(ui.draft, paste(ui.draft.buffer, text, workplace.cwd)) }))
}

export async function pasteImage(terminal: TerminalContext): Promise<void> {
  const image = await clipboardImage(terminal.workplace.env)
  if ("path" in image) pasteText(terminal, image.path)
  else terminal.hint(image.why)
}

/** Goes through what is queued and what was said before. */
export function travel({ ui, update, history }: TerminalContext, by: 1 | -1): void {
  const { draft, screen } = ui()
  const next = travelled(draft, by, screen.waiting, history.entries)
  if (next) update((before) => ({ ...before, draft: next }))
}

/** Looks through what was said in this project, the newest first. What is chosen comes into the input, and is not sent. */
export function searchHistory({ update, history, hint, ask }: TerminalContext): void {
  const entries = [...new Set(history.entries.toReversed())]
  if (entries.length === 0) {
    hint("Nothing was said in this project yet.")
    return
  }
  const items = entries.map((text, i) => ({ value: String(i), label: text.replaceAll(/\s*\n\s*/g, " ⏎ ") }))
  const chosen = (value: string | undefined) => {
    const text = value === undefined ? undefined : entries[Number(value)]
    if (text === undefined) return
    update((ui) => ({ ...ui, draft: { ...withBuffer(ui.draft, bufferWith(text)), back: 0 } }))
  }
  ask("Search what you said:", items, chosen, "in order")
}

/** Gives what is written to the person's own editor, and takes it back as it was left there. */
export async function editOutside({ ui, update, window, workplace, say }: TerminalContext): Promise<void> {
  if (window.isLent) return
  const { buffer } = ui().draft
  try {
    const text = await window.lend(() => editText(expand(buffer), workplace))
    update((before) => ({ ...before, draft: withBuffer(before.draft, rewritten(text, buffer)) }))
  } catch (error) {
    say(reasonOf(error), "error")
  }
}

/** Programs that give the image of the clipboard, by system. */
const READERS: Readonly<Record<string, readonly (readonly [program: string, ...args: string[]])[]>> = {
  darwin: [["pngpaste", "-"]],
  linux: [
    ["wl-paste", "--type", "image/png"],
    ["xclip", "-selection", "clipboard", "-t", "image/png", "-o"],
  ],
}

const LARGEST_IMAGE = 20_000_000
const IMAGE_WAITS = 3_000
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47])

type ClipboardImage = { readonly path: string } | { readonly why: string }

/**
 * Saves the image in the clipboard as a file of our own. Terminals paste text only, so it asks a program of the system;
 * over SSH no program could know, because the clipboard is on the other machine.
 */
async function clipboardImage(
  env: Readonly<Record<string, string | undefined>>,
  platform: string = process.platform,
): Promise<ClipboardImage> {
  if (env.SSH_CONNECTION)
    return {
      why: "Over SSH the clipboard's image stays on your own machine. Copy the file here and paste its path.",
    }
  const readers = READERS[platform] ?? []
  for (const reader of readers) {
    const bytes = await printedBy(reader, env, { most: LARGEST_IMAGE, within: IMAGE_WAITS })
    if (bytes?.subarray(0, PNG.length).equals(PNG)) return { path: kept(bytes, env) }
  }
  const programs = readers.map(([program]) => program).join(" or ")
  return {
    why:
      programs === ""
        ? "Images cannot be read from the clipboard on this system. Paste the path of a file."
        : `No image was found in the clipboard. Reading one needs ${programs}; the path of a file works always.`,
  }
}

function kept(bytes: Buffer, env: Readonly<Record<string, string | undefined>>): string {
  const folder = join(dataFolder(env), "output")
  privateFolder(folder)
  const path = join(folder, `clipboard-${randomBytes(4).toString("hex")}.png`)
  writeFileSync(path, bytes, { mode: 0o600 })
  return path
}
