import { CLOSES, isOpening, OTHER, readingOf, SPACE, UPRIGHT } from "./fold.js"
import { ANGLE_NAMES, type Need, SPACED_NAMES, SQUARE_NAMES, TILDE_NAMES } from "./tokens.js"
import { follow, type TrieNode } from "./trie.js"
import { Units } from "./units.js"

const LONGEST_TOKEN = 64
/** What a word is made of: also letters that may be several, and what no name has. */
const WORD = /^[a-z0-9\xbf-\xff-]/
/** What may stand between bars. */
const NAME = /^[a-z0-9\xbf-\xff?:./-]/
/** A word that does not belong to an escape: behind a backslash, "u003c" is an opening. */
const OWN_WORD = /^(?![ux]?\d)\w/
/** A word that its form does not make dangerous, as nearly all are. */
const PLAIN = /[ux]?\d|[\w-]{0,64}[\s>/<=,."'(]/y

/**
 * Decides whether what stands at a place makes the opening before it dangerous, which begins at `start`. A text that ends too
 * early to tell does: the rest may stand at the start of the next part.
 *
 * Nothing here looks past the next opening, except over backslashes behind it. So one escaped opening never changes
 * what another one means, and all of a text is looked at a bounded number of times.
 */
export function isDangerous(units: Units, at: number, opening: string, start: number): boolean {
  units.move(at)
  if (opens(units, opening, start)) return true
  return units.hasHidden && opens(new Units(units.text, at, true), opening, start)
}

function opens(units: Units, opening: string, start: number): boolean {
  if (opening === "]" || opening === CLOSES) return opensName(units, TILDE_NAMES)
  const { at } = units
  if (opening !== "[" && opensTag(units, ">", start)) return true
  units.at = at
  return opening !== "<" && opensTag(units, "]", start)
}

function opensTag(units: Units, close: ">" | "]", start: number): boolean {
  let reading = units.visible()
  for (let slashes = 0; reading === OTHER || (reading === "/" && slashes++ < 2); ) reading = units.visible()
  if (hasEnded(reading, units)) return true
  if (isOpening(reading)) return false
  const { from } = units
  units.at = from
  if (isBar(reading)) return hasShape(units, close)
  if (opensName(units, close === ">" ? ANGLE_NAMES : SQUARE_NAMES, close, start)) return true
  PLAIN.lastIndex = units.at = from
  return close === ">" && !PLAIN.test(units.text) && hasShape(units, close)
}

function isBar(reading: string): boolean {
  return reading === "|" || reading === UPRIGHT
}

/** True if the text ends here. Another opening that may go on says nothing: it is looked at by itself. */
function hasEnded(reading: string | undefined, units: Units): reading is undefined {
  return reading === undefined || (units.cut && !isOpening(reading))
}

/** True if a known name stands here that has what it needs. Without `close`, only one that needs no closing bracket. */
function opensName(units: Units, names: TrieNode<Need>, close?: ">" | "]", start = 0): boolean {
  let node = names
  for (;;) {
    const reading = units.visible()
    // Many texts end with "]".
    if (hasEnded(reading, units)) return names !== TILDE_NAMES || node !== names
    const isFirst = node === names
    // In square brackets tokens are in capitals: small letters are an index.
    if (close === "]" && isSmall(units) && !(isFirst && /[gse]/.test(reading))) return false
    const next = isFirst && /[-1]/.test(reading) ? undefined : follow(node, reading)
    if (next === undefined) return isMet(node.is, reading, units, close, start)
    if (next.is === "nothing") return true
    node = next
  }
}

/**
 * True if a name has what it needs to be dangerous. "<s>" and "</s>" begin and end a text for Llama and Mistral. They
 * are HTML as well, and no context tells which: an end needs nothing after it. No template has "<S>", a type's
 * parameter in code, nor "< s >", which compares or shifts.
 */
function isMet(
  need: Need | undefined,
  reading: string,
  units: Units,
  close: string | undefined,
  start: number,
) {
  if (need === "a number") return /^[0-9]$/.test(reading)
  if (need === "its end") return !WORD.test(reading)
  if (need === undefined || close === undefined || !(reading === close || reading === CLOSES)) return false
  if (need === "sys") return isDoubled(units.text, start)
  if (need === "colon") return units.visible() === ":"
  return need !== "s" || !/[S \t\n\r]/.test(units.text.slice(start, units.at))
}

/** True if another "<" stands right before this one, or this one is written in another way. */
function isDoubled(text: string, start: number): boolean {
  let at = start - 1
  while (/^[ ]?$/.test(readingOf(text.charCodeAt(at)))) at--
  return text.charAt(start) !== "<" || /[<\u00ab;]/.test(readingOf(text.charCodeAt(at)))
}

/**
 * True if the form alone says what it is: "<|…|>" with any name, "<|…>" with any word, "<…|>" with one that has an
 * underscore, "<…:tool_call". With white space, as "[|…|]" and as "<|…|…" it takes a known name: "f <| x |> g", "[|x|]"
 * and "/<|a|b/" are code.
 */
function hasShape(units: Units, close: ">" | "]"): boolean {
  let name = ""
  let hasBar = false
  let needsKnown = close === "]"
  while (name.length <= LONGEST_TOKEN) {
    const reading = units.visible(true)
    if (hasEnded(reading, units))
      return hasBar && (!needsKnown || name === "" || follow(SPACED_NAMES, name) !== undefined)
    if (name === "" && !hasBar && isBar(reading)) hasBar = true
    else if (reading === close || reading === CLOSES)
      return hasBar && !needsKnown && /^[^./:]{3,}$/.test(name)
    else if (isBar(reading)) {
      const from = units.at
      const next = units.visible()
      if (hasEnded(next, units)) return hasBar
      const isClosed = name !== "" && (next === close || next === CLOSES)
      if (isClosed && (hasBar ? !needsKnown : OWN_WORD.test(name) && name.includes("-"))) return true
      if (isClosed || reading === "|") return (hasBar || isClosed) && follow(SPACED_NAMES, name)?.is === true
      units.at = from
      name += "-"
    } else if (isOpening(reading)) return false
    else if (reading === SPACE && hasBar) needsKnown = true
    else if (reading === ":" && !hasBar) return OWN_WORD.test(name) && opensName(units, ANGLE_NAMES)
    else if ((hasBar ? NAME : WORD).test(reading)) name += reading
    else return false
  }
  return false
}

function isSmall({ text, from, at }: Units): boolean {
  return /^[a-z]$/.test(text.slice(from, at))
}
