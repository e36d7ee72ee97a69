import type { Token, Tokens } from "marked"
import { boundedParts, tokensOf } from "./bounds.js"

export interface CodeBlock {
  readonly language: string
  /** As it was written, without the fence. */
  readonly code: string
}

/** The code in a text, in its order, also where it stands in a list or a quote. */
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
