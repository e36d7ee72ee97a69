import { mayBeOption, mayBeSeveral, type Word } from "../parse/words.js"
import { mayBeFile, pathsIn, readings, WHOLE } from "./git-objects.js"
import { type Judgement, type Program, type ReadPath, reads, texts, unknown, writes } from "./judgement.js"

const names = (list: string) => new Set(list.trim().split(/\s+/))

const changing = names(`
  add am apply branch checkout cherry-pick clean clone commit commit-tree config fetch filter-branch format-patch gc
  hash-object init merge mktag mktree mv notes prune pull push read-tree rebase reflog remote repack replace reset
  restore revert rm sparse-checkout stash submodule switch symbolic-ref tag update-index update-ref worktree
  write-tree`)

/** These show or copy what is in files, with whatever options. */
const telling = names(`
  annotate archive blame bundle cat-file diff diff-files diff-index diff-tree difftool fast-export format-patch grep
  log range-diff show whatchanged`)

/** Options of `log` and `diff` that select, count and format. None runs a program, none writes. */
const showing =
  /^(-\d+|-[nUlSGLMCBO]?\d*%?|-[pusrtzRabwciqEFPm0ghvx]|-[nULSGMC].+|-(cc|dd)|--|--(oneline|graph|all|stat|shortstat|numstat|dirstat|summary|name-only|name-status|cached|staged|merge-base|patch|no-patch|patch-with-stat|raw|check|color|no-color|word-diff|color-words|decorate|no-decorate|reverse|first-parent|merges|no-merges|follow|branches|tags|remotes|date-order|topo-order|author-date-order|abbrev-commit|no-abbrev-commit|ignore-all-space|ignore-space-change|ignore-space-at-eol|ignore-blank-lines|ignore-cr-at-eol|minimal|patience|histogram|find-renames|find-copies|find-copies-harder|no-renames|full-index|binary|no-ext-diff|no-textconv|text|exit-code|quiet|relative|no-relative|no-prefix|function-context|pickaxe-all|pickaxe-regex|boundary|left-right|cherry-pick|cherry-mark|cherry|left-only|right-only|parents|children|full-history|dense|sparse|simplify-merges|simplify-by-decoration|ancestry-path|regexp-ignore-case|extended-regexp|fixed-strings|perl-regexp|all-match|invert-grep|walk-reflogs|no-notes|source|use-mailmap|no-mailmap|relative-date|numbered|email|count|no-walk|combined-all-paths|compact-summary|ita-invisible-in-index|no-index|not|stdin|objects|root|show-pulls|exclude-standard|porcelain|line-porcelain|show-email|show-name|show-number|incremental|score-debug|no-indent-heuristic|indent-heuristic|submodule=short)|--(max-count|skip|since|after|until|before|author|committer|grep|grep-reflog|format|pretty|date|stat|dirstat|diff-filter|unified|color|color-moved|word-diff|word-diff-regex|color-words|abbrev|decorate|decorate-refs|decorate-refs-exclude|branches|tags|remotes|glob|exclude|find-renames|find-copies|diff-algorithm|anchored|inter-hunk-context|min-parents|max-parents|relative|src-prefix|dst-prefix|diff-merges|ignore-submodules|since-as-filter|encoding|stat-width|stat-name-width|ws-error-highlight|max-depth|left-right)=.*)$/
const showingValued =
  /^(-n|-S|-G|-L|--max-count|--skip|--since|--after|--until|--before|--author|--committer|--grep|--date|--diff-filter|--unified|-U|--word-diff-regex|--color-words)$/

/** Options that show what is in files, or tell something of it. */
const patch =
  /^(-p|-u|-U|-c|-cc|-dd|-m|-S|-G|-L|--patch|--patch-with-stat|--unified|--cc|--dd|--raw|--word-diff|--color-words|--full-index|--function-context|--binary|--check|--diff-merges|-\w*p\w*)/
/** Options that tell of changes without showing them. */
const summary = /^--(stat|shortstat|numstat|name-only|name-status|summary|dirstat|no-patch|quiet)$|^-s$/

/** Lists options of git: those that stand alone or hold their value, those followed by it, those that name a file. */
interface Options {
  readonly flags: RegExp
  readonly valued?: RegExp
  /** Matches the option with its value, attached or in the next word: `-f FILE`, `--file=FILE`. */
  readonly files?: RegExp
}

interface Parsed {
  readonly options: readonly string[]
  readonly operands: readonly Word[]
  readonly files: readonly ReadPath[]
}

/** Sorts the arguments of git. Returns undefined where an option is not listed. */
function parseOptions(args: readonly Word[], spec: Options): Parsed | undefined {
  const options: string[] = []
  const operands: Word[] = []
  const files: ReadPath[] = []
  for (let at = 0; at < args.length; at++) {
    const word = args[at]
    if (word === undefined) break
    if (word.kind === "static" && word.text === "--") {
      operands.push(...args.slice(at + 1))
      break
    }
    if (word.kind !== "static" && mayBeOption(word)) return undefined
    if (word.kind !== "static" || !word.text.startsWith("-") || word.text === "-") operands.push(word)
    else if (spec.files?.test(word.text)) {
      const held = spec.files.exec(word.text)?.slice(1).find(Boolean)
      const path = held ? { ...word, text: held } : args[++at]
      if (path === undefined || mayBeSeveral(path)) return undefined
      files.push({ path })
      options.push(word.text)
    } else if (spec.valued?.test(word.text)) {
      const value = args[++at]
      if (value === undefined || mayBeSeveral(value)) return undefined
      options.push(word.text)
    } else if (spec.flags.test(word.text)) options.push(word.text)
    else return undefined
  }
  return { options, operands, files }
}

/** Shows changes or files: always, or only with an option. `files`: a file is shown whatever the options say. */
function shows(always: boolean, files = false): Program {
  return (args) => {
    if (args.some((word) => word.kind === "static" && /^--ou(t|$|=)/.test(word.text))) return writes
    const end = args.findIndex((word) => word.kind === "static" && word.text === "--")
    const parsed = parseOptions(args, { flags: showing, valued: showingValued })
    if (parsed === undefined) return unknown
    const { options, operands } = parsed
    const shown = options.some((option) => patch.test(option))
    const summed = options.some((option) => summary.test(option))
    return {
      effect: options.includes("--no-index") ? "unknown" : "read",
      reads: readings(operands, end < 0 ? [] : args.slice(end + 1), {
        objects: always,
        files,
        changes: options.includes("--stdin") || shown || (always && !summed),
        everything: options.includes("--stdin"),
      }),
    }
  }
}

/** Takes nothing but these options; operands are patterns, revisions or paths that are only named. */
function only(flags: RegExp, more: Omit<Options, "flags"> = {}): Program {
  return (args) => {
    const parsed = parseOptions(args, { flags, ...more })
    return parsed === undefined ? unknown : { effect: "read", reads: parsed.files }
  }
}

/** Makes a check that a subcommand only lists: all its options are known ones and its operands are only patterns. */
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
  /^(--(get|get-all|get-regexp|get-urlmatch|list|local|worktree|name-only|show-origin|show-scope|null|bool|int|path|includes|no-includes)|-l|-z|--type=.*)$/
const plainName = /^[\w./@{}~^-]*$/

/** Subcommands that list in some forms and change in others. */
const forms: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
  branch: listing(listOptions, selecting),
  tag: listing(listOptions, /^(-l|--(list|contains|no-contains|merged|no-merged|points-at)(=.*)?)$/),
  remote: (args) =>
    args.length === 0 ||
    /^(-v|--verbose)$/.test(args.join(" ")) ||
    (args[0] === "get-url" &&
      args.slice(1).every((text) => !text.startsWith("-") || /^--(all|push)$/.test(text))),
  config: (args) => {
    // Older versions take `get` and `list` for the name of a setting, which no value may follow.
    if (args[0] === "get" || args[0] === "list")
      return args
        .slice(1)
        .every(
          (text) =>
            !text.startsWith("-") || configOptions.test(text) || /^--(all|regexp|show-names)$/.test(text),
        )
    // After the first name nothing is an option any more: `git config user.name --get` sets it.
    const end = args.findIndex((text) => !text.startsWith("-"))
    const options = end < 0 ? args : args.slice(0, end)
    const known = options.every((text) => configOptions.test(text))
    return known && options.some((text) => /^--(get|list)|^-l$/.test(text))
  },
  stash: (args) =>
    args[0] === "list" &&
    args.slice(1).every((text) => /^(-\d+|-n\d+|--oneline|--stat|--(format|pretty|date)=.*)$/.test(text)),
  reflog: (args) =>
    args.every(
      (text, at) =>
        (at === 0 && text === "show") ||
        /^(-\d+|-n\d+|--oneline|--all|--(format|pretty|date)=.*|HEAD|[\w./@{}~^-]*[/@][\w./@{}~^-]*)$/.test(
          text,
        ),
    ),
  worktree: (args) =>
    args[0] === "list" && args.slice(1).every((text) => /^(-v|--verbose|--porcelain|-z)$/.test(text)),
  notes: (args) =>
    args.length === 0 ||
    (/^(list|show)$/.test(args[0] ?? "") &&
      args.slice(1).every((text) => !text.startsWith("-") && plainName.test(text))),
  "symbolic-ref": (args) =>
    args.every((text) => !text.startsWith("-") || /^(--short|-q|--quiet)$/.test(text)) &&
    args.filter((text) => !text.startsWith("-")).length === 1,
}

const readOnly: Readonly<Record<string, Program>> = {
  diff: shows(true),
  show: shows(true, true),
  log: shows(false),
  whatchanged: shows(false),
  shortlog: only(
    /^(-[nsec]+|--(numbered|summary|email|committer|all|no-merges)|--(since|until|author|group|format)=.*)$/,
  ),
  "diff-tree": shows(false),
  "diff-index": shows(false),
  "diff-files": shows(false),
  "rev-list": shows(false),
  cherry: only(/^(-v|--abbrev=\d+)$/),
  blame: blaming,
  annotate: blaming,
  status: only(
    /^(-[sbuz]+|-u(no|normal|all)|--(short|branch|porcelain|long|show-stash|ahead-behind|no-ahead-behind|ignored|no-renames|find-renames|null)|--(porcelain|untracked-files|ignored|column|ignore-submodules)=\w+)$/,
  ),
  "rev-parse": only(
    /^--(show-toplevel|show-prefix|show-cdup|show-superproject-working-tree|git-dir|absolute-git-dir|git-common-dir|git-path|is-inside-work-tree|is-inside-git-dir|is-bare-repository|is-shallow-repository|abbrev-ref|short|verify|symbolic|symbolic-full-name|all|branches|tags|remotes|quiet|show-object-format|abbrev-ref=\w+|short=\d+)$|^-q$/,
  ),
  "ls-files": only(
    /^(-[cdmoiskutvfz]+|-x.+|--(cached|deleted|modified|others|ignored|stage|killed|unmerged|directory|no-empty-directory|exclude-standard|full-name|error-unmatch|eol|deduplicate|abbrev)|--(exclude|exclude-per-directory|abbrev|format)=.*)$/,
    { valued: /^-x$|^--exclude$/, files: /^-X(.*)$|^--exclude-from=?(.*)$/s },
  ),
  "ls-tree": only(
    /^(-[drtlz]+|--(name-only|name-status|full-name|full-tree|long|object-only)|--(abbrev|format)=.*)$/,
  ),
  // Not `--dirty` and `--broken`: they write what they learned about the files into the index.
  describe: only(
    /^--(all|tags|contains|long|always|exact-match|first-parent|debug|abbrev=\d+|candidates=\d+|match=.*|exclude=.*)$/,
  ),
  "merge-base": only(/^(-a|--(all|octopus|independent|is-ancestor|fork-point))$/),
  "name-rev": only(/^--(tags|all|name-only|always|refs=.*)$/),
  "for-each-ref": only(
    /^--(count|sort|format|points-at|merged|no-merged|contains|no-contains|color|ignore-case)(=.*)?$/,
  ),
  "show-ref": only(/^(-[hdsq]+|--(head|heads|branches|tags|dereference|hash|verify|quiet|abbrev)(=\d+)?)$/),
  "count-objects": only(/^(-[vH]+|--verbose|--human-readable)$/),
  "check-ignore": only(/^(-[qvnz]+|--(quiet|verbose|non-matching|no-index))$/),
  "check-attr": only(/^(-[az]+|--(all|cached))$/),
  "cat-file": (args) => {
    const known = texts(args)
    const [mode, object, ...more] = known ?? []
    if (
      mode === undefined ||
      !/^(-[tsep]|blob|tree|commit|tag)$/.test(mode) ||
      more.length > 0 ||
      object?.startsWith("-")
    )
      return unknown
    const [, word] = args
    if (word === undefined || !/^(-p|blob)$/.test(mode)) return reads
    return { effect: "read", reads: [...pathsIn(word), ...(mayBeFile(word) ? [WHOLE] : [])] }
  },
  grep: (args) => {
    const parsed = parseOptions(args, {
      flags:
        /^(-[aiIlLnwvhHEGFPqco]+|-[ABCm]?\d+|-e\S+|--(ignore-case|name-only|files-with-matches|files-without-match|count|line-number|column|word-regexp|invert-match|heading|break|show-function|function-context|cached|untracked|no-index|extended-regexp|fixed-strings|perl-regexp|basic-regexp|no-color|and|or|not|all-match|max-depth=\d+|color=\w+|full-name|only-matching|quiet))$/,
      valued: /^(-[ABCem]|--max-depth)$/,
      files: /^-f(.*)$/s,
    })
    return parsed === undefined
      ? unknown
      : {
          effect: "read",
          reads: [WHOLE, ...parsed.files, ...parsed.operands.map((path) => ({ path, below: true }))],
        }
  },
  version: only(/^--build-options$/),
}

function blaming(args: readonly Word[]): Judgement {
  if (args.some((word) => word.kind === "static" && /^--ou/.test(word.text))) return writes
  const parsed = parseOptions(args, {
    flags:
      /^(-[wsectlnfbp]+|-[MC]\d*|-L\S+|--(root|show-stats|show-name|show-number|show-email|porcelain|line-porcelain|incremental|abbrev=\d+|since=.*|date=.*|color-lines|color-by-age))$/,
    valued: /^-L$|^--since$|^--date$/,
    files: /^-S(.*)$|^--(?:contents|ignore-revs-file)=?(.*)$/s,
  })
  if (parsed === undefined) return unknown
  return { effect: "read", reads: [...parsed.files, ...parsed.operands.map((path) => ({ path }))] }
}

/** Where the subcommand of git stands, and the folders that `-C` names. */
export interface GitCall {
  readonly folders: readonly Word[]
  /**
   * True if an option before the subcommand lets something else decide what git does: `-c alias.x='!rm'`, `--git-dir`.
   */
  readonly strange: boolean
  readonly rest: readonly Word[]
}

/** Limits the folders of `-C` that are followed, each from the one before. */
const mostFolders = 8

/** Reads a call of git. Undefined where it cannot be told which word is the subcommand. */
export function gitCall(args: readonly Word[]): GitCall | undefined {
  const folders: Word[] = []
  let strange = false
  for (let at = 0; at < args.length; at++) {
    const word = args[at]
    if (word?.kind !== "static") return { folders, strange: true, rest: args.slice(at) }
    if (word.text === "-C") {
      const folder = args[++at]
      if (folder === undefined || (folder.kind === "dynamic" && folder.splits)) return undefined
      folders.push(folder)
      strange ||= folders.length > mostFolders
    } else if (
      /^(-c|--git-dir|--work-tree|--namespace|--config-env|--super-prefix|--attr-source|--exec-path)$/.test(
        word.text,
      )
    ) {
      at++
      strange = true
    } else if (
      /^(-P|--no-pager|--no-optional-locks|--literal-pathspecs|--no-replace-objects)$/.test(word.text)
    )
      continue
    else if (word.text.startsWith("-") && word.text !== "--version") strange = true
    else return { folders, strange, rest: args.slice(at) }
  }
  return { folders, strange, rest: [] }
}

export function git(args: readonly Word[], checkOptions = true): Judgement {
  const call = gitCall(args)
  const [word, ...rest] = call?.rest ?? []
  if (call === undefined || call.strange) return unknown
  if (word === undefined) return args.length === 0 ? reads : unknown
  if (word.kind !== "static") return unknown
  if (word.text === "--version") return rest.length === 0 ? reads : unknown
  const judgement = withReads(subcommand(word.text, rest, checkOptions), word.text, rest)
  if (call.folders.some((folder) => folder.kind !== "static")) return unknown
  return { ...judgement, within: call.folders, repository: true }
}

/**
 * Adds any file to the reads of a command that shows files, where something of it is not understood: it may show any of
 * them.
 */
function withReads(judgement: Judgement, name: string, [first]: readonly Word[]): Judgement {
  const isStash = name === "stash" && first?.kind === "static" && first.text === "show"
  const isOpen = judgement.effect !== "read" && judgement.reads === undefined
  return isOpen && (isStash || telling.has(name)) ? { ...judgement, reads: [WHOLE] } : judgement
}

/** True if the name is a known one of git's own, and therefore not an alias. */
export function isSubcommand(name: string): boolean {
  return changing.has(name) || Object.hasOwn(readOnly, name) || Object.hasOwn(forms, name)
}

function subcommand(name: string, args: readonly Word[], checkOptions: boolean): Judgement {
  const program = Object.hasOwn(readOnly, name) ? readOnly[name] : undefined
  const lists = Object.hasOwn(forms, name) ? forms[name] : undefined
  if (!checkOptions && (program || (lists && /^(stash|reflog|worktree)$/.test(name)))) return reads
  if (program) return program(args)
  const known = texts(args)
  if (lists && known === undefined) return unknown
  if (lists && known && lists(known)) return reads
  // Not one of git's own that we know: perhaps an alias, which may be anything.
  return changing.has(name) ? writes : unknown
}
