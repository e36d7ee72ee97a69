import { isDangerous } from "./danger.js"
import { CLOSES, codesReading, isOpening, OPENS } from "./fold.js"
import { Units } from "./units.js"

/** An opening that must be made inert. `end`: where a backslash goes. `isInert`: whether one of those there is ours. */
export type Take = (end: number, isInert: boolean) => void

/** Finds every opening of a tag or token, in one pass. Escapes that it has already do not change whether it is one. */
export function eachOpening(text: string, take: Take): void {
  const { any, likely } = candidatesIn(text)
  if (!any.test(text)) return
  const units = new Units(text, 0)
  likely.lastIndex = 0
  while (likely.test(text)) {
    const start = likely.lastIndex - 1
    units.move(start)
    const opening = units.next()
    if (!isOpening(opening)) continue
    const end = units.at
    likely.lastIndex = end

    units.skipBackslashes()
    const after = units.at
    const escapes = after - end
    if (isDangerous(units, after, opening, start)) take(end, escapes >= 1)
    // The last backslash may begin a character of the name, as in "<\u0073ystem".
    else if (escapes >= 1 && isEscape(units, after - 1) && isDangerous(units, after - 1, opening, start))
      take(end, escapes >= 2)
  }
}

function isEscape(units: Units, at: number): boolean {
  units.move(at)
  const reading = units.next()
  return !isOpening(reading) && (reading !== "\\" || units.cut)
}

interface Candidates {
  /** Finds nothing in most prose, at once. */
  readonly any: RegExp
  readonly likely: RegExp
}

/** Candidates in a text of ASCII alone. It has none of the signs that only resemble, and to find all those takes a while. */
let plain: Candidates | undefined
let complete: Candidates | undefined

function candidatesIn(text: string): Candidates {
  if (complete !== undefined) return complete
  if (/^[\0-\x7f]*$/.test(text)) {
    plain ??= candidates("")
    return plain
  }
  const others = codesReading("<", "[", "]", "&", "%", "\\", OPENS, CLOSES).map((code) =>
    String.fromCodePoint(code).charAt(0),
  )
  complete = candidates([...new Set(others)].join(""))
  return complete
}

/**
 * Finds the first code unit of everything that may be an opening. What follows it settles most of what code has: a
 * plain character with which no name and no escape begins. Neither the end of a text nor what is not ASCII does.
 */
function candidates(others: string): Candidates {
  const unsure = String.raw`\0-\x20\x7f-\uffff&%\\`
  const likely = new RegExp(
    [
      `<(?:(?=[${unsure}/|a-z01])|$)`,
      String.raw`\[(?:(?=[${unsure}/A-Z|])|$)`,
      String.raw`\](?=\\*(?:[\0-\x08\x0e-\x1f~\x7f-\uffff]|&#|%7|\\[ux1e]))`,
      String.raw`&(?=[\x7f-\uffffalnpb]|#[0-9x&%\\\x7f-\uffff]|&#[0-9x]|%[0-9]|\\[ux0-7])`,
      String.raw`%(?=[235&%\\\x7f-\uffff])`,
      String.raw`\\(?=u(?:[0-9a-f{\x7f-\uffff]|&[#a]|%[0-9]|\\+[ux0-7][0-9{])|[x0147&%\x7f-\uffff])`,
      ...(others === "" ? [] : [`[${others}]`]),
    ].join("|"),
    "gi",
  )
  return { any: new RegExp(String.raw`[<[\]&%\\${others}]`), likely }
}
