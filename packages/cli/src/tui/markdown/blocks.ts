import { lexer } from "marked"

/**
 * Markdown that streams in: what is finished, and the block that may still grow. A finished block is printed once and
 * for good, so that only the last one is drawn again with every word.
 */
export function finishedBlocks(text: string): { readonly done: string; readonly rest: string } {
  const tokens = lexer(text)
  // The last block and the space after it may turn out to be one: a list goes on after an empty line.
  const last = tokens.findLastIndex(({ type }) => type !== "space")
  const before = tokens.slice(0, Math.max(0, last))
  const done = before.map(({ raw }) => raw).join("")
  return { done, rest: text.slice(done.length) }
}
