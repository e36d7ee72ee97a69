import MiniSearch from "minisearch"
import type { Document } from "../pages/markdown.js"
import { SEARCH } from "./options.js"

interface Indexed {
  readonly url: string
  readonly section: string
  readonly document: Document
}

/** The most that is shown of a passage. All of it is searched. */
const SHOWN = 4_000

/** The index as a script, which a browser loads from the disk as well as from a server. */
export function searchScript(pages: readonly Indexed[]): string {
  const index = new MiniSearch(SEARCH)
  const passages = pages.flatMap(({ url, section, document }) =>
    document.passages.map(({ heading, id, text }) => ({
      url: heading === document.title ? url : `${url}#${id}`,
      section,
      title: document.title,
      heading,
      text: text.slice(0, SHOWN),
    })),
  )
  index.addAll(passages.map((passage, id) => ({ id, ...passage })))
  return `globalThis.sottoSearch = ${JSON.stringify(JSON.stringify(index))}\n`
}
