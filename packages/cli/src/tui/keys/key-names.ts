import type { KeyEvent } from "../input/keys.js"

/** How a key is written in a table or a file: "enter", "ctrl+r", "shift+tab", "G". Empty for what is no single key. */
export function spelled(event: KeyEvent): string {
  if (event.type === "text") return event.text === " " ? "space" : event.text
  if (event.type !== "key") return ""
  const { name, ctrl, alt, shift } = event
  const modifiers = [ctrl && "ctrl", alt && "alt", shift && "shift"].filter((one) => one !== false)
  return [...modifiers, name === " " ? "space" : name].join("+")
}
