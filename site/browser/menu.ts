/** The list of pages is folded on a narrow screen only. Without scripts it is always open. */
export function menuStaysOpen(): void {
  const menu = document.querySelector<HTMLDetailsElement>("details.menu")
  const wide = matchMedia("(min-width: 60rem)")
  if (menu === null) return
  const follow = () => {
    menu.open = wide.matches
  }
  wide.addEventListener("change", follow)
  follow()
  menu.querySelector('[aria-current="page"]')?.scrollIntoView({ block: "nearest" })
}
