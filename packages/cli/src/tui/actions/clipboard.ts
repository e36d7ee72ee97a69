import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { dataFolder, printedBy, privateFolder } from "@sotto/harness"

/** Programs that give the image of the clipboard, by system. */
const READERS: Readonly<Record<string, readonly (readonly [program: string, ...args: string[]])[]>> = {
  darwin: [["pngpaste", "-"]],
  linux: [
    ["wl-paste", "--type", "image/png"],
    ["xclip", "-selection", "clipboard", "-t", "image/png", "-o"],
  ],
}

const LARGEST = 20_000_000
const WAITS = 3_000
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47])

export type ClipboardImage = { readonly path: string } | { readonly why: string }

/**
 * The image in the clipboard as a file of our own. Terminals paste text only, so a program of the system is asked; over
 * SSH there is none that could know, because the clipboard is on the other machine.
 */
export async function clipboardImage(
  env: Readonly<Record<string, string | undefined>>,
  platform: string = process.platform,
): Promise<ClipboardImage> {
  if (env.SSH_CONNECTION)
    return {
      why: "Over SSH the clipboard's image stays on your own machine. Copy the file here and paste its path.",
    }
  const readers = READERS[platform] ?? []
  for (const reader of readers) {
    const bytes = await printedBy(reader, env, { most: LARGEST, within: WAITS })
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
