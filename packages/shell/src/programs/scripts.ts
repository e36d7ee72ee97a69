import type { Word } from "../parse/words.js"
import { type Judgement, texts, unknown, worse, writes } from "./judgement.js"
import { parseOptions, table } from "./options.js"

const sedTable = table(
  "-nErsuz -e: -i> -f! -- quiet silent regexp-extended separate null-data posix debug unbuffered sandbox expression: in-place> file!",
)

/** Judges sed. It only reads without `-i`, with a script that has neither `w` nor `e`. */
export function sed(args: readonly Word[]): Judgement {
  const { options, operands, effect } = parseOptions(args, sedTable)
  const given = options.flatMap(({ name, value }) =>
    /^-e$|^--expression$/.test(name) && value ? [value] : [],
  )
  const [scripts, files] = given.length > 0 ? [given, operands] : [operands.slice(0, 1), operands.slice(1)]
  const read = files.map((path) => ({ path }))
  const inPlace = options.some(({ name }) => /^-i$|^--in-place$/.test(name))
  const known = texts(scripts)
  if (inPlace) return known === undefined ? writes : { effect: "write", targets: files, reads: read }
  if (effect !== "read" || known === undefined || known.length === 0)
    return { effect: worse(effect, "unknown") }
  return { effect: isReadingSed(known.join("\n")) ? "read" : "unknown", reads: read }
}

// A delimiter in brackets ends the expression for some seds and not for others: no match, and so not judged.
const address = /^(?:\d+(?:~\d+)?|\$|\/(?:\\[\s\S]|\[\^?\]?[^\]/\n]*\]|[^/\\\n[])*\/[IM]*|[+~]\d+)/
const substitution =
  /^(?:s([^\\\n\w[\]])(?:\\[\s\S]|\[\^?\]?(?:(?!\1)[^\]\n])*\]|(?!\1)[^\\[])*\1(?:\\[\s\S]|(?!\1)[^\\])*\1[gpiIM\d]*|y([^\\\n\w])(?:\\[\s\S]|(?!\2)[^\\])*\2(?:\\[\s\S]|(?!\2)[^\\])*\2)/
const text = /^[aic](?:\\\n|\\[^\n]|[^\\\n])*/
const plain = /^(?:[{}=dDgGhHnNpPxzF]|[lqQ][ \t]*\d*|[:btT][ \t]*[\w.-]*|#[^\n]*)/

/** Reads a sed script command by command; anything unexpected, and it is not taken for harmless. */
function isReadingSed(script: string): boolean {
  let rest = script
  const take = (pattern: RegExp): boolean => {
    const match = pattern.exec(rest)
    if (match === null || match[0] === "") return false
    rest = rest.slice(match[0].length)
    return true
  }
  while (true) {
    take(/^[\s;]+/)
    if (rest === "") return true
    if (take(address)) {
      take(/^[ \t]+/)
      if (take(/^,[ \t]*/) && !take(address)) return false
    }
    take(/^[\s!]+/)
    const opens = rest.startsWith("{")
    if (!take(substitution) && !take(text) && !take(plain)) return false
    // After a group opens the next command follows at once; after others something must end them.
    if (!opens && !/^[ \t]*(?:[;\n}#]|$)/.test(rest)) return false
  }
}

const awkTable = table("stops -Fv: -f!")

/** Judges awk. It only reads if its program neither redirects, pipes nor calls the system. */
export function awk(args: readonly Word[]): Judgement {
  const { operands, effect } = parseOptions(args, awkTable)
  const [script, ...files] = operands
  if (effect !== "read" || script?.kind !== "static") return unknown
  // What follows the program are files and variables, never options.
  return { effect: isReadingAwk(script.text) ? "read" : "unknown", reads: files.map((path) => ({ path })) }
}

/** True if the program that sed or awk is given may run commands. */
export function mayRunCommands(name: string, args: readonly Word[]): boolean {
  if (/^g?sed$/.test(name)) {
    const isSuffix = (word: Word) => word.kind === "static" && /^-[nErsuz]*i|^--in-place/.test(word.text)
    return sed(args.filter((word) => !isSuffix(word))).effect !== "read"
  }
  const known = args.map((word) => (word.kind === "static" ? word.text : "@"))
  return known.some((text) => /^-[^Fv]|[|@]|system|getline/.test(text.replaceAll("||", " ")))
}

/** Strings are not looked into: where a regular expression holds a quote, only a whole parser could tell them apart. */
function isReadingAwk(program: string): boolean {
  const bare = program.replaceAll("||", " ").replaceAll(">=", " ")
  // `getline` and ARGV reach files that are no operands, SYMTAB reaches ARGV; a line that continues may hide a word.
  if (
    /[|@\\]\s*\n|[|@]|system|\/inet|getline|ARGV|ARGC|ENVIRON|SYMTAB|FUNCTAB|PROCINFO|close|fflush/.test(bare)
  )
    return false
  return !bare.includes(">") || !/print/.test(bare)
}
