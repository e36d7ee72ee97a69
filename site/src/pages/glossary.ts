import type { Document } from "./markdown.js"

export const GLOSSARY = "docs/glossary.md"

/** A word that a reader may have to look up. */
export interface Term {
  readonly word: string
  readonly id: string
  /** Its first sentence there. */
  readonly meaning: string
}

/** The words of the glossary's first section. Those of the second are everyday words, and linking them would mislead. */
export function termsOf({ headings, passages }: Document): readonly Term[] {
  const [, second] = headings.flatMap(({ depth }, i) => (depth === 2 ? [i] : []))
  return headings
    .slice(0, second)
    .filter(({ depth }) => depth === 3)
    .map(({ text, id }) => {
      const passage = passages.find((one) => one.id === id)?.text ?? ""
      return { word: text, id, meaning: /^.*?[.](?=\s|$)/.exec(passage)?.[0] ?? passage }
    })
}

/** Finds the first use of each word in the texts of one page, in order. Gives what stands between the words as it is. */
export function termFinder(
  terms: readonly Term[],
): (text: string) => readonly (string | { readonly term: Term; readonly used: string })[] {
  const left = new Map(terms.map((term) => [term.word.toLowerCase(), term]))
  const forms = (word: string) => word.replace(/y$/i, "(?:y|ies)").replace(/([^y)])$/, "$1(?:e?s)?")
  const pattern = new RegExp(`\\b(${terms.map(({ word }) => forms(word)).join("|")})\\b`, "gi")
  const termFor = (used: string) =>
    [...left.values()].find(({ word }) => new RegExp(`^${forms(word)}$`, "i").test(used))
  return (text) => {
    if (terms.length === 0) return [text]
    return text.split(pattern).map((part, i) => {
      const term = i % 2 === 1 ? termFor(part) : undefined
      if (term === undefined) return part
      left.delete(term.word.toLowerCase())
      return { term, used: part }
    })
  }
}
