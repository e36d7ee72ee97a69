import { NOTHING, readingOf, SPACE, UPRIGHT } from "./fold.js"
import { ANGLE_NAMES, type Need, SPACED_NAMES, SQUARE_NAMES } from "./tokens.js"
import { follow, type Node } from "./trie.js"
import { Units } from "./units.js"

export type Opening = "<" | "[" | "]"

const LONGEST_TOKEN = 64
const CAPITAL_S = 0x53

/**
 * Whether what stands at a place makes the opening before it dangerous, which begins at `start`. A text that ends too
 * early to tell does: the rest may stand at the start of the next part.
 *
 * Nothing here looks past the next opening, except over backslashes behind it. So one escaped opening never changes
 * what another one means, and all of a text is looked at a bounded number of times.
 */
export function isDangerous(units: Units, at: number, opening: Opening, start: number): boolean {
  units.move(at)
  if (opens(units, opening, start)) return true
  return units.hasHidden && opens(new Units(units.text, at, true), opening, start)
}

function opens(units: Units, opening: Opening, start: number): boolean {
  if (opening === "<") return opensAngle(units, start)
  return opening === "[" ? opensSquare(units) : opensTilde(units)
}

function hasEnded(reading: string | undefined, units: Units): reading is undefined {
  return reading === undefined || units.cut
}

function opensAngle(units: Units, start: number): boolean {
  let reading = units.visible()
  for (let slashes = 0; reading === "/" && slashes < 2; slashes++) reading = units.visible()
  if (hasEnded(reading, units)) return true
  if (reading === "|" || reading === UPRIGHT) return isPiped(units)
  let node: Node<Need> = ANGLE_NAMES
  let isCapital = false
  for (;;) {
    const next = follow(node, reading)
    if (next === undefined) return isMet(node.is, reading, units, start, isCapital)
    if (next.is === "nothing") return true
    node = next
    isCapital = units.text.charCodeAt(units.from) === CAPITAL_S
    reading = units.visible()
    if (hasEnded(reading, units)) return true
  }
}

/**
 * Whether a name has what it needs to be dangerous. "<s>" and "</s>" begin and end a text for Llama and Mistral. They
 * are HTML as well, and no context tells which: an end needs nothing after it. "<S>" is a type's parameter in code, and
 * no template has it: in a capital it needs a template's next token.
 */
function isMet(
  need: Need | undefined,
  reading: string,
  units: Units,
  start: number,
  isCapital: boolean,
): boolean {
  if (need === "a number") return /^[0-9]$/.test(reading)
  if (need === undefined || reading !== ">") return false
  if (need === "sys") return isDoubled(units.text, start)
  if (need === "colon") return units.visible() === ":"
  if (need !== "s" || !isCapital) return true
  const next = units.visible()
  if (hasEnded(next, units)) return true
  if (next !== "<" && next !== "[") return false
  while (units.text.charCodeAt(units.at) === 0x5c) units.at++
  let first = units.visible()
  if (first === "/") first = units.visible()
  if (hasEnded(first, units)) return true
  if (next === "<" && (first === "|" || first === "<")) return true
  const rest = next === "<" ? ["s", ">"] : ["i", "n", "s", "t"]
  return rest.every((wanted, i) => (i === 0 ? first : units.visible()) === wanted)
}

/** Whether another "<" stands right before this one. */
function isDoubled(text: string, start: number): boolean {
  let at = start
  while (at > 0 && isTrace(text, at)) at--
  const before = text.slice(Math.max(0, at - 12), at)
  return (
    /(?:&(?:lt|#0*60|#x0*3c);?|\\u003c|\\x3c|%3c)$/i.test(before) ||
    readingOf(before.charCodeAt(before.length - 1)) === "<"
  )
}

function isTrace(text: string, at: number): boolean {
  const reading = readingOf(text.charCodeAt(at - 1))
  return reading === NOTHING || reading === SPACE
}

/** "<|…|>" with a name in it. With white space it takes a known name: "f <| x |> g" is code. */
function isPiped(units: Units): boolean {
  let name = ""
  let spaced = false
  while (name.length <= LONGEST_TOKEN) {
    const reading = units.visible(true)
    if (hasEnded(reading, units))
      return !spaced || follow(SPACED_NAMES, name.replaceAll("-", "")) !== undefined
    if (reading === SPACE) spaced = true
    else if (reading === "|") {
      const next = units.visible()
      if (hasEnded(next, units)) return true
      if (next !== ">" || name === "") return false
      return isToken(name, spaced)
    } else if (reading === UPRIGHT) {
      const from = units.at
      const next = units.visible()
      if (hasEnded(next, units)) return true
      if (next === ">" && name !== "") return isToken(name, spaced)
      units.at = from
      name += "-"
    } else if (/^[a-z0-9?:./-]/.test(reading)) name += reading
    else return false
  }
  return false
}

function isToken(name: string, spaced: boolean): boolean {
  return !spaced || follow(SPACED_NAMES, name.replaceAll("-", ""))?.is === true
}

/** "[INST]", "[TOOL_CALLS]": in capitals, as they are tokens only so, and small letters are somebody's index. */
function opensSquare(units: Units): boolean {
  let node = SQUARE_NAMES
  for (;;) {
    const reading = units.visible()
    if (hasEnded(reading, units)) return true
    if (reading === "/" && node === SQUARE_NAMES) continue
    if (reading === "]" && node.is === "whole") return true
    if (reading === "~" && node.is === "a tilde") return units.visible() === "["
    if (node.is === "a number" && /^[0-9]$/.test(reading)) return true
    const mayBeSmall = node === SQUARE_NAMES && (reading === "g" || reading === "s" || reading === "e")
    if (isSmall(units) && !mayBeSmall) return false
    const next = follow(node, reading)
    if (next === undefined) return false
    node = next
  }
}

function isSmall({ text, from, at }: Units): boolean {
  const code = text.charCodeAt(from)
  return at - from === 1 && code >= 0x61 && code <= 0x7a
}

/** "]~b]" and "]~!b[" */
function opensTilde(units: Units): boolean {
  if (units.visible() !== "~") return false
  let reading = units.visible()
  if (reading === "!") reading = units.visible()
  const next = reading === "b" ? units.visible() : NOTHING
  return next === "]" || next === "["
}
