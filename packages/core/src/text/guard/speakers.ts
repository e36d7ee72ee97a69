import { readingOf, SPACE } from "./fold.js"
import type { Take } from "./openings.js"
import { all } from "./tokens.js"
import { follow, type TrieNode, trieOf } from "./trie.js"
import { Units } from "./units.js"

/** Who a line may pretend to be, by the words before its colon. */
const NAMES = "human,assistant,system,user,developer,gpt4 correct user,gpt4 correct assistant"
const SPEAKERS = trieOf(all(NAMES, true))
/** The same under "###". */
const HEADED = trieOf(all(`${NAMES},instruction,response`, true))

const BACKSLASH = 0x5c
const ESCAPE_CHARACTER = "\x1b"
/** Line breaks before what may be a speaker, by its first character. */
const LINE_BREAK = new RegExp(
  `[\\n\\v\\f\\r\\u0085\\u2028\\u2029](?=[ \\t]*(?:[\\\\#HASUDG${ESCAPE_CHARACTER}]|[^\\0-\\x7f]))`,
  "g",
)
/** Behind the colon of a key in code: all of the line is a value of one word, or its beginning. */
const VALUE = /[ \t]*(?:(["'`])[^"'`\s]*\1,?|[\w$.]*[([{]+|[\w$]*[\d.(]\S*,)[ \t]*(?=[\n\r])/y

/** Finds every line that begins as a turn does: "Human:", "### Assistant:". In small letters it is a key. */
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
  const colon = colonAt(text, at, isHeaded ? HEADED : SPEAKERS)
  if (colon === undefined) return
  VALUE.lastIndex = colon
  const isKey = !isHeaded && isBlank(text.charCodeAt(start)) && VALUE.test(text)
  if (!isKey) take(end, isInert)
}

/** Finds where the colon behind a name ends, or will if the text goes on; undefined if no name stands there. */
function colonAt(text: string, start: number, names: TrieNode<boolean>): number | undefined {
  const units = new Units(text, start)
  let node: TrieNode<boolean> | undefined = names
  while (node !== undefined) {
    const reading = units.visible(true)
    if (reading === undefined || reading === ":") return node.is === true ? units.at : undefined
    // White space may stand before the colon, and between words where there are several.
    if (node.is === true && reading === SPACE && isBlank(text.charCodeAt(units.from))) continue
    node = reading === "-" && node === names ? undefined : follow(node, reading)
  }
  return undefined
}

/** True for white space within a line. A line break does not count, so no blank is looked at twice. */
function isBlank(code: number): boolean {
  if (code < 0xa0) return code === 0x20 || code === 0x09
  return readingOf(code) === SPACE && code !== 0x2028 && code !== 0x2029
}

/** Finds where the text of a line with three hashes begins. */
function afterHashes(text: string, start: number): number | undefined {
  let at = start
  for (let i = 0; i < 3; i++) {
    if (readingOf(text.codePointAt(at) ?? 0) !== "#") return undefined
    at = afterBlanks(text, at + 1)
  }
  return at
}

function afterBlanks(text: string, start: number): number {
  const units = new Units(text, start)
  while (units.visible(true) === SPACE && isBlank(text.charCodeAt(units.from)));
  return units.from
}
