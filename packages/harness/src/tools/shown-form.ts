import { neutralise, restoreNeutralised } from "@sotto/core"

/** A form in which the model may know a text, and the way back from it. Neither touches a line break. */
export interface ShownForm {
  show(text: string): string
  restore(shown: string): string
}

export const LITERALLY: ShownForm = { show: (text) => text, restore: (shown) => shown }

/** `read` and grep put a number before each line, so that there nothing stands at the start of one. */
export const NUMBERED: ShownForm = {
  show: (text) => unnumbered(neutralise(numbered(text)).text),
  restore: (shown) => unnumbered(restoreNeutralised(numbered(shown))),
}

/** As a command prints it. */
export const PRINTED: ShownForm = { show: (text) => neutralise(text).text, restore: restoreNeutralised }

/** Finds for an offset in a shown text the same place in the plain one, which lacks some of its backslashes. */
export function offsetsIn(plain: string, shown: string): (offset: number) => number {
  if (plain === shown) return (offset) => offset
  const places = new Uint32Array(shown.length + 1)
  let place = 0
  for (let i = 0; i < shown.length; i++) {
    if (plain[place] === shown[i]) place++
    places[i + 1] = place
  }
  return (offset) => places[offset] ?? plain.length
}

function numbered(text: string): string {
  const lines = text.split("\n")
  return lines.map((line, i) => (line === "" && i === lines.length - 1 ? "" : `1\t${line}`)).join("\n")
}

function unnumbered(text: string): string {
  return text
    .split("\n")
    .map((line) => line.slice(2))
    .join("\n")
}
