import { FRAME_TAGS } from "../../src/vocabulary/tags.js"

/** A way to write a tag so that it does not look like one at first sight. */
export type Disguise = (tag: string) => string

const each = (text: string, change: (c: string) => string) => [...text].map(change).join("")
const letters = (text: string, change: (c: string) => string) => text.replace(/[a-z]/g, change)
const from = (base: number, c: string) => String.fromCodePoint(base + c.charCodeAt(0) - 0x61)
const code = (c: string) => c.charCodeAt(0)
const hex = (c: string) => code(c).toString(16)

const CYRILLIC: Readonly<Record<string, string>> = {
  a: "а",
  c: "с",
  e: "е",
  i: "і",
  o: "о",
  p: "р",
  s: "ѕ",
  y: "у",
}

const named = (entries: readonly (readonly [string, Disguise])[]) => entries

const BRACKETS = ["＜", "﹤", "‹", "〈", "⟨", "❮", "˂"]
const ESCAPES = ["\\u003c", "\\u003C", "\\U0000003c", "\\x3c", "%3C", "%3c"]
const ENTITIES = [
  ...[
    "&lt;",
    "&LT;",
    "&lt",
    "&#60;",
    "&#060;",
    "&#0000060;",
    "&#60",
    "&#x3c;",
    "&#x3C;",
    "&#X3c;",
    "&#x003c;",
  ],
  ...["&amp;lt;", "&amp;amp;lt;", "&amp;#60;", "&amp;#x3c;", "&AMP;LT;"],
]
const HYPHENS = [
  "‐",
  "‑",
  "‒",
  "–",
  "—",
  "―",
  "−",
  "﹣",
  "－",
  "·",
  "_",
  "&hyphen;",
  "&dash;",
  "&#45;",
  "&#x2d;",
]
const SLASHES = ["/", " / ", "⁄", "∕", "／", "⧸", "&sol;", "&#47;", "&#x2f;", "%2F"]
const INVISIBLE = [
  ...["\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u180e", "\u034f", "\u061c", "\ufe0f"],
  ...[
    "\u200e",
    "\u200f",
    "\u202a",
    "\u202b",
    "\u202c",
    "\u202d",
    "\u202e",
    "\u2066",
    "\u2067",
    "\u2068",
    "\u2069",
  ],
  ...[
    "\u{e0020}",
    "\u{e0101}",
    "\0",
    "\x07",
    "\x1b",
    "\u0301",
    " ",
    "\t",
    "\n",
    "\u00a0",
    "\u3000",
    "&nbsp;",
    "&#8203;",
  ],
]
/** First letters of the mathematical alphabets without holes, and of the circled ones. */
const ALPHABETS = [
  0x1d41a, 0x1d482, 0x1d4ea, 0x1d51e, 0x1d552, 0x1d586, 0x1d5ba, 0x1d5ee, 0x1d622, 0x1d656, 0x1d68a, 0x24d0,
]

const point = (c: string) => `U+${(c.codePointAt(0) ?? 0).toString(16)}`

export const DISGUISES = new Map<string, Disguise>([
  ...named([
    ["plain", (tag) => `<${tag}>`],
    ["upper case", (tag) => `<${tag.toUpperCase()}>`],
    ["mixed case", (tag) => `<${each(tag, (c) => (code(c) % 2 === 0 ? c.toUpperCase() : c))}>`],
    ["long s", (tag) => `<${tag.replaceAll("s", "ſ")}>`],
    ["trailing space", (tag) => `<${tag} >`],
    ["broken over lines", (tag) => `<\n${tag}\n>`],
    ["an attribute", (tag) => `<${tag} priority="high">`],
    ["a nonce", (tag) => `<${tag} nonce='x'>`],
    ["self-closing", (tag) => `<${tag}/>`],
    ["unterminated", (tag) => `<${tag}`],
    ["unterminated, then text", (tag) => `<${tag} obey me`],
    ["doubled bracket", (tag) => `<<${tag}>>`],
    ["nested", (tag) => `<${tag}<${tag}>>`],
    ["split by itself", (tag) => `<${tag.slice(0, 3)}<${tag}>${tag.slice(3)}>`],
    ["inside another tag", (tag) => `<p><${tag}></p>`],
    ["in an attribute", (tag) => `<a title="<${tag}>">`],
    ["in a comment", (tag) => `<!--<${tag}>-->`],
    ["in a fence", (tag) => `\`\`\`\n<${tag}>\n\`\`\``],
    ["letters as decimal entities", (tag) => `<${letters(tag, (c) => `&#${code(c)};`)}>`],
    ["letters as padded entities", (tag) => `<${letters(tag, (c) => `&#000${code(c)};`)}>`],
    ["letters as hex entities", (tag) => `<${letters(tag, (c) => `&#x${hex(c)};`)}>`],
    ["letters as entities without end", (tag) => `<${letters(tag, (c) => `&#${code(c)}`)}>`],
    ["letters as double entities", (tag) => `<${letters(tag, (c) => `&amp;#${code(c)};`)}>`],
    ["capitals as entities", (tag) => `<${letters(tag, (c) => `&#${code(c.toUpperCase())};`)}>`],
    ["the first letter as an entity", (tag) => `<&#${code(tag)};${tag.slice(1)}>`],
    ["everything as entities", (tag) => each(`<${tag}>`, (c) => `&#${code(c)};`)],
    ["full width", (tag) => `＜${letters(tag, (c) => from(0xff41, c))}＞`],
    ["full-width capitals", (tag) => `＜${letters(tag, (c) => from(0xff21, c))}＞`],
    ["Cyrillic look-alikes", (tag) => `<${letters(tag, (c) => CYRILLIC[c] ?? c)}>`],
    ["one look-alike", (tag) => `<${tag.replace("e", "е")}>`],
    ["look-alikes and a strange bracket", (tag) => `〈${letters(tag, (c) => CYRILLIC[c] ?? c)}〉`],
  ]),
  ...ALPHABETS.map((first): [string, Disguise] => [
    `alphabet at U+${first.toString(16)}`,
    (tag) => `<${letters(tag, (c) => from(first, c))}>`,
  ]),
  ...BRACKETS.map((open): [string, Disguise] => [`bracket ${point(open)}`, (tag) => `${open}${tag}>`]),
  ...ENTITIES.map((open): [string, Disguise] => [`bracket ${open}`, (tag) => `${open}${tag}&gt;`]),
  ...ESCAPES.map((open): [string, Disguise] => [`bracket ${open}`, (tag) => `${open}${tag}>`]),
  ...HYPHENS.map((dash): [string, Disguise] => [`hyphen ${dash}`, (tag) => `<${tag.replaceAll("-", dash)}>`]),
  ...SLASHES.map((slash): [string, Disguise] => [`closing with ${slash}`, (tag) => `<${slash}${tag}>`]),
  ...INVISIBLE.flatMap((c): [string, Disguise][] => [
    [`${point(c)}${c.length > 2 ? c : ""} between the letters`, (tag) => `<${[...tag].join(c)}>`],
    [`${point(c)}${c.length > 2 ? c : ""} after the bracket`, (tag) => `<${c}/${c}${tag}>`],
  ]),
])

export const CORPUS = [...DISGUISES].flatMap(([name, disguise]) =>
  FRAME_TAGS.map((tag) => ({ name, text: disguise(tag) })),
)

const SUPERSCRIPT: Readonly<Record<string, string>> = {
  s: "ˢ",
  y: "ʸ",
  t: "ᵗ",
  e: "ᵉ",
  m: "ᵐ",
  r: "ʳ",
  i: "ⁱ",
  n: "ⁿ",
  d: "ᵈ",
}

function script(c: string): string {
  return ({ e: "ℯ", g: "ℊ", o: "ℴ" } as Readonly<Record<string, string>>)[c] ?? from(0x1d4b6, c)
}

/** Two disguises at once. */
export const COMPOSED = named([
  ["script letters, whose e, g and o stand in another block", (tag) => `<${letters(tag, script)}>`],
  ["superscript letters", (tag) => `<${letters(tag, (c) => SUPERSCRIPT[c] ?? c)}>`],
  [
    "parenthesised letters",
    (tag) => `<${letters(tag, (c) => from(0x249c, c).normalize("NFKC").replace(/[()]/g, ""))}>`,
  ],
  ["a full-width bracket as an entity", (tag) => `&#xff1c;${tag}>`],
  ["full-width letters as entities", (tag) => `<${letters(tag, (c) => `&#${0xff41 + code(c) - 0x61};`)}>`],
  ["an en dash as an entity", (tag) => `<${tag.replace("-", "&#8211;")}>`],
  ["an ampersand as a numeric entity", (tag) => `&#38;lt;${tag}>`],
  ["a bidi control as an entity", (tag) => `<&#x202e;${tag}>`],
  ["a line break as an entity", (tag) => `<&#10;${tag}>`],
])
