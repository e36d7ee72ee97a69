import { createHash } from "node:crypto"
import { printable } from "../../platform/text/printable.js"

/** One thing that a folder brings along and that takes effect only if the user trusts the folder. */
export interface TrustItem {
  /** In a word: "hook", "MCP server", "permission". */
  readonly what: string
  /** The file, from the folder, and the field in it: "sotto.json: hooks.stop". */
  readonly where: string
  /** What exactly would run or be allowed, without characters that could hide something. */
  readonly detail: string
}

/** An item with what tells whether it is the one that the user saw. */
export interface DigestedItem extends TrustItem {
  /** Of everything that the item says, not only of what is shown. */
  readonly digest: string
  /** All rules of the list that a permission rule stands in, in order. Only the first item of a list has them. */
  readonly rules?: readonly string[]
}

export function digestedItem(what: string, where: string, detail: string, value: unknown): DigestedItem {
  const whole = JSON.stringify([what, where, value])
  const digest = createHash("sha256").update(whole).digest("hex")
  return { what, where: printable(where), detail: printable(detail), digest }
}

/** Gives the same text for two items that say the same in the same place. The digest covers all of it. */
export function sameness({ digest, what, where }: DigestedItem): string {
  return `${digest} ${what} ${where}`
}

/** Digests a value that is part of several items, so that it is gone through once. */
export function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex")
}

/** Gives an item as people and events see it. */
export function plainItem({ what, where, detail }: TrustItem): TrustItem {
  return { what, where, detail }
}
