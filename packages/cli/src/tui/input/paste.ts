import { statSync } from "node:fs"
import { homedir } from "node:os"
import { basename, extname, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { type Buffer, insert, insertStandIn } from "./buffer.js"

/** More than this is shown as a label, and sent whole. */
const MOST_LINES = 8
const MOST_CHARACTERS = 1_000

const IMAGES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
}

export function imageType(path: string): string | undefined {
  return IMAGES[extname(path).toLowerCase()]
}

export function paste(buffer: Buffer, text: string, cwd: string): Buffer {
  const image = imageAt(text, cwd)
  const count = buffer.inserts.size + 1
  if (image !== undefined)
    return insertStandIn(buffer, { is: "image", path: image, label: `[Image ${count}: ${basename(image)}]` })
  const lines = text.split("\n").length
  if (lines <= MOST_LINES && text.length <= MOST_CHARACTERS) return insert(buffer, text)
  const size = lines > 1 ? `${lines} lines` : `${text.length} characters`
  return insertStandIn(buffer, { is: "paste", text, label: `[Pasted ${size}]` })
}

/** Terminals drop a file as its path: quoted, with escaped spaces, or as an address. */
function imageAt(text: string, cwd: string): string | undefined {
  const path = pathIn(text.trim())
  if (path === undefined || imageType(path) === undefined) return undefined
  const whole = resolve(cwd, path.replace(/^~(?=\/)/, homedir()))
  return statSync(whole, { throwIfNoEntry: false })?.isFile() ? whole : undefined
}

function pathIn(text: string): string | undefined {
  if (text === "" || text.includes("\n")) return undefined
  if (text.startsWith("file://")) {
    try {
      return fileURLToPath(text)
    } catch {
      return undefined
    }
  }
  const quoted = /^(['"])(.*)\1$/.exec(text)?.[2]
  return quoted ?? text.replaceAll(/\\(.)/g, "$1")
}
