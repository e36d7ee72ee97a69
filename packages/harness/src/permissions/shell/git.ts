import { type Judgement, type Program, reads, texts, unknown, unless, writes } from "./judgement.js"
import type { Word } from "./words.js"

const names = (list: string) => new Set(list.trim().split(/\s+/))

const changing = names(`
  add am apply branch checkout cherry-pick clean clone commit commit-tree config fetch filter-branch format-patch gc
  hash-object init merge mktag mktree mv notes prune pull push read-tree rebase reflog remote repack replace reset
  restore revert rm sparse-checkout stash submodule switch symbolic-ref tag update-index update-ref worktree
  write-tree`)

const difference = unless(/^--ou(t|$|=)|^--ext|^--show-s/)
const harmless: Program = () => reads

/** What a subcommand lists, when all its options are known ones and its operands are only patterns. */
function listing(options: RegExp, needsFor: RegExp | undefined): (args: readonly string[]) => boolean {
  return (args) => {
    if (!args.every((text) => !text.startsWith("-") || options.test(text))) return false
    const hasOperand = args.some((text) => !text.startsWith("-"))
    return !hasOperand || (needsFor !== undefined && args.some((text) => needsFor.test(text)))
  }
}

const selecting = /^--(list|contains|no-contains|merged|no-merged|points-at)(=.*)?$/
const listOptions =
  /^(-a|-r|-v|-vv|-l|-n\d*|-i|--(all|remotes|verbose|list|show-current|contains|no-contains|merged|no-merged|points-at|ignore-case|no-color|no-column)|--(sort|format|color|column|abbrev|contains|no-contains|merged|no-merged|points-at)=.*)$/
const configOptions =
  /^(--(get|get-all|get-regexp|get-urlmatch|list|global|local|system|worktree|name-only|show-origin|show-scope|null|bool|int|path|includes|no-includes)|-l|-z|--type=.*)$/

/** Subcommands that list in some forms and change in others. */
const forms: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
  branch: listing(listOptions, selecting),
  tag: listing(listOptions, /^(-l|--(list|contains|no-contains|merged|no-merged|points-at)(=.*)?)$/),
  remote: (args) => args.length === 0 || /^(-v|--verbose)$/.test(args.join(" ")) || args[0] === "get-url",
  config: (args) => {
    if (args[0] === "get" || args[0] === "list")
      return args.slice(1).every((text) => !/^-(?!-)|^--(e|f)/.test(text))
    const known = args.every((text) => !text.startsWith("-") || configOptions.test(text))
    return known && args.some((text) => /^--(get|list)|^-l$/.test(text))
  },
  stash: (args) =>
    args[0] === "list" || (args[0] === "show" && !args.some((text) => /^--(ou|ext)/.test(text))),
  reflog: (args) =>
    args.length === 0 || (args[0] === "show" && !args.some((text) => /^--(ou|ext)/.test(text))),
  worktree: (args) => args[0] === "list",
  notes: (args) => args.length === 0 || args[0] === "list" || args[0] === "show",
  submodule: (args) => args.length === 0 || args[0] === "status",
  "symbolic-ref": (args) =>
    args.every((text) => !/^-(?!-short$|q$)/.test(text) || text === "--short") &&
    args.filter((text) => !text.startsWith("-")).length === 1,
}

const readOnly: Readonly<Record<string, Program>> = {
  ...Object.fromEntries(
    [
      ..."diff log show whatchanged shortlog diff-tree diff-index diff-files range-diff rev-list cherry blame annotate".split(
        " ",
      ),
    ].map((name) => [name, difference]),
  ),
  ...Object.fromEntries(
    [
      ..."status rev-parse ls-files ls-tree describe merge-base name-rev for-each-ref show-ref count-objects check-ignore check-attr version".split(
        " ",
      ),
    ].map((name) => [name, harmless]),
  ),
  "cat-file": unless(/^--(filters|textconv|batch-command)/, "unknown"),
  grep: unless(/^-[^-]*O|^--op|^--ext/, "unknown"),
}

export function git(args: readonly Word[]): Judgement {
  let at = 0
  for (; at < args.length; at++) {
    const word = args[at]
    if (word?.kind !== "static") return unknown
    if (word.text === "-C") {
      at++
      if (args[at]?.kind !== "static") return unknown
    } else if (/^--(no-pager|no-optional-locks|literal-pathspecs|no-replace-objects)$/.test(word.text))
      continue
    else if (word.text === "--version" && args.length === 1) return reads
    // `-c alias.x='!rm'`, `--exec-path`, `--git-dir`: what git then does is somebody else's decision.
    else if (word.text.startsWith("-")) return unknown
    else break
  }
  const word = args[at]
  if (word?.kind !== "static") return args.length === 0 ? reads : unknown
  return subcommand(word.text, args.slice(at + 1))
}

function subcommand(name: string, args: readonly Word[]): Judgement {
  const program = Object.hasOwn(readOnly, name) ? readOnly[name] : undefined
  if (program) return program(args)
  const lists = Object.hasOwn(forms, name) ? forms[name] : undefined
  const known = texts(args)
  if (lists && known === undefined) return unknown
  if (lists && known && lists(known)) return reads
  // Not one of git's own that we know: perhaps an alias, which may be anything.
  return changing.has(name) ? writes : unknown
}
