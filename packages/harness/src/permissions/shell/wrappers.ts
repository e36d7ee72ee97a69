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
  const parsed = xargsOptions(args)
  if (parsed === undefined) return unknown
  const { mark, runs } = parsed
  if (runs.length === 0) return reads
  if (mark === undefined) return { effect: "read", runs: [...runs, dynamicWord("…", true)] }
  return { effect: "read", runs: runs.map((word) => replaced(word, mark)) }
}

/**
 * The command that xargs runs, and what `-I` names: replaced in the command's words instead of added to them. Options
 * that take `-I` back (`-n`, `-L`) beside it, or a second one, are not understood.
 */
function xargsOptions(
  args: readonly Word[],
): { readonly mark?: string; readonly runs: readonly Word[] } | undefined {
  let mark: string | undefined
  let counts = false
  let at = 0
  for (; at < args.length; at++) {
    const word = args[at]
    if (word?.kind !== "static") return undefined
    const { text } = word
    if (!text.startsWith("-") || text === "-") break
    if (text === "--") {
      at++
      break
    }
    if (/^-[0rtx]+$|^--(null|no-run-if-empty|verbose|exit)$|^--(max-procs|delimiter|max-chars)=/.test(text))
      continue
    const option =
      /^-[0rtx]*([nPLsdIa])(.*)$/s.exec(text) ??
      /^--(max-args|max-procs|max-lines|delimiter|arg-file)(?:=(.*))?$/s.exec(text)
    if (option === null) return undefined
    const [, name = "", held = ""] = option
    let value = held
    if (held === "") {
      const next = args[++at]
      if (next?.kind !== "static") return undefined
      value = next.text
    }
    // One at a time is what `-I` does anyway.
    if (/^(L|max-lines)$/.test(name) || (/^(n|max-args)$/.test(name) && value !== "1")) counts = true
    if (name === "I") {
      if (mark !== undefined || value === "") return undefined
      mark = value
    }
  }
  if (mark !== undefined && counts) return undefined
  return { ...(mark !== undefined && { mark }), runs: args.slice(at) }
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
    // Further operands are the script's own arguments: words that nobody sees in it.
    const effect = args.length > at + 2 ? "unknown" : "read"
    return { effect, script: { source: script.text, posix } }
  }
}
