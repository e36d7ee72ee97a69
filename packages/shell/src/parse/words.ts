import { homedir } from "node:os"
import type { Node } from "web-tree-sitter"

/** A word of a command, as far as it is known before it runs. */
export type Word =
  | { readonly kind: "static"; readonly text: string; readonly source: string }
  /** Becomes names of files, or the words of a brace expansion, each of which begins with the prefix. */
  | { readonly kind: "pattern"; readonly text: string; readonly prefix: string; readonly source: string }
  /** Known only when it runs. `splits`: may become several words or none. */
  | {
      readonly kind: "dynamic"
      readonly prefix: string
      readonly splits: boolean
      readonly source: string
      /** What it can turn out to be, where the script itself says so. */
      readonly stands?: readonly KnownWord[]
    }

export type KnownWord = Extract<Word, { readonly kind: "static" | "pattern" }>

type Piece =
  | { readonly text: string; readonly quoted: boolean }
  | { readonly text: undefined; readonly splits: boolean; readonly prefix?: string }

const somethingElse: Piece = { text: undefined, splits: true }

export function dynamicWord(source: string, splits = true, prefix = ""): Word {
  return { kind: "dynamic", prefix, splits, source }
}

/** True if the program might take it for an option. A file may well be called `-o`. */
export function mayBeOption(word: Word): boolean {
  if (word.kind === "static") return word.text.startsWith("-")
  if (word.kind === "dynamic" && word.stands) return word.stands.some(mayBeOption)
  if (word.kind === "dynamic" && word.splits) return true
  return word.prefix === "" || word.prefix.startsWith("-")
}

/** Tells whether a word may become several words, or none: a variable may be set only later. */
export function mayBeSeveral(word: Word): boolean {
  return word.kind === "pattern" || (word.kind === "dynamic" && word.splits)
}

export function wordOf(node: Node): Word {
  return assemble(joined(piecesOf(node)), node.text)
}

/** Nodes whose text is only known when the command runs. */
const expansions: ReadonlySet<string> = new Set([
  "simple_expansion",
  "expansion",
  "command_substitution",
  "arithmetic_expansion",
])

function piecesOf(node: Node): Piece[] {
  switch (node.type) {
    case "word":
    case "number":
    case "variable_name":
    case "==":
    case "=~":
    case "$":
      if (node.namedChildCount > 0) return [somethingElse]
      return unescapePlain(node.text)
    case "raw_string":
      return [{ text: node.text.slice(1, -1), quoted: true }]
    case "string":
      return stringPieces(node)
    case "ansi_c_string": {
      const text = decodeAnsi(node.text.slice(2, -1))
      return [text === undefined ? somethingElse : { text, quoted: true }]
    }
    case "concatenation":
      return concatenated(node)
    case "process_substitution":
      return [{ text: undefined, splits: false, prefix: "/dev/fd/" }]
    case "brace_expression":
      return [{ text: node.text, quoted: false }]
    default:
      return [somethingElse]
  }
}

function concatenated(node: Node): Piece[] {
  let end = node.startIndex
  const pieces: Piece[] = []
  for (const child of node.children) {
    if (child.startIndex !== end) return [somethingElse]
    end = child.endIndex
    pieces.push(...piecesOf(child))
  }
  return end === node.endIndex ? pieces : [somethingElse]
}

/** Takes what lies between expansions as text, also where the grammar has no node for it. */
function stringPieces(node: Node): Piece[] {
  const { text } = node
  if (!text.startsWith('"') || !text.endsWith('"')) return [somethingElse]
  const pieces: Piece[] = [{ text: "", quoted: true }]
  let at = 1
  const literal = (end: number) =>
    pieces.push({
      text: text.slice(at, end).replace(/\\([$`"\\\n])/g, (_, c) => (c === "\n" ? "" : c)),
      quoted: true,
    })
  for (const child of node.namedChildren) {
    if (child.type === "string_content") continue
    if (!expansions.has(child.type)) return [somethingElse]
    literal(child.startIndex - node.startIndex)
    // Also where it stands for something else, "${x:-$@}", all arguments may come out as words of their own.
    pieces.push({ text: undefined, splits: /@|^\$\{!/.test(child.text) })
    at = child.endIndex - node.startIndex
  }
  literal(text.length - 1)
  return pieces
}

function unescapePlain(text: string): Piece[] {
  const pieces: Piece[] = []
  for (const [part] of text.matchAll(/\\[\s\S]|[^\\]+|\\$/g)) {
    if (part === "\\\n") continue
    const quoted = part.startsWith("\\") && part.length === 2
    pieces.push({ text: quoted ? part.slice(1) : part, quoted })
  }
  return pieces
}

const ansiEscapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  e: "\x1b",
  f: "\f",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
}

function decodeAnsi(text: string): string | undefined {
  let known = true
  const decoded = text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|([0-7]{1,3})|([\s\S]))/g,
    (_, hex?: string, unicode?: string, octal?: string, letter?: string) => {
      const code = hex ?? unicode
      const value = code === undefined ? Number.parseInt(octal ?? "", 8) : Number.parseInt(code, 16)
      // Bytes beyond ASCII may join to characters, and NUL ends the word.
      if (letter === undefined && (value === 0 || value > 127)) known = false
      if (letter === undefined) return String.fromCharCode(value)
      const plain = ansiEscapes[letter]
      if (plain === undefined) known = false
      return plain ?? ""
    },
  )
  return known ? decoded : undefined
}

/** Joins plain pieces that touch: a brace and what follows it may be nodes of their own. */
function joined(pieces: readonly Piece[]): readonly Piece[] {
  const whole: Piece[] = []
  for (const piece of pieces) {
    const before = whole.at(-1)
    if (piece.text !== undefined && !piece.quoted && before?.text !== undefined && !before.quoted)
      whole[whole.length - 1] = { text: before.text + piece.text, quoted: false }
    else whole.push(piece)
  }
  return whole
}

function assemble(pieces: readonly Piece[], source: string): Word {
  let text = ""
  let prefix: string | undefined
  let dynamic = false
  let splits = false
  for (const [index, piece] of pieces.entries()) {
    if (piece.text === undefined) {
      prefix ??= text + (piece.prefix ?? "")
      dynamic = true
      splits ||= piece.splits
      continue
    }
    let plain = piece.text
    if (!piece.quoted && index === 0 && plain.startsWith("~")) {
      if (!/^~(\/|$)/.test(plain) || (plain === "~" && pieces.length > 1)) return dynamicWord(source)
      plain = homedir() + plain.slice(1)
    }
    // `of=~/x` is expanded too.
    if (!piece.quoted && /[=:]~/.test(plain)) return dynamicWord(source)
    const uncertain = piece.quoted ? -1 : plain.search(/[*?[]|\{(?!\})/)
    if (uncertain >= 0) prefix ??= text + plain.slice(0, uncertain)
    text += plain
  }
  if (dynamic) return { kind: "dynamic", prefix: prefix ?? "", splits, source }
  if (prefix !== undefined) return { kind: "pattern", text, prefix, source }
  return { kind: "static", text, source }
}
