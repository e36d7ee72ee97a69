import {
  type Buffer,
  backspace,
  deleteNext,
  insert,
  type Killed,
  killToEnd,
  killToStart,
  killWordAfter,
  killWordBefore,
  left,
  lineEnd,
  lineStart,
  right,
  wordLeft,
  wordRight,
} from "./buffer.js"
import type { Key } from "./keys.js"

export interface Edited {
  readonly buffer: Buffer
  /** What was cut out last, for Ctrl+Y. */
  readonly clip: string
}

/** Edits a text by a key, as in a shell and as in other editors; undefined if the key does not edit. */
export function editWith(key: Key, buffer: Buffer, clip: string): Edited | undefined {
  const moved = move(key, buffer)
  if (moved) return { buffer: moved, clip }
  const killed = cut(key, buffer)
  if (killed) return { buffer: killed.buffer, clip: killed.killed || clip }
  if (key.ctrl && key.name === "y") return { buffer: insert(buffer, clip), clip }
  if (key.name === "backspace") return { buffer: backspace(buffer), clip }
  if (key.name === "delete" || (key.ctrl && key.name === "d")) return { buffer: deleteNext(buffer), clip }
  if (key.ctrl && key.name === "h") return { buffer: backspace(buffer), clip }
  if (isLineBreak(key)) return { buffer: insert(buffer, "\n"), clip }
  return undefined
}

/** Takes Ctrl+J everywhere; Shift+Enter where the terminal tells it from Enter. */
function isLineBreak({ name, ctrl, shift }: Key): boolean {
  return (ctrl && name === "j") || (shift && name === "enter")
}

function move({ name, ctrl, alt }: Key, buffer: Buffer): Buffer | undefined {
  const byWord = ctrl || alt
  switch (name) {
    case "left":
      return byWord ? wordLeft(buffer) : left(buffer)
    case "right":
      return byWord ? wordRight(buffer) : right(buffer)
    case "home":
      return lineStart(buffer)
    case "end":
      return lineEnd(buffer)
    case "a":
      return ctrl ? lineStart(buffer) : undefined
    case "e":
      return ctrl ? lineEnd(buffer) : undefined
    case "b":
      return ctrl ? left(buffer) : alt ? wordLeft(buffer) : undefined
    case "f":
      return ctrl ? right(buffer) : alt ? wordRight(buffer) : undefined
    default:
      return undefined
  }
}

function cut({ name, ctrl, alt }: Key, buffer: Buffer): Killed | undefined {
  if (name === "backspace") return ctrl || alt ? killWordBefore(buffer) : undefined
  if (name === "delete") return ctrl || alt ? killWordAfter(buffer) : undefined
  if (alt && name === "d") return killWordAfter(buffer)
  if (!ctrl) return undefined
  if (name === "w") return killWordBefore(buffer)
  if (name === "u") return killToStart(buffer)
  return name === "k" ? killToEnd(buffer) : undefined
}
