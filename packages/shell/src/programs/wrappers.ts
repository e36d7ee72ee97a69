import { dynamicWord, type Word } from "../parse/words.js"
import { type Judgement, type Program, reads, texts, unknown } from "./judgement.js"
import { parseOptions, table } from "./options.js"

/** Runs the command that follows its options and `operands` more words, such as a duration. */
function runsAfter(source: string, operands = 0): Program {
  const known = table(`stops ${source}`)
  return (args) => {
    const parsed = parseOptions(args, known)
    const runs = parsed.operands.slice(operands)
    if (parsed.effect !== "read" || texts(parsed.operands.slice(0, operands)) === undefined) return unknown
    return runs.length === 0 ? reads : { effect: "read", runs }
  }
}

const lookup = /^-[vV]$/

export const wrappers: Readonly<Record<string, Program>> = {
  nice: runsAfter("-# -n: -- adjustment:"),
  nohup: runsAfter(""),
  setsid: runsAfter("-cfw -- ctty fork wait"),
  time: runsAfter("-p"),
  timeout: runsAfter("-vfp -ks: -- foreground preserve-status verbose signal: kill-after:", 1),
  stdbuf: runsAfter("-ioe: -- input: output: error:"),
  // `-c` would empty the environment, and git relies on its part of it.
  exec: runsAfter("-l"),
  builtin: runsAfter(""),
  command: (args) => {
    const [first] = args
    if (first?.kind === "static" && lookup.test(first.text)) return reads
    return runsAfter("-p")(args)
  },
  env,
  xargs,
  bash: shell(false),
  sh: shell(true),
  dash: shell(true),
}

// Refuse `-u` and `-i`: git relies on its part of the environment. `-C` is another folder, `-S` another command line.
const envTable = table("stops -0v -iuCS! -- null debug")

function env(args: readonly Word[]): Judgement {
  const { operands, effect } = parseOptions(args, envTable)
  if (effect !== "read") return unknown
  const assigns: string[] = []
  for (const [index, word] of operands.entries()) {
    const start = word.kind === "static" ? word.text : word.prefix
    const name = /^([A-Za-z_]\w*)=/.exec(start)?.[1]
    if (name === undefined)
      return start === "-" ? unknown : { effect: "read", runs: operands.slice(index), assigns }
    if (word.kind === "dynamic" && word.splits) return unknown
    assigns.push(name)
  }
  return reads
}

const xargsTable = table(
  "stops -0rtx -nPLsdI: -a< -- null no-run-if-empty verbose exit max-procs: delimiter: max-chars: max-args: max-lines? arg-file<",
)

/**
 * Judges xargs. What it adds to the command is not known: it may be an option too. `-I` names a mark that is replaced
 * in the command's words instead. Options that take `-I` back (`-n`, `-L`) beside it, or a second one, are not
 * understood.
 */
function xargs(args: readonly Word[]): Judgement {
  const { options, operands, files, effect } = parseOptions(args, xargsTable)
  if (effect !== "read") return { effect, ...(files.length > 0 && { reads: files }) }
  const of = (names: RegExp) =>
    texts(options.flatMap(({ name, value }) => (names.test(name) && value ? [value] : [])))
  const marks = of(/^-I$/)
  // One at a time is what `-I` does anyway.
  const counts = of(/^-n$|^--max-args$/)?.every((count) => count === "1") !== true
  const lines = options.some(({ name }) => /^-L$|^--max-lines$/.test(name))
  const [mark, another] = marks ?? [""]
  if (mark === "" || another !== undefined || (mark !== undefined && (counts || lines))) return unknown
  const runs =
    mark === undefined ? [...operands, dynamicWord("…", true)] : operands.map((word) => replaced(word, mark))
  return { effect: "read", reads: files, ...(operands.length > 0 && { runs }) }
}

function replaced(word: Word, mark: string): Word {
  if (word.kind === "dynamic") return dynamicWord(word.source)
  const at = word.text.indexOf(mark)
  if (at < 0) return word
  return word.kind === "static"
    ? dynamicWord(word.source, false, word.text.slice(0, at))
    : dynamicWord(word.source)
}

function shell(posix: boolean): Program {
  return (args) => {
    const at = args.findIndex((word) => word.kind === "static" && /^-[eux]*c$/.test(word.text))
    if (at < 0) return unknown
    const before = args.slice(0, at).map((word) => (word.kind === "static" ? word.text : "?"))
    if (!/^(-[eux]+ |-e?u?x?o pipefail )*$/.test(before.map((text) => `${text} `).join(""))) return unknown
    const script = args[at + 1]
    if (script?.kind !== "static") return unknown
    // Further operands are the script's own arguments: words that we do not see in it.
    const effect = args.length > at + 2 ? "unknown" : "read"
    return { effect, script: { source: script.text, posix } }
  }
}
