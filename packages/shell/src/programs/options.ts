import { dynamicWord, mayBeOption, mayBeSeveral, type Word } from "../parse/words.js"
import { type Effect, type Judgement, type Program, type ReadPath, texts, unknown } from "./judgement.js"

/**
 * Holds all that is known of a program's options, written as one string: `-qvz -cn: -# -- lines: quiet`. Letters come
 * first, each with a dash; long names follow `--`. What is not listed, an abbreviation too, is a doubt. Marks say what
 * follows an option:
 *
 * | mark | the option |
 * | --- | --- |
 * | (none) | stands alone |
 * | `:` | has a value, attached or in the next word; `::` has two |
 * | `?` | may have a value, attached only |
 * | `<` | names a file that is read. Also for a value that another version of the program takes for an operand |
 * | `@` | names a file that says what to read, or how: a doubt |
 * | `!` | runs a program, looks up a name in the network or the like: a doubt |
 * | `>` | writes |
 * | `+` | has to be there, or another one with this mark |
 *
 * `#` stands for all digits. A word without a dash says what operands are: `text` (no files), `none` (there are none),
 * `words` (all words are text, also those with a dash), `stops` (nothing after the first operand is an option),
 * `at-files` (`@FILE` stands for the options in a file: a doubt), `one` (a second one is written to), `lints` (levels
 * and names of lints), `single-dash` (long names may begin with one dash).
 */
export interface Table {
  readonly options: ReadonlyMap<string, string>
  readonly operands: ReadonlySet<string>
  /** Options of which one has to be there. */
  readonly needed: readonly string[]
  /** True if a word that is known only when it runs might be an option that does harm. */
  readonly strict: boolean
  /** True if such a word might be an option that names a file. */
  readonly namesFiles: boolean
}

/** Says what a program does with its operands, where it does not just read them. */
export interface OperandShape {
  /** More operands than these are written to. */
  readonly most?: number
  /** Operands before the files: a pattern, a format. */
  readonly before?: number
  /** Options that bring the pattern along, so that all operands are files. */
  readonly instead?: string
  /** Whether operands are folders that are read with everything below: always, or with an option. */
  readonly below?: string | true
  /** Whether links below the operands are followed: always, or with an option. */
  readonly follows?: string | true
  /** Read where the operand is missing. */
  readonly otherwise?: string
  /** What the program does if all is understood. */
  readonly effect?: Effect
}

export interface Parsed {
  readonly options: readonly { readonly name: string; readonly value?: Word }[]
  readonly operands: readonly Word[]
  /** Values that are files, or may be. */
  readonly files: readonly ReadPath[]
  /** "read" if all options are known and none of them does more than that. */
  readonly effect: Effect
}

export function table(source: string): Table {
  const options = new Map([
    ["--help", ""],
    ["--version", ""],
  ])
  const operands = new Set<string>()
  const needed: string[] = []
  const add = (name: string, marks: string) => {
    options.set(name, marks.replace("+", ""))
    if (marks.includes("+")) needed.push(name)
  }
  let long = false
  for (const token of source.trim().split(/\s+/)) {
    const [, name = "", marks = ""] = /^(.*?)([:<>!@?+]*)$/.exec(token) ?? []
    if (token === "--") long = true
    else if (long) add(`--${name}`, marks)
    else if (!token.startsWith("-")) operands.add(token)
    else for (const letter of name.slice(1).replace("#", "0123456789")) add(`-${letter}`, marks)
  }
  const marks = [...options.values()].join("")
  return {
    options,
    operands,
    needed,
    strict: /[!>]/.test(marks) || operands.has("stops"),
    namesFiles: /[<@]/.test(marks) || operands.has("at-files"),
  }
}

interface Option {
  readonly name: string
  readonly marks: string
  /** The value that stands in the same word. */
  readonly held?: string
}

/** Finds the options in one word: letters that stand alone, then perhaps one with a value. Returns undefined for others. */
function optionsIn(word: string, { options, operands }: Table): readonly Option[] | undefined {
  const text = operands.has("single-dash") ? word.replace(/^-(?=[^-])/, "--") : word
  if (text.startsWith("--")) {
    const [, name = "", held] = /^([^=]*)(?:=(.*))?$/s.exec(text) ?? []
    const marks = options.get(name)
    if (marks === undefined || (marks === "" && held !== undefined)) return undefined
    return [{ name, marks, ...(held !== undefined && { held }) }]
  }
  const found: Option[] = []
  for (let at = 1; at < text.length; at++) {
    const name = `-${text[at]}`
    const marks = options.get(name)
    if (marks === undefined) return undefined
    const held = text.slice(at + 1)
    found.push({ name, marks, ...(marks !== "" && held !== "" && { held }) })
    if (marks !== "") break
  }
  return found
}

export function parseOptions(args: readonly Word[], known: Table, most?: number): Parsed {
  const options: { readonly name: string; readonly value?: Word }[] = []
  const operands: Word[] = []
  const files: ReadPath[] = []
  // The program replaces such a word by what is in the file before it looks at its options, also after `--`.
  let doubt = known.operands.has("at-files") && args.some((word) => startOf(word).startsWith("@"))
  let writes = false
  /** Takes the value of an option. One that may become several words may name files besides. */
  const take = (name: string, mark: string, value: Word, held: boolean) => {
    options.push({ name, value })
    if (mayBeSeveral(value) && !held) {
      doubt ||= known.strict
      files.push({ path: value })
    } else if (mark === "<") files.push({ path: value })
    // Some versions take no options after the first operand: `head a -n /etc/passwd` reads it.
    else if (operands.length > 0 && !held) files.push({ path: value, ifThere: true })
  }
  let at = 0
  for (; at < args.length; at++) {
    const word = args[at]
    if (word === undefined) break
    if (operands.length > 0 && (most !== undefined || known.operands.has("stops"))) break
    if (word.kind === "static" && word.text === "--") {
      at++
      break
    }
    const text = startOf(word)
    if (!mayBeOption(word) || (word.kind === "static" && text === "-")) {
      operands.push(word)
      continue
    }
    const found = word.kind === "static" || /^-./.test(text) ? optionsIn(text, known) : undefined
    const last = found?.at(-1)
    const isOpen = word.kind !== "static"
    if (isOpen && !isHeld(word, last)) {
      // Known only when it runs: any option of the table, or an operand.
      doubt ||= known.strict || (known.namesFiles && known.operands.has("text"))
      operands.push(word)
      continue
    }
    if (found === undefined || last === undefined) {
      doubt = true
      writes ||= mayWrite(text, known)
      continue
    }
    for (const { name } of found.slice(0, -1)) options.push({ name })
    const { name, marks, held } = last
    writes ||= marks === ">"
    doubt ||= /[!@]/.test(marks)
    if (marks === "" || /[!@>?]/.test(marks)) {
      options.push({ name, ...(held !== undefined && { value: staticWord(held) }) })
      continue
    }
    // Where nothing comes after the letter, the next word is its value: `xargs -d"$x" : rm`.
    doubt ||= isOpen && known.strict && !name.startsWith("--")
    let left = marks
    if (isOpen || held !== undefined) {
      take(name, marks[0] ?? "", isOpen ? dynamicWord(word.source, false) : staticWord(held ?? ""), true)
      left = marks.slice(1)
    }
    for (const mark of left) {
      const value = args[++at]
      if (value === undefined) doubt = true
      else take(name, mark, value, false)
    }
  }
  operands.push(...args.slice(at))
  return { options, operands, files, effect: writes ? "write" : doubt ? "unknown" : "read" }
}

/** Gives the text that a word surely begins with. */
function startOf(word: Word): string {
  return word.kind === "static" ? word.text : word.prefix
}

/** Tells whether what is not known of a word is the value of its last option: `--include=*.ts`, `-n"$x"`. */
function isHeld(word: Word, last: Option | undefined): boolean {
  if (word.kind === "dynamic" && word.splits) return false
  if (last === undefined || !/^[:<]/.test(last.marks)) return false
  return !last.name.startsWith("--") || last.held !== undefined
}

/** Tells whether a word that is not understood holds the letter of an option that writes: `sort -Zo f`. */
function mayWrite(text: string, { options }: Table): boolean {
  return [...options].some(([name, marks]) =>
    name.startsWith("--")
      ? marks === ">" && /^--\w/.test(text) && name.startsWith(text.split("=", 1)[0] ?? "")
      : marks === ">" && !text.startsWith("--") && text.includes(name.slice(1)),
  )
}

function staticWord(text: string): Word {
  return { kind: "static", text, source: text }
}

export function program(source: string, shape: OperandShape = {}): Program {
  const known = table(source)
  if (known.operands.has("words")) return () => ({ effect: shape.effect ?? "read" })
  return (args) => judged(parseOptions(args, known, shape.most), known, shape)
}

function judged(parsed: Parsed, known: Table, shape: OperandShape): Judgement {
  const { options, operands, files, effect } = parsed
  const has = (names: string | undefined) =>
    names !== undefined && options.some(({ name }) => names.split(" ").includes(name))
  if (effect !== "read") return { effect }
  if (known.operands.has("none") && operands.length > 0) return unknown
  if (known.needed.length > 0 && !has(known.needed.join(" "))) return unknown
  if (shape.most !== undefined && operands.length > shape.most) return { effect: "write" }
  // One that becomes several words names a file to write to.
  if (shape.most !== undefined && operands.some(mayBeSeveral)) return unknown
  if (shape.effect !== undefined) return { effect: isSure(parsed, known) ? shape.effect : "unknown" }
  if (known.operands.has("text")) return { effect, reads: files }
  const skipped = has(shape.instead) ? 0 : (shape.before ?? 0)
  // A pattern that is not known may turn out to be an option that names a file.
  const paths = operands.filter((word, at) => at >= skipped || (word.kind !== "static" && mayBeOption(word)))
  const below = shape.below === true || has(shape.below)
  const follows = shape.follows === true || has(shape.follows)
  const otherwise =
    paths.length === 0 && shape.otherwise !== undefined && (below || shape.below === undefined)
      ? [staticWord(shape.otherwise)]
      : []
  const reads: readonly ReadPath[] = [...paths, ...otherwise].map((path) => ({
    path,
    ...(below && { below }),
    ...(follows && { follows }),
    ...(known.namesFiles && { noOption: true }),
  }))
  return { effect, reads: [...reads, ...files] }
}

/** Tells whether the program surely reads all words as they are read here, where its options alone decide. */
function isSure({ options, operands }: Parsed, known: Table): boolean {
  const values = texts(options.flatMap(({ value }) => value ?? []))
  const isKnown = (word: Word) => word.kind === "static" || (word.kind === "pattern" && !mayBeOption(word))
  if (values === undefined || !operands.every(isKnown)) return false
  if (known.operands.has("one") && operands.length > 1) return false
  const named = operands.map(startOf)
  if (known.operands.has("lints")) return named.every((text) => /^(-[DWAF])?[\w:]*$/.test(text))
  // `--noEmit false`, and a value that is an option itself: `--pretty --outDir x`.
  return (
    !named.some((text) => /^(true|false)$/i.test(text)) &&
    ![...values, ...named].some((text) => /^-./.test(text))
  )
}
