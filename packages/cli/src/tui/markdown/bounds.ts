import { lexer, type Token } from "marked"

/** Markdown that can be taken apart in a bounded time and depth, or text that is shown as it is. */
export interface MarkdownPart {
  readonly text: string
  readonly plain: boolean
  /** Whether an empty line stood before it. */
  readonly apart: boolean
}

/** The lexer takes time by the square of what it is given at once: characters of a part, and marks in one. */
const LONGEST_PART = 12_000
const MOST_MARKS = 800
/** In one line. People write fewer by hand. */
const MOST_MARKS_IN_LINE = 300
const LONGEST_LINE = 8_000
/** Quotes in quotes and lists in lists: the lexer goes one call deeper for each. */
const DEEPEST = 24

const FENCE = /^ {0,3}(`{3,}|~{3,})/
const CONTAINERS = /^(?:[ \t]{0,200}(?:>|[-*+](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)))*/
const CONTAINER = />|[-*+]|\d+[.)]/g
const MARKS = /[*_[\]<~`&!\\]/g

/**
 * Cuts a text where that changes nothing, between blocks, and where it has to be cut, between lines. Code in a fence is
 * never cut: it costs the lexer nothing.
 */
export function boundedParts(text: string): readonly MarkdownPart[] {
  const parts: MarkdownPart[] = []
  let lines: string[] = []
  let [size, marks, apart] = [0, 0, false]
  let fence: string | undefined
  const close = (isApart: boolean) => {
    if (lines.length > 0) parts.push({ text: lines.join("\n"), plain: false, apart })
    lines = []
    size = 0
    marks = 0
    apart = isApart
  }
  const add = (line: string, weight: number) => {
    lines.push(line)
    size += line.length + 1
    marks += weight
  }
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line)?.[1]
    if (fence !== undefined) {
      add(line, 0)
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined
      continue
    }
    if (mark !== undefined) fence = mark
    const weight = countOf(MARKS, line)
    if (mark === undefined && isWild(line, weight)) {
      close(false)
      parts.push({ text: line, plain: true, apart })
      apart = false
      continue
    }
    if (line.trim() === "" && size > LONGEST_PART / 2) close(true)
    else if (size > LONGEST_PART || marks > MOST_MARKS) close(false)
    add(line, weight)
  }
  close(false)
  return parts
}

export function tokensOf(text: string): readonly Token[] | undefined {
  try {
    return lexer(text)
  } catch {
    return undefined
  }
}

function isWild(line: string, marks: number): boolean {
  if (line.length > LONGEST_LINE || marks > MOST_MARKS_IN_LINE) return true
  return countOf(CONTAINER, CONTAINERS.exec(line)?.[0] ?? "") > DEEPEST
}

function countOf(pattern: RegExp, text: string): number {
  let count = 0
  for (const _ of text.matchAll(pattern)) count++
  return count
}
