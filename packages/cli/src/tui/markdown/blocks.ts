import type { Token, Tokens } from "marked"
import { boundedParts, tokensOf } from "./bounds.js"

/** Markdown that streams in, in two pieces. */
interface Pieces {
  readonly done: string
  /** The block or the list item that may still grow. */
  readonly rest: string
  /** True if the two are parts of one list without an empty line between them. */
  readonly joined: boolean
}

/**
 * Splits Markdown that streams in: what is finished, and the block that may still grow. What is finished is printed once
 * and for good, so that only the rest is drawn again with every word, and little of it is on the screen when the window
 * changes. A list is finished item by item.
 */
export function finishedBlocks(text: string): Pieces {
  if (isOpenFence(text)) return { done: "", rest: text, joined: false }
  // Of what had to be cut, everything but the end is finished.
  const last = boundedParts(text).at(-1)
  const from = text.length - (last?.text.length ?? text.length)
  const { done, rest } = last?.plain ? { done: "", rest: last.text } : finishedIn(text.slice(from))
  const isInList = rest !== "" && ITEM.test(rest) && /\S[ \t]*\n$/.test(done)
  return { done: text.slice(0, from) + done, rest, joined: isInList }
}

/** The beginning of a list item. */
const ITEM = /^ {0,3}(?:[-*+]|(\d{1,9})[.)])(?=[ \t\n]|$)/

function finishedIn(text: string): { readonly done: string; readonly rest: string } {
  const tokens = tokensOf(text)
  if (tokens === undefined) return { done: "", rest: text }
  // The last block and the space after it may turn out to be one: a list goes on after an empty line.
  const last = tokens.findLastIndex(({ type }) => type !== "space")
  const before = tokens.slice(0, Math.max(0, last))
  const done = before.map(({ raw }) => raw).join("") + finishedItems(tokens[last])
  return { done, rest: text.slice(done.length) }
}

/** Gives the items of a list but for the last one. None if the numbers would not go on from those that are written. */
function finishedItems(token: Token | undefined): string {
  if (token?.type !== "list") return ""
  const { items, start } = token as Tokens.List
  const number = ITEM.exec(items.at(-1)?.raw ?? "")?.[1]
  if (typeof start === "number" && number !== undefined && Number(number) !== start + items.length - 1)
    return ""
  return items
    .slice(0, -1)
    .map(({ raw }) => raw)
    .join("")
}

const FENCE = /^ {0,3}(`{3,}|~{3,})[^\n]*/

/** True if code has no end yet. It is one block, however long: nothing of it has to be taken apart to know that. */
function isOpenFence(text: string): boolean {
  const mark = FENCE.exec(text)?.[1]
  return mark !== undefined && !new RegExp(`\\n {0,3}${mark}`).test(text)
}

/** More characters than any screen has. */
const LONGEST_END = 40_000

/** Returns the end of a block that grows, enough for `rows` rows: all that is ever seen of a long one. */
export function endOfBlock(text: string, rows: number): string {
  const lines = text.slice(-LONGEST_END).split("\n")
  if (lines.length <= 2 * rows && text.length <= LONGEST_END) return text
  const end = lines.slice(-2 * rows).join("\n")
  const fence = isOpenFence(text) ? FENCE.exec(text)?.[0] : undefined
  return fence === undefined ? end : `${fence}\n${end}`
}

export interface CodeBlock {
  readonly language: string
  /** As it was written, without the fence. */
  readonly code: string
}

/** Lists the code in a text, in its order, also where it stands in a list or a quote. */
export function codeBlocks(text: string): readonly CodeBlock[] {
  return boundedParts(text).flatMap(({ text: part, plain }) => (plain ? [] : codeIn(tokensOf(part) ?? [])))
}

function codeIn(tokens: readonly Token[]): readonly CodeBlock[] {
  return tokens.flatMap((token): readonly CodeBlock[] => {
    if (token.type === "code") {
      const { text, lang = "" } = token as Tokens.Code
      return [{ code: text, language: /^\S*/.exec(lang)?.[0] ?? "" }]
    }
    const { tokens: inner = [], items = [] } = token as Tokens.Generic
    return codeIn([...inner, ...(items as readonly Token[])])
  })
}
