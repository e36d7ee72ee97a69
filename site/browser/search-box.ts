import { excerpt, marked, root, search } from "./search.js"

const SHOWN = 8

/** Results below the box while somebody types; arrows choose, Enter opens, Escape closes. */
export function offerSearch(): void {
  const form = document.querySelector<HTMLFormElement>("form.search")
  const input = form?.querySelector<HTMLInputElement>("input")
  if (!form || !input) return
  const list = document.createElement("ul")
  list.id = "results"
  list.setAttribute("role", "listbox")
  list.setAttribute("aria-label", "Results")
  list.hidden = true
  form.append(list)
  input.setAttribute("role", "combobox")
  input.setAttribute("aria-expanded", "false")
  input.setAttribute("aria-controls", list.id)
  input.setAttribute("aria-autocomplete", "list")

  let asked = 0
  const options = () => [...list.querySelectorAll<HTMLElement>('[role="option"]')]
  const chosen = () => options().findIndex((option) => option.ariaSelected === "true")
  const choose = (at: number) => {
    options().forEach((option, i) => {
      option.setAttribute("aria-selected", String(i === at))
      if (i === at) option.scrollIntoView({ block: "nearest" })
    })
    if (at < 0) input.removeAttribute("aria-activedescendant")
    else input.setAttribute("aria-activedescendant", `result-${at}`)
  }
  const open = (isOpen: boolean) => {
    list.hidden = !isOpen
    input.setAttribute("aria-expanded", String(isOpen))
    if (!isOpen) choose(-1)
  }
  const show = async () => {
    const mine = ++asked
    const query = input.value.trim()
    if (query === "") return open(false)
    const found = await search(query)
    // Another letter was typed meanwhile.
    if (mine !== asked) return
    list.replaceChildren(...found.slice(0, SHOWN).map(optionOf))
    if (found.length === 0) {
      const none = document.createElement("li")
      none.setAttribute("role", "option")
      none.setAttribute("aria-disabled", "true")
      none.textContent = "Nothing found"
      list.append(none)
    }
    open(true)
  }
  input.addEventListener("input", () => void show())
  input.addEventListener("focus", () => void (input.value !== "" && show()))
  form.addEventListener("focusout", ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && form.contains(relatedTarget))) open(false)
  })
  input.addEventListener("keydown", (event) => {
    const count = options().length
    if (event.key === "Escape") {
      if (list.hidden) input.blur()
      open(false)
      event.preventDefault()
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && count > 0 && !list.hidden) {
      const step = event.key === "ArrowDown" ? 1 : -1
      choose(chosen() < 0 && step < 0 ? count - 1 : (chosen() + step + count) % count)
      event.preventDefault()
    } else if (event.key === "Enter" && chosen() >= 0) {
      const url = options()[chosen()]?.dataset.url
      if (url !== undefined) location.href = url
      open(false)
      event.preventDefault()
    }
  })
  document.addEventListener("keydown", (event) => {
    const isTyping =
      event.target instanceof Element && event.target.closest("input, textarea, select") !== null
    const isAsked =
      (event.key === "/" && !isTyping) || (event.key === "k" && (event.ctrlKey || event.metaKey))
    if (!isAsked) return
    input.focus()
    input.select()
    event.preventDefault()
  })
}

function optionOf(found: Awaited<ReturnType<typeof search>>[number], at: number): HTMLElement {
  const option = document.createElement("li")
  option.id = `result-${at}`
  option.dataset.url = `${root}${found.url}`
  option.setAttribute("role", "option")
  option.setAttribute("aria-selected", "false")
  const heading = document.createElement("strong")
  heading.append(marked(found.heading, found.terms))
  const place = document.createElement("span")
  place.className = "place"
  place.textContent = found.heading === found.title ? found.section : `${found.section} › ${found.title}`
  const text = document.createElement("span")
  text.className = "text"
  text.append(excerpt(found.text, found.terms))
  option.append(heading, place, text)
  // The list must not take the focus from the box before the click counts.
  option.addEventListener("mousedown", (event) => event.preventDefault())
  option.addEventListener("click", () => {
    location.href = `${root}${found.url}`
  })
  return option
}
