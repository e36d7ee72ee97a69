import { inert } from "../../screen/inert.js"
import type { ScreenLine, TextStyle } from "./line.js"
import { colourIn, TERMINAL_THEME, type Theme } from "./theme.js"

/** How many colours there are to paint with: none, the terminal's own sixteen, 256, or any. */
export type Palette = "none" | "16" | "256" | "any"

export function paletteFor(env: Readonly<Record<string, string | undefined>>): Palette {
  if (env.NO_COLOR || env.TERM === "dumb") return "none"
  if (/^(truecolor|24bit)$/.test(env.COLORTERM ?? "")) return "any"
  return /256|kitty|ghostty|direct/.test(env.TERM ?? "") ? "256" : "16"
}

const NAMED: Readonly<Record<string, number>> = {
  black: 30,
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
  white: 37,
  grey: 90,
  gray: 90,
}

export type Painter = (line: ScreenLine) => string

/** Lines as a terminal takes them. Without colours weight and slant stay: NO_COLOR is about colour. */
export function painterFor(palette: Palette, theme: Theme = TERMINAL_THEME): Painter {
  const codes = (style: TextStyle) => [
    // Terminals differ in what bold and dim are together.
    ...(style.bold && !style.dim ? ["1"] : []),
    ...(style.dim ? ["2"] : []),
    ...(style.italic ? ["3"] : []),
    ...(style.underline ? ["4"] : []),
    ...(style.inverse ? ["7"] : []),
    ...(style.strike ? ["9"] : []),
    ...(style.colour === undefined ? [] : colourCode(colourIn(theme, style.colour), palette)),
  ]
  return (line) =>
    line
      .map(({ text: given, style }) => {
        // A row stays one row, whichever code made it.
        const text = inert(given).replaceAll("\n", "␊")
        const on = style === undefined || text === "" ? [] : codes(style)
        return linked(on.length === 0 ? text : `\u001b[${on.join(";")}m${text}\u001b[0m`, style?.link)
      })
      .join("")
}

/** Makes a link only of the address of a file, in characters that cannot end the sequence. */
function linked(text: string, address: string | undefined): string {
  if (address === undefined || text === "" || !/^file:\/\/\/[!-~]*$/.test(address)) return text
  return `\u001b]8;;${address}\u001b\\${text}\u001b]8;;\u001b\\`
}

function colourCode(colour: string, palette: Palette): readonly string[] {
  if (palette === "none") return []
  const named = NAMED[colour]
  if (named !== undefined) return [String(named)]
  const hex = /^#?([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour)
  if (hex === null) return []
  const [red = 0, green = 0, blue = 0] = hex.slice(1).map((pair) => Number.parseInt(pair, 16))
  if (palette === "any") return [`38;2;${red};${green};${blue}`]
  if (palette === "16") return [String(nearestNamed(red, green, blue))]
  const level = (value: number) => Math.round((value / 255) * 5)
  return [`38;5;${16 + 36 * level(red) + 6 * level(green) + level(blue)}`]
}

function nearestNamed(red: number, green: number, blue: number): number {
  const strong = Math.max(red, green, blue) / 2
  const bits = (red > strong ? 1 : 0) + (green > strong ? 2 : 0) + (blue > strong ? 4 : 0)
  return bits === 7 ? 37 : 30 + bits
}
