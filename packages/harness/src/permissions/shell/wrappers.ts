import { type Judgement, type Program, reads, unknown } from "./judgement.js"
import { dynamicWord, type Word } from "./words.js"

/** Options before the command that a program runs: alone, or followed by a value. */
interface Options {
  readonly alone: RegExp
  readonly valued?: RegExp
  /** Operands before the command, such as a duration. */
  readonly operands?: number
}

/** The words of the command that is run, or undefined where an option is not known. */
function commandAfter(args: readonly Word[], options: Options): readonly Word[] | undefined {
  let at = 0
  for (; at < args.length; at++) {
    const word = args[at]
    if (word?.kind !== "static") return undefined
    if (!word.text.startsWith("-") || word.text === "-") break
    if (word.text === "--") {
      at++
      break
    }
    if (options.valued?.test(word.text)) {
      at++
      if (args[at]?.kind !== "static") return undefined
    } else if (!options.alone.test(word.text)) return undefined
  }
  const before = args.slice(at, at + (options.operands ?? 0))
  if (before.some((word) => word.kind !== "static")) return undefined
  return args.slice(at + (options.operands ?? 0))
}

function runsAfter(options: Options): Program {
  return (args) => {
    const runs = commandAfter(args, options)
    if (runs === undefined) return unknown
    return runs.length === 0 ? reads : { effect: "read", runs }
  }
}

const lookup = /^-[vV]$/

export const wrappers: Readonly<Record<string, Program>> = {
  nice: runsAfter({ alone: /^-\d+$|^-n-?\d+$|^--adjustment=-?\d+$/, valued: /^-n$|^--adjustment$/ }),
  nohup: runsAfter({ alone: /^$/ }),
  setsid: runsAfter({ alone: /^-[cfw]+$/ }),
  time: runsAfter({ alone: /^-p$/ }),
  timeout: runsAfter({
    alone: /^-v$|^--(foreground|preserve-status|verbose)$|^--(signal|kill-after)=|^-[ks]./,
    valued: /^-[ks]$|^--(signal|kill-after)$/,
    operands: 1,
  }),
  stdbuf: runsAfter({ alone: /^-[ioe].|^--(input|output|error)=/, valued: /^-[ioe]$/ }),
  // `-c` would empty the environment, and git relies on its part of it.
  exec: runsAfter({ alone: /^-l$/ }),
  builtin: runsAfter({ alone: /^$/ }),
  command: (args) => {
    const [first] = args
    if (first?.kind === "static" && lookup.test(first.text)) return reads
    return runsAfter({ alone: /^-p$/ })(args)
  },
  env,
  xargs,
  bash: shell(false),
  sh: shell(true),
  dash: shell(true),
}

function env(args: readonly Word[]): Judgement {
  const after = commandAfter(args, {
    alone: /^-[0v]$|^--null$/,
  })
  if (after === undefined) return unknown
  const assigns: string[] = []
  for (const [index, word] of after.entries()) {
    const start = word.kind === "static" ? word.text : word.prefix
    const name = /^([A-Za-z_]\w*)=/.exec(start)?.[1]
    if (name === undefined)
      return start === "-" ? unknown : { effect: "read", runs: after.slice(index), assigns }
    if (word.kind === "dynamic" && word.splits) return unknown
    assigns.push(name)
  }
  return reads
}

/** What xargs adds is not known: it may be an option too. */
function xargs(args: readonly Word[]): Judgement {
  const options: Options = {
    alone:
      /^-[0rtx]+$|^-[0rtx]*[nPLsdI].+$|^--(null|no-run-if-empty|verbose|exit)$|^--(max-args|max-procs|max-lines|delimiter|max-chars)=/,
    valued: /^-[0rtx]*[nPLsdIa]$|^--(max-args|max-procs|delimiter|arg-file)$/,
  }
  const runs = commandAfter(args, options)
  if (runs === undefined) return unknown
  if (runs.length === 0) return reads
  const mark = placeholder(args.slice(0, args.length - runs.length))
  if (mark === undefined) return { effect: "read", runs: [...runs, dynamicWord("…", true)] }
  if (mark === "") return unknown
  return { effect: "read", runs: runs.map((word) => replaced(word, mark)) }
}

/** What `-I` names: replaced in the command's words instead of added to them. */
function placeholder(options: readonly Word[]): string | undefined {
  const known = options.map((word) => (word.kind === "static" ? word.text : ""))
  const at = known.findLastIndex((text) => /^-[0rtx]*I/.test(text))
  if (at < 0) return undefined
  return known[at]?.replace(/^-[0rtx]*I/, "") || known[at + 1] || ""
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
    return script?.kind === "static" ? { effect: "read", script: { source: script.text, posix } } : unknown
  }
}
