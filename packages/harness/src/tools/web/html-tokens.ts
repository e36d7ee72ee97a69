/*
 * Cuts HTML into tags and texts, in one pass: every character is looked at a fixed number of times, whatever the page
 * does. What browsers mend (attributes without quotes, tags that never end) is read as they do.
 */

/** A piece of a page. */
export type HtmlToken =
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "open"; readonly name: string; readonly attributes: Attributes; readonly isEmpty: boolean }
  | { readonly is: "close"; readonly name: string }

/** By name in small letters; of a name that comes twice, the first counts. */
export type Attributes = ReadonlyMap<string, string>

/** Elements whose content is no markup: their text runs to their own closing tag. */
const RAW = new Set([
  "script",
  "style",
  "textarea",
  "title",
  "xmp",
  "iframe",
  "noembed",
  "noframes",
  "noscript",
])
const VOID = new Set("area base br col embed hr img input link meta param source track wbr".split(" "))
const LETTER = /[a-z]/i
const NAME = /[^\s/>]*/y
const ATTRIBUTE = /[\s/]*([^\s/>=][^\s/>=]*)?(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']?[^\s>]*)))?/y
const LONGEST_NAME = 60
/** Shared by all tags without any: a page may have a million. */
const NONE: ReadonlyMap<string, string> = new Map()
const MOST_ATTRIBUTES = 60

export function* htmlTokens(html: string): Generator<HtmlToken> {
  let at = 0
  let textFrom = 0
  while (at < html.length) {
    const found = html.indexOf("<", at)
    if (found < 0) break
    const next = html[found + 1] ?? ""
    const isClosing = next === "/"
    if (!LETTER.test(isClosing ? (html[found + 2] ?? "") : next)) {
      if (next !== "!" && next !== "?" && !isClosing) {
        at = found + 1
        continue
      }
      if (found > textFrom) yield textOf(html.slice(textFrom, found))
      at = textFrom = endOfComment(html, found)
      continue
    }
    if (found > textFrom) yield textOf(html.slice(textFrom, found))
    const { name, attributes, isEmpty, end } = tagAt(html, found + (isClosing ? 2 : 1))
    at = textFrom = end
    if (isClosing) yield { is: "close", name }
    else {
      yield { is: "open", name, attributes, isEmpty: isEmpty || VOID.has(name) }
      if (!RAW.has(name)) continue
      const close = endOfRaw(html, at, name)
      if (close > at && name === "title") yield textOf(html.slice(at, close))
      at = textFrom = close
    }
  }
  if (textFrom < html.length) yield textOf(html.slice(textFrom))
}

function endOfComment(html: string, from: number): number {
  const isComment = html.startsWith("<!--", from)
  const isData = html.startsWith("<![CDATA[", from)
  const close = isComment ? "-->" : isData ? "]]>" : ">"
  // "<!-->" is a whole comment.
  const end = html.indexOf(close, from + (isComment || isData ? 2 : 1))
  return end < 0 ? html.length : end + close.length
}

function endOfRaw(html: string, from: number, name: string): number {
  const close = new RegExp(`</${name}(?=[\\s/>]|$)`, "gi")
  close.lastIndex = from
  return close.exec(html)?.index ?? html.length
}

interface Tag {
  readonly name: string
  readonly attributes: Attributes
  readonly isEmpty: boolean
  readonly end: number
}

/** Reads a tag from its name on. One that never ends takes the rest of the page with it. */
function tagAt(html: string, from: number): Tag {
  NAME.lastIndex = from
  const name = (NAME.exec(html)?.[0] ?? "").slice(0, LONGEST_NAME).toLowerCase()
  let at = NAME.lastIndex
  const attributes: [string, string][] = []
  while (at < html.length) {
    ATTRIBUTE.lastIndex = at
    const [whole = "", key = "", double, single, bare] = ATTRIBUTE.exec(html) ?? []
    at += whole.length
    if (key !== "" && key.length <= LONGEST_NAME && attributes.length < MOST_ATTRIBUTES)
      attributes.push([key.toLowerCase(), decodeEntities(double ?? single ?? bare ?? "")])
    if (html[at] === ">") {
      // Behind a value without quotes the slash is part of the value.
      const isEmpty = html[at - 1] === "/" && bare === undefined
      return { name, attributes: byName(attributes), isEmpty, end: at + 1 }
    }
    // A quote that never ends, or a sign that stands alone.
    if (whole === "") at++
  }
  return { name, attributes: NONE, isEmpty: false, end: html.length }
}

function byName(attributes: readonly [string, string][]): Attributes {
  return attributes.length === 0 ? NONE : new Map([...attributes].reverse())
}

function textOf(text: string): HtmlToken {
  return { is: "text", text: decodeEntities(text) }
}

const LATIN =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml"
const OTHERS =
  "amp& lt< gt> quot\" apos' hellip\u2026 mdash\u2014 ndash\u2013 lsquo\u2018 rsquo\u2019 ldquo\u201c rdquo\u201d sbquo\u201a bdquo\u201e lsaquo\u2039 rsaquo\u203a bull\u2022 trade\u2122 euro\u20ac larr\u2190 uarr\u2191 rarr\u2192 darr\u2193 harr\u2194 rArr\u21d2 hArr\u21d4 ne\u2260 le\u2264 ge\u2265 infin\u221e minus\u2212 radic\u221a sum\u2211 prod\u220f int\u222b asymp\u2248 equiv\u2261 forall\u2200 exist\u2203 isin\u2208 cap\u2229 cup\u222a check\u2713 star\u2606 starf\u2605 dagger\u2020 prime\u2032 permil\u2030 oelig\u0153 OElig\u0152 scaron\u0161 Scaron\u0160 fnof\u0192 circ\u02c6 tilde\u02dc ensp\u2002 emsp\u2003 thinsp\u2009 zwnj\u200c zwj\u200d lrm\u200e rlm\u200f alpha\u03b1 beta\u03b2 gamma\u03b3 delta\u03b4 Delta\u0394 epsilon\u03b5 theta\u03b8 lambda\u03bb Lambda\u039b mu\u03bc pi\u03c0 Pi\u03a0 rho\u03c1 sigma\u03c3 Sigma\u03a3 tau\u03c4 phi\u03c6 Phi\u03a6 chi\u03c7 psi\u03c8 omega\u03c9 Omega\u03a9 lbrace{ rbrace} lbrack[ rbrack] lpar( rpar) num# vert| grave` ast* lowbar_ comma, colon: semi; excl! quest? period. sol/ bsol\\ dollar$ percnt% plus+ equals= commat@ newline\n tab\t"
const NAMED = new Map<string, string>([
  ...LATIN.split(" ").map((name, i) => [name, String.fromCharCode(160 + i)] as const),
  ...OTHERS.split(" ").map((entry) => {
    const [, name = "", sign = ""] = /^([a-z]+)(.*)$/is.exec(entry) ?? []
    return [name, sign] as const
  }),
])

/** Puts characters in place of their names and numbers; a name that is not known stays as it is. */
function decodeEntities(text: string): string {
  if (!text.includes("&")) return text
  return text.replace(
    /&(?:#(\d{1,8})|#x([\da-f]{1,8})|([a-z][a-z\d]{1,30}));?/gi,
    (whole, decimal?: string, hex?: string, name?: string) =>
      name === undefined
        ? characterOf(Number.parseInt(decimal ?? hex ?? "", decimal ? 10 : 16))
        : (NAMED.get(name) ?? whole),
  )
}

function characterOf(code: number): string {
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : "\ufffd"
}
