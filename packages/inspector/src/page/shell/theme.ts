export type ThemeChoice = "system" | "light" | "dark"

const ORDER: readonly ThemeChoice[] = ["system", "light", "dark"]
const NAME = "sotto-theme"

export function currentTheme(): ThemeChoice {
  try {
    return ORDER.find((theme) => theme === localStorage.getItem(NAME)) ?? "system"
  } catch {
    // A page that is a file may have no storage.
    return "system"
  }
}

export function nextTheme(theme: ThemeChoice): ThemeChoice {
  return ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length] ?? "system"
}

export function applyTheme(theme: ThemeChoice): void {
  if (theme === "system") delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  try {
    localStorage.setItem(NAME, theme)
  } catch {
    // It holds for this page then.
  }
}
