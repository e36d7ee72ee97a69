import { type Judgement, unknown, writes } from "./judgement.js"
import { mayBeOption, type Word } from "./words.js"

/** sed without `-i`, whose script has neither `w` nor `e`. */
export function sed(args: readonly Word[]): Judgement {
  const scripts: string[] = []
  const files: Word[] = []
  let inPlace = false
  for (let at = 0; at < args.length; at++) {
    const word = args[at]
    if (word === undefined) break
    if (word.kind !== "static") {
      if (mayBeOption(word) || (scripts.length === 0 && files.length === 0)) return unknown
      files.push(word)
    } else if (/^-[nErsuz]*i|^--in-place/.test(word.text)) inPlace = true
    else if (/^-[nErsuz]*e$|^--expression$/.test(word.text)) {
      const script = args[++at]
      if (script?.kind !== "static") return inPlace ? writes : unknown
      scripts.push(script.text)
    } else if (word.text.startsWith("--expression=")) scripts.push(word.text.slice("--expression=".length))
    else if (
      /^-[nErsuz]+$|^--(quiet|silent|regexp-extended|separate|null-data|posix|debug)$|^--$/.test(word.text)
    )
      continue
    else if (word.text.startsWith("-") && word.text !== "-") return /^--?i/.test(word.text) ? writes : unknown
    else files.push(word)
  }
  if (scripts.length === 0) {
    const script = files.shift()
    if (script?.kind !== "static") return inPlace ? writes : unknown
    scripts.push(script.text)
  }
  const read = files.map((path) => ({ path }))
  if (inPlace) return { effect: "write", targets: files, reads: read }
  return { effect: isReadingSed(scripts.join("\n")) ? "read" : "unknown", reads: read }
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

/** awk whose program neither redirects, pipes nor calls the system. */
export function awk(args: readonly Word[]): Judgement {
  for (let at = 0; at < args.length; at++) {
    const word = args[at]
    if (word?.kind !== "static") return unknown
    if (word.text === "-F" || word.text === "-v") {
      const value = args[++at]
      if (value === undefined || value.kind === "pattern" || (value.kind === "dynamic" && value.splits))
        return unknown
    } else if (/^-F.|^-v\w+=/.test(word.text) || word.text === "--") continue
    else if (word.text.startsWith("-")) return unknown
    // What follows the program are files and variables, never options.
    else {
      const files = args.slice(at + 1).map((path) => ({ path }))
      return { effect: isReadingAwk(word.text) ? "read" : "unknown", reads: files }
    }
  }
  return unknown
}

/** Whether the program that sed or awk is given may run commands. */
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
  // `getline` and ARGV reach files that are no operands; a line that continues may hide a word.
  if (/[|@\\]\s*\n|[|@]|system|\/inet|getline|ARGV|ARGC|ENVIRON|close|fflush/.test(bare)) return false
  return !bare.includes(">") || !/print/.test(bare)
}
