import MiniSearch, { type SearchResult } from "minisearch"
import { type Found, SEARCH } from "../src/search/options.js"

const script = document.currentScript as HTMLScriptElement | null
/** The way from this page to the root of the site. */
export const root = script?.dataset.root ?? ""

let loaded: Promise<MiniSearch> | undefined

/** The index is fetched when it is first needed. A script can be loaded from the disk, where `fetch` cannot. */
function index(): Promise<MiniSearch> {
  loaded ??= new Promise((resolve, reject) => {
    const element = document.createElement("script")
    element.src = `${root}assets/index.js`
    element.onload = () => {
      const { sottoSearch } = globalThis as unknown as { readonly sottoSearch: string }
      resolve(MiniSearch.loadJSON(sottoSearch, SEARCH))
    }
    element.onerror = () => reject(new Error("The index of the search could not be loaded."))
    document.head.append(element)
  })
  return loaded
}

export async function search(query: string): Promise<readonly (Found & Pick<SearchResult, "terms">)[]> {
  const searching = await index()
  const all = searching.search(query)
  // Nothing has every word: what has some of them is better than nothing.
  const found = all.length > 0 ? all : searching.search(query, { combineWith: "OR" })
  return found as unknown as (Found & Pick<SearchResult, "terms">)[]
}

/** The words around the first one that was found, with those that were found marked. */
export function excerpt(text: string, terms: readonly string[], length = 150): DocumentFragment {
  const lower = text.toLowerCase()
  const first = Math.min(...terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0))
  const begin = Number.isFinite(first) && first > length / 2 ? text.indexOf(" ", first - length / 2) + 1 : 0
  const cut = text.slice(begin, begin + length)
  return marked(`${begin > 0 ? "… " : ""}${cut}${begin + length < text.length ? " …" : ""}`, terms)
}

export function marked(text: string, terms: readonly string[]): DocumentFragment {
  const fragment = document.createDocumentFragment()
  const pattern = terms.map((term) => term.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|")
  if (pattern === "") {
    fragment.append(text)
    return fragment
  }
  text.split(new RegExp(`(${pattern})`, "iu")).forEach((part, i) => {
    if (i % 2 === 0) fragment.append(part)
    else {
      const mark = document.createElement("mark")
      mark.textContent = part
      fragment.append(mark)
    }
  })
  return fragment
}
