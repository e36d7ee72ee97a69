import { isDangerous, type Opening } from "./danger.js"
import { codesReading } from "./fold.js"
import { Units } from "./units.js"

/** An opening that must be made inert. `end`: where a backslash goes. `isInert`: whether one of those there is ours. */
export type Take = (end: number, isInert: boolean) => void

const BACKSLASH = 0x5c

/** Finds every opening of a tag or token, in one pass. Escapes that it has already do not change whether it is one. */
export function eachOpening(text: string, take: Take): void {
  const candidate = candidates()
  candidate.lastIndex = 0
  while (candidate.test(text)) {
    const start = candidate.lastIndex - 1
    const found = openingAt(text, start)
    if (found === undefined) continue
    const { opening, end } = found
    candidate.lastIndex = end

    let after = end
    while (text.charCodeAt(after) === BACKSLASH) after++
    const escapes = after - end
    if (isDangerous(text, after, opening, start)) take(end, escapes >= 1)
    // The last backslash may begin a character of the name, as in "<\u0073ystem".
    else if (escapes >= 1 && isEscape(text, after - 1) && isDangerous(text, after - 1, opening, start))
      take(end, escapes >= 2)
  }
}

function openingAt(
  text: string,
  at: number,
): { readonly opening: Opening; readonly end: number } | undefined {
  const code = text.charCodeAt(at)
  if (code === 0x3c) return { opening: "<", end: at + 1 }
  if (code === 0x5b) return { opening: "[", end: at + 1 }
  const units = new Units(text, at)
  const reading = units.next()
  return reading === "<" || reading === "[" || reading === "]"
    ? { opening: reading, end: units.at }
    : undefined
}

function isEscape(text: string, at: number): boolean {
  const units = new Units(text, at)
  return units.next() !== "\\" || units.cut
}

let made: RegExp | undefined

/**
 * Finds the first code unit of everything that may be an opening. What follows it settles most of what code has: a
 * plain character with which no name and no escape begins. Neither the end of a text nor what is not ASCII does.
 */
function candidates(): RegExp {
  if (made !== undefined) return made
  const others = codesReading("<", "[", "&", "%", "\\").map((code) => String.fromCodePoint(code).charAt(0))
  const unsure = String.raw`\0-\x20\x7f-\uffff&%\\`
  made = new RegExp(
    [
      `<(?:(?=[${unsure}/|abcefhmnprstuv01])|$)`,
      String.raw`\[(?:(?=[${unsure}/A-Zegs1|])|$)`,
      String.raw`\](?=\\*[~\x7f-\uffff])`,
      String.raw`&(?=[\x7f-\uffffalnpb]|#[0-9x&%\\\x7f-\uffff]|&#[0-9x]|%[0-9]|\\[ux0-7])`,
      String.raw`%(?=[235&%\\\x7f-\uffff])`,
      String.raw`\\(?=u(?:[0-9a-f{\x7f-\uffff]|&[#a]|%[0-9]|\\+[ux0-7][0-9{])|[x0147&%\x7f-\uffff])`,
      `[${[...new Set(others)].join("")}]`,
    ].join("|"),
    "gi",
  )
  return made
}
