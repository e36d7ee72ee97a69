import { excerpt, marked, root, search } from "./search.js"

/** Everything that was found, on the page that the box leads to with Enter. */
export async function showSearchPage(): Promise<void> {
  const place = document.querySelector("#found")
  if (place === null) return
  const query = new URLSearchParams(location.search).get("q")?.trim() ?? ""
  const input = document.querySelector<HTMLInputElement>("form.search input")
  if (input !== null) input.value = query
  if (query === "") {
    place.textContent = "Type what you look for into the box above."
    return
  }
  const found = await search(query)
  const count = document.createElement("p")
  count.textContent = `${found.length === 0 ? "Nothing" : found.length} found for “${query}”.`
  const list = document.createElement("ul")
  list.className = "found"
  for (const one of found.slice(0, 100)) {
    const item = document.createElement("li")
    const link = document.createElement("a")
    link.href = `${root}${one.url}`
    link.append(marked(one.heading, one.terms))
    const where = document.createElement("span")
    where.className = "place"
    where.textContent = one.heading === one.title ? one.section : `${one.section} › ${one.title}`
    const text = document.createElement("p")
    text.append(excerpt(one.text, one.terms, 240))
    item.append(link, " ", where, text)
    list.append(item)
  }
  place.replaceChildren(count, list)
}
