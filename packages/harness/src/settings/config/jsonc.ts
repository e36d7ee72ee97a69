import { ConfigError } from "./error.js"
import type { Node, NodeEntry } from "./node.js"

const SPACE = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y
const STRING = /"(?:[^"\\\n]|\\[^\n])*"/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y
const WORD = /[A-Za-z_]\w*/y
const WORDS = new Map<string, boolean | null>([
  ["true", true],
  ["false", false],
  ["null", null],
])
const DEEPEST = 64

/** Parses JSON with comments and trailing commas, every value with its line. `file` is what errors call it. */
export function parseJsonc(source: string, file: string): Node {
  // A byte order mark counts as space, so that positions are those of the source.
  const text = source
  const lineStarts = [...text.matchAll(/\n/g)].map(({ index }) => index + 1)
  let at = 0

  function lineAt(position: number): number {
    // Halved, not gone through: a file may have as many values as lines.
    let [from, to] = [0, lineStarts.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((lineStarts[middle] ?? 0) > position) to = middle
      else from = middle + 1
    }
    return from + 1
  }

  function wrong(what: string, remedy: string, position = at): ConfigError {
    return new ConfigError(file, lineAt(position), "", what, remedy)
  }

  function take(token: RegExp): string | undefined {
    token.lastIndex = at
    const found = token.exec(text)?.[0]
    if (found !== undefined) at += found.length
    return found
  }

  function skipSpace(): void {
    take(SPACE)
    if (text.startsWith("/*", at)) throw wrong("A comment does not end.", "Close it with */.")
  }

  function takeMark(mark: string): boolean {
    skipSpace()
    if (text[at] !== mark) return false
    at++
    return true
  }

  function found(): string {
    return at >= text.length ? "the end of the file" : `"${text.slice(at, at + 12).split("\n")[0]}"`
  }

  function string(): string | undefined {
    const start = at
    const quoted = take(STRING)
    if (quoted === undefined) {
      if (text[at] === '"') throw wrong("A string does not end in its line.", 'Close it with a ".')
      if (text[at] === "'") throw wrong(`Found ${found()}.`, 'Put strings in double quotes: "…".')
      return undefined
    }
    try {
      return JSON.parse(quoted)
    } catch {
      throw wrong(`The string ${quoted} is not valid.`, "Write backslashes twice, and tabs as \\t.", start)
    }
  }

  function scalar(line: number): Node {
    const from = at
    const read = (value: string | number | boolean | null): Node => {
      return { is: "scalar", line, from, to: at, value }
    }
    const quoted = string()
    if (quoted !== undefined) return read(quoted)
    const number = take(NUMBER)
    if (number !== undefined) return read(Number(number))
    const word = WORDS.get(take(WORD) ?? "")
    if (word !== undefined) return read(word)
    at = from
    throw wrong(`Expected a value, found ${found()}.`, 'Write "text", a number, true, false, […] or {…}.')
  }

  function list(line: number, from: number, depth: number): Node {
    const items: Node[] = []
    while (!takeMark("]")) {
      items.push(value(depth))
      if (!takeMark(",") && text[at] !== "]") throw wrong(`Expected , or ], found ${found()}.`, SEPARATE)
    }
    return { is: "list", line, from, to: at, items }
  }

  function map(line: number, from: number, depth: number): Node {
    const entries = new Map<string, NodeEntry>()
    while (!takeMark("}")) {
      const start = at
      const name = string()
      if (name === undefined) throw wrong(`Expected a name, found ${found()}.`, 'Write "name": value.')
      if (entries.has(name)) throw wrong(`"${name}" is given twice.`, "Keep one of them.", start)
      if (!takeMark(":")) throw wrong(`Expected : after "${name}", found ${found()}.`, 'Write "name": value.')
      entries.set(name, { line: lineAt(start), from: start, value: value(depth) })
      if (!takeMark(",") && text[at] !== "}") throw wrong(`Expected , or }, found ${found()}.`, SEPARATE)
    }
    return { is: "map", line, from, to: at, entries }
  }

  function value(depth: number): Node {
    skipSpace()
    const from = at
    const line = lineAt(from)
    if (depth > DEEPEST) throw wrong("Values are nested too deeply.", `Use at most ${DEEPEST} levels.`)
    if (takeMark("{")) return map(line, from, depth + 1)
    if (takeMark("[")) return list(line, from, depth + 1)
    return scalar(line)
  }

  const root = value(0)
  skipSpace()
  if (at < text.length) throw wrong(`Expected the end of the file, found ${found()}.`, "Keep one value.")
  return root
}

const SEPARATE = "Put a comma between two entries."
