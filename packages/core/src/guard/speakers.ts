import { NOTHING, readingOf, SPACE } from "./fold.js"
import type { Take } from "./openings.js"
import { follow, type Node, trieOf } from "./trie.js"

/** Who a line may pretend to be, by the words before its colon. The last two only under "###". */
const NAMES = [
  "human",
  "assistant",
  "system",
  "user",
  "developer",
  "gpt4 correct user",
  "gpt4 correct assistant",
]
const SPEAKERS = trieOf(Object.fromEntries(NAMES.map((name) => [name, true])))
const HEADED = trieOf(Object.fromEntries([...NAMES, "instruction", "response"].map((name) => [name, true])))

const BACKSLASH = 0x5c
/** Line breaks before what may be a speaker, by its first character. */
const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029](?=[ \t]*(?:[\\#HASUDG]|[^\0-\x7f]))/g

/** Finds every line that begins as a turn does: "Human:", "### Assistant:". In small letters it is somebody's key. */
export function eachSpeaker(text: string, take: Take): void {
  speakerAt(text, 0, take)
  LINE_BREAK.lastIndex = 0
  while (LINE_BREAK.test(text)) speakerAt(text, LINE_BREAK.lastIndex, take)
}

function speakerAt(text: string, start: number, take: Take): void {
  const end = afterBlanks(text, start)
  let at = end
  while (text.charCodeAt(at) === BACKSLASH) at++
  const isInert = at > end
  const hashes = afterHashes(text, at)
  const isHeaded = hashes !== undefined
  at = hashes ?? at
  const first = text.charCodeAt(at)
  if (first < 0x41 || (first > 0x5a && first < 0x80)) return
  if (isSpeaker(text, at, isHeaded ? HEADED : SPEAKERS)) take(end, isInert)
}

function isSpeaker(text: string, start: number, names: Node<boolean>): boolean {
  let node: Node<boolean> | undefined = names
  for (let at = start; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0
    const reading = readingOf(code)
    at += code > 0xffff ? 2 : 1
    if (reading === ":") return node.is === true
    // White space may stand before the colon, and between words where there are several.
    if (reading === NOTHING || (node.is === true && isBlank(code))) continue
    node = follow(node, reading)
    if (node === undefined) return false
  }
  return node.is === true
}

/** White space within a line. A line break is none, so no blank is looked at twice. */
function isBlank(code: number): boolean {
  if (code < 0xa0) return code === 0x20 || code === 0x09
  return readingOf(code) === SPACE && code !== 0x2028 && code !== 0x2029
}

/** Where the text of a line with three hashes begins. */
function afterHashes(text: string, start: number): number | undefined {
  let at = start
  for (let i = 0; i < 3; i++) {
    if (readingOf(text.codePointAt(at) ?? 0) !== "#") return undefined
    at = afterBlanks(text, at + 1)
  }
  return at
}

function afterBlanks(text: string, start: number): number {
  for (let at = start; ; ) {
    const code = text.codePointAt(at)
    if (code === undefined || !(isBlank(code) || readingOf(code) === NOTHING)) return at
    at += code > 0xffff ? 2 : 1
  }
}
