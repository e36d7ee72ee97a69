import { type Judgement, type Program, reads, texts, unknown, writes } from "./judgement.js"
import { type Options, program } from "./options.js"
import { awk, sed } from "./scripts.js"
import type { Word } from "./words.js"

const names = (list: string) => list.trim().split(/\s+/)

/** Programs that no argument makes read a file, write or run anything. */
const pure = names(`
  : arch basename cal dirname echo expr false free groups id locale logname lsblk lscpu nproc numfmt pgrep printenv
  pwd seq sleep tr true tty type uname whereis which whoami break continue dirs exit return shift
  times`)

/** Programs that no argument makes write or run anything: their operands are files that they read. */
const plain = names(`
  b2sum base32 base64 cat cksum cmp column comm cut df expand fmt fold head join ls md5sum nl od paste
  readlink realpath rev sha1sum sha224sum sha256sum sha384sum sha512sum stat sum tac tail tsort unexpand uptime users who`)

/** Values of options count as files too: a name too many is harmless. */
const files: Program = program({ flags: /^-/, lenient: true })

/** Long options of grep that stand alone. Abbreviations are not listed, so they are unknown. */
const GREP_ALONE =
  "extended-regexp|fixed-strings|basic-regexp|perl-regexp|ignore-case|no-ignore-case|word-regexp|line-regexp|null-data|no-messages|invert-match|version|help|byte-offset|line-number|line-buffered|with-filename|no-filename|only-matching|quiet|silent|text|recursive|dereference-recursive|files-without-match|files-with-matches|count|initial-tab|null|color|colour|binary"
const GREP_VALUED =
  "regexp|max-count|after-context|before-context|context|include|exclude|exclude-dir|binary-files|color|colour|label"

const searching: Options = {
  flags: new RegExp(
    `^-[EFGPaHhiIlLnoqsUvwxycbZzTrR]*(?:[ABCm]?\\d+|e.+|f.+)?$|^--(?:${GREP_ALONE})$|^--(?:${GREP_VALUED}|file|exclude-from)=`,
    "s",
  ),
  valued: new RegExp(`^-[EFGPaHhiIlLnoqsUvwxycbZzTrR]*[efmABC]$|^--(?:${GREP_VALUED}|file|exclude-from)$`),
  files: /^-[A-Za-z]*f$|^--(file|exclude-from)$/,
  before: 1,
  instead: /^-[EFGPaHhiIlLnoqsUvwxycbZzTrR]*[ef]|^--(regexp|file)(=|$)/,
  below: /^-[EFGPaHhiIlLnoqsUvwxycbZzT]*[rR]|^--(dereference-)?recursive$/,
  follows: /^-[EFGPaHhiIlLnoqsUvwxycbZzTr]*R|^--dereference-recursive$/,
  otherwise: ".",
  lenient: true,
}
const grep = program(searching)

const rg = program({
  flags:
    /^-[acFHhiIlLnNoPpqsSUvwxu.0]+$|^-[ABCmjMTtg]\S+$|^-e\S+|^--(files|files-with-matches|files-without-match|count|count-matches|ignore-case|smart-case|case-sensitive|line-number|no-line-number|no-heading|heading|hidden|no-ignore|no-ignore-vcs|no-messages|word-regexp|line-regexp|fixed-strings|invert-match|only-matching|json|vimgrep|multiline|multiline-dotall|pcre2|text|trim|type-list|stats|no-filename|with-filename|null|follow|column|pretty|quiet|sort-files|unrestricted|no-config|passthru|crlf|byte-offset|debug|version)$|^--(glob|iglob|type|type-not|max-count|max-depth|max-columns|max-filesize|context|after-context|before-context|color|colors|sort|sortr|regexp|threads|encoding|engine|replace)=/,
  valued:
    /^-[aFHhiIlLnNoPpqsSUvwxu]*[efgtTmABCMEjrd]$|^--(glob|iglob|type|type-not|max-count|max-depth|max-columns|max-filesize|context|after-context|before-context|color|colors|sort|sortr|regexp|threads|encoding|engine|replace|file|ignore-file)$/,
  files: /^-[a-zA-Z]*f$|^--(file|ignore-file)$/,
  before: 1,
  instead: /^-[a-zA-Z]*[ef]$|^-e|^--(regexp|file|files|type-list)(=|$)/,
  below: true,
  follows: /^-[a-zA-Z.0]*L|^--follow$/,
  otherwise: ".",
})

const fd = program({
  flags:
    /^-[HIusiFalLp0g1q]+$|^-[tedEjc]\S+$|^--(hidden|no-ignore|unrestricted|case-sensitive|ignore-case|glob|regex|fixed-strings|absolute-path|list-details|follow|full-path|print0|quiet|version)$|^--(type|extension|exclude|max-depth|min-depth|max-results|size|changed-within|changed-before|color|owner|threads)=/,
  valued:
    /^-[tedEjcSo]$|^--(type|extension|exclude|max-depth|min-depth|max-results|size|changed-within|changed-before|color|owner)$/,
  before: 1,
  otherwise: ".",
})

const findWord =
  /^-(a|o|and|or|not|true|false|follow|depth|mount|xdev|daystart|noleaf|warn|nowarn|ignore_readdir_race|noignore_readdir_race|empty|executable|readable|writable|nogroup|nouser|print|print0|ls|prune|quit|d|version)$|^-O\d$|^-[HLP]$/
const findValued =
  /^-(maxdepth|mindepth|regextype|amin|anewer|atime|cmin|cnewer|ctime|fstype|gid|group|ilname|iname|inum|ipath|iregex|iwholename|links|lname|mmin|mtime|name|newer|newer[aBcmt][aBcmt]|path|perm|regex|samefile|size|type|uid|used|user|wholename|xtype|printf)$/

function find(args: readonly Word[]): Judgement {
  if (
    args.some(
      (word) =>
        word.kind === "static" &&
        /^-(exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)$/.test(word.text),
    )
  )
    return writes
  const paths: Word[] = []
  let tests = false
  for (let at = 0; at < args.length; at++) {
    const word = args[at]
    if (word?.kind !== "static") {
      // A name that the shell completes stands for whatever is there, an action too.
      if (
        word === undefined ||
        tests ||
        word.kind === "dynamic" ||
        word.prefix === "" ||
        /^[-(!,]/.test(word.prefix)
      )
        return unknown
      paths.push(word)
    } else if (findValued.test(word.text)) {
      tests = true
      const value = args[++at]
      if (value === undefined || value.kind !== "static") return unknown
    } else if (findWord.test(word.text) || /^[(!),]$/.test(word.text)) tests ||= !/^-[HLPO]/.test(word.text)
    else if (word.text.startsWith("-") || tests) return unknown
    else paths.push(word)
  }
  return { effect: "read", reads: (paths.length > 0 ? paths : [here]).map((path) => ({ path })) }
}

const here: Word = { kind: "static", text: ".", source: "." }

const uniq = program({
  flags:
    /^-[cdDuiz]+$|^-[fsw]\d+$|^--(count|repeated|unique|ignore-case|zero-terminated|all-repeated)$|^--(skip-fields|skip-chars|check-chars)=\d+$/,
  valued: /^-[cdDuiz]*[fsw]$/,
  most: 1,
})

const xxd: Program = (args) => {
  const known = texts(args)
  if (known === undefined) return unknown
  const operands: Word[] = []
  for (let at = 0; at < known.length; at++) {
    const text = known[at] ?? ""
    // After the first file nothing is an option any more: `xxd a -p` writes to `-p`.
    if (operands.length > 0) return writes
    if (/^-[lscgo]$/.test(text)) {
      if (!/^\+?-?(0x[\da-f]+|\d+)$/.test(known[++at] ?? "")) return unknown
    } else if (/^-(p|ps|plain|b|u|i|e|E|a|c\d+|l\d+|g\d+|s\d+)$/.test(text)) continue
    else if (text.startsWith("-")) return unknown
    else operands.push({ kind: "static", text, source: text })
  }
  return { effect: "read", reads: operands.map((path) => ({ path })) }
}

const jq: Program = (args) => {
  const judgement = program({
    flags:
      /^-[nrjasScCMe]+$|^--(null-input|raw-output|join-output|ascii-output|slurp|sort-keys|compact-output|color-output|monochrome-output|exit-status|tab|raw-input|version|args|jsonargs|seq|stream)$|^--indent=\d$|^-R+[nrjasScCMe]*$|^-[nrjasScCMeR]+$/,
    valued: /^--(indent)$/,
    before: 1,
  })(args)
  // `import` and `include` read other files, `--arg` takes two words, `-f` a file.
  return args.some((word) => word.kind === "static" && /\b(import|include)\b/.test(word.text))
    ? unknown
    : judgement
}

const sort = program({
  flags:
    /^-[bdfghiMnRruVzcCms]+$|^-[bdfghiMnRruVzcCms]*[kt]\S+$|^--(ignore-leading-blanks|dictionary-order|ignore-case|general-numeric-sort|human-numeric-sort|numeric-sort|reverse|random-sort|unique|version-sort|zero-terminated|check|merge|stable|month-sort|version)$|^--(key|field-separator|sort|parallel)=/,
  valued: /^-[bdfghiMnRruVzcCms]*[kt]$|^--(key|field-separator)$/,
  writing: /^-[^-]*o|^--o|^--co/,
})

const date: Program = (args) => {
  const known = program({
    flags:
      /^-[uR]+$|^-I(date|hours|minutes|seconds|ns)?$|^--(utc|universal|rfc-email|iso-8601|version)$|^--(date|iso-8601|rfc-3339)=/,
    valued: /^-u?[dr]$|^--(date|reference)$/,
    files: /^-u?r$|^--reference$/,
    writing: /^-(?![Idrf])[^-]*s|^--s|^\d+(\.\d+)?$/,
    noFiles: true,
  })(args)
  const operands = args.filter((word, at) => {
    const option = args[at - 1]
    const isValue = option?.kind === "static" && /^-u?[dr]$|^--(date|reference)$/.test(option.text)
    return !isValue && (word.kind !== "static" || !word.text.startsWith("-"))
  })
  const formats = operands.every((word) => (word.kind === "static" ? word.text : word.prefix).startsWith("+"))
  return known.effect === "read" && !formats ? unknown : known
}

const ps: Program = (args) => {
  const known = texts(args)
  // A bare `e` shows the variables of every process.
  if (known === undefined) return unknown
  for (let at = 0; at < known.length; at++) {
    const text = known[at] ?? ""
    if (/^-[pCu]$/.test(text)) {
      at += 1
      if (!/^[\w,.+]+$/.test(known[at] ?? "")) return unknown
    } else if (!/^-[efAaxljwTH]+$|^[auxlfwj]+$|^--(forest|no-headers)$/.test(text)) return unknown
  }
  // There is no `-x`: ps then reads all options as if they had no dash, and `-e` shows variables too.
  const has = (letter: string) => known.some((text) => /^-[^-]/.test(text) && text.includes(letter))
  return has("x") && has("e") ? unknown : reads
}

/** `-v` and `%n` assign a variable of any name. */
const printf: Program = (args) => {
  const [format] = args[0]?.kind === "static" && args[0].text === "--" ? args.slice(1) : args
  if (format === undefined) return reads
  if (format.kind !== "static" || format.text.startsWith("-")) return unknown
  return /%[^a-zA-Z%]*[hlLjztq]*n/.test(format.text.replaceAll("%%", "")) ? unknown : reads
}

/** Archives are listed by a first argument that says so; nothing after it may be an option. */
function lists(mode: RegExp, rest: RegExp, otherwise: (mode: string) => Judgement): Program {
  return (args) => {
    const [first, ...more] = texts(args) ?? []
    if (first === undefined) return unknown
    if (!mode.test(first)) return otherwise(first)
    return more.every((text) => !/^-|:/.test(text) || rest.test(text))
      ? { effect: "read", reads: args.slice(1).map((path) => ({ path })) }
      : unknown
  }
}

const special: Readonly<Record<string, Program>> = {
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  sed,
  gsed: sed,
  find,
  fd,
  fdfind: fd,
  grep,
  egrep: grep,
  fgrep: grep,
  rg,
  jq,
  date,
  ps,
  printf,
  sort,
  uniq,
  xxd,
  diff: program({
    flags:
      /^-[acbBdeEinNpqrstTuwyZ]+$|^-[UCW]\d+$|^--(brief|unified|context|side-by-side|recursive|ignore-case|ignore-all-space|ignore-blank-lines|ignore-space-change|ignore-trailing-space|minimal|new-file|report-identical-files|suppress-common-lines|text|version|color|strip-trailing-cr|no-dereference|width)(=\w+)?$|^--(exclude|unified|context)=/,
    valued: /^-[UCWxI]$|^--(exclude)$/,
    // Of two folders it compares what is in them, with and without an option.
    below: true,
    follows: true,
  }),
  du: program({
    flags:
      /^-[0abcDhHklLmPsSx]+$|^-[dBt]\S+$|^--(all|apparent-size|bytes|total|dereference|dereference-args|human-readable|inodes|si|one-file-system|separate-dirs|summarize|time|null|version)$|^--(max-depth|block-size|threshold|exclude|time|time-style)=/,
    valued: /^-[0abcDhHklLmPsSx]*[dBt]$|^--(max-depth|exclude|block-size|threshold)$/,
    lenient: true,
  }),
  hexdump: program({
    flags: /^-[bcCdovx]+$|^-[bcCdovx]*[ns]\d\w*$|^--(canonical|no-squeezing|version)$/,
    valued: /^-[bcCdovx]*[nse]$/,
    lenient: true,
  }),
  // `@FILE` stands for the options in a file.
  strings: (args) =>
    args.some((word) => (word.kind === "static" ? word.text : word.prefix).startsWith("@"))
      ? unknown
      : files(args),
  wc: program({
    flags: /^-[cmlLw]+$|^--(bytes|chars|lines|words|max-line-length|version|total=\w+)$/,
    lenient: true,
  }),
  file: program({
    flags: /^-[bihLks]+$|^--(brief|mime|mime-type|mime-encoding|dereference|no-dereference|version)$/,
  }),
  hostname: program({ flags: /^-s$|^--short$/, most: 0, noFiles: true }),
  tree: program({
    flags:
      /^-[adfgihplsuDFJSACnNQtvrUcq]+$|^-L\d+$|^--(dirsfirst|noreport|gitignore|prune|du|filelimit=\d+|version|inodes|si|nolinks|sort=\w+)$/,
    valued: /^-[LIP]$/,
    writing: /^-[^-]*[oR]|^--ou/,
  }),
  zcat: program({ flags: /^$/ }),
  tar: lists(/^-?t[tvfzjJ]*$|^--list$/, /^-[tvfzjJ]+$/, (mode) =>
    /^-?[a-z]*[xcruA]/.test(mode) ? writes : unknown,
  ),
  unzip: lists(/^-(l|v|lv|Z|Z1|Z2)$/, /^$/, (mode) => (/^-[lvtzZ]/.test(mode) ? unknown : writes)),
  getconf: program({ flags: /^-a$/, noFiles: true }),
}

/** How programs are asked for their version. Nothing that takes a program's place from the folder it runs in. */
const versions: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    names(`
      python python2 python3 perl ruby gcc g++ clang clang++ cc c++ make cmake ninja docker podman bash tar curl wget
      sed gawk find rg fd jq gh uv bwrap deno bun git javac tsc php`).map((name) => [name, /^--version$/]),
  ),
  node: /^(--version|-v)$/,
  npm: /^(--version|-v)$/,
  java: /^--?version$/,
  python: /^(--version|-V)$/,
  python3: /^(--version|-V)$/,
}

export function reader(name: string): Program | undefined {
  const version = Object.hasOwn(versions, name) ? versions[name] : undefined
  const own = readerOf(name)
  if (version === undefined) return own
  return (args) => {
    const [only, ...more] = texts(args) ?? []
    return only !== undefined && more.length === 0 && version.test(only) ? reads : (own?.(args) ?? unknown)
  }
}

function readerOf(name: string): Program | undefined {
  if (Object.hasOwn(special, name)) return special[name]
  if (pure.includes(name)) return () => reads
  if (!plain.includes(name)) return undefined
  return files
}
