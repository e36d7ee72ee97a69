import type { Part } from "@sotto/core"

/** The start of a text, never ending within a character: half of one is refused by providers. */
export function startOf(text: string, length: number): string {
  const last = text.charCodeAt(length - 1)
  const halved = text.length > length && last >= 0xd800 && last <= 0xdbff
  return text.slice(0, halved ? length - 1 : length)
}

/** The text in a list of parts, a line for each part. Images and files have none. */
export function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
}
