/** A button that goes through: as the system has it, light, dark. */
export function offerTheme(): void {
  const button = document.querySelector<HTMLButtonElement>("button.theme")
  if (button === null) return
  const root = document.documentElement
  const show = () => {
    const theme = root.dataset.theme ?? "auto"
    button.textContent = { auto: "◐", light: "☀", dark: "☾" }[theme] ?? "◐"
    button.setAttribute("aria-label", `Colours: ${theme}. Change`)
    button.title = `Colours: ${theme}`
  }
  button.addEventListener("click", () => {
    const next = { auto: "light", light: "dark", dark: undefined }[root.dataset.theme ?? "auto"]
    if (next === undefined) delete root.dataset.theme
    else root.dataset.theme = next
    try {
      if (next === undefined) localStorage.removeItem("theme")
      else localStorage.setItem("theme", next)
    } catch {
      // Without storage the choice holds for this page.
    }
    show()
  })
  show()
  button.hidden = false
}
