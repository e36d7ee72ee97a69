import type { Word } from "../parse/words.js"
import { type Judgement, type Program, type ReadPath, reads, texts, unknown, writes } from "./judgement.js"
import { parseOptions, program, table } from "./options.js"
import { awk, sed } from "./scripts.js"
import { tables } from "./tables.js"

const names = (list: string) => list.trim().split(/\s+/)

const grep = program(
  `-EFGPaHhiIlLnoqsUvwxycbZzTrR -# -emABC: -f< -- extended-regexp fixed-strings basic-regexp perl-regexp ignore-case
  no-ignore-case word-regexp line-regexp null-data no-messages invert-match byte-offset line-number line-buffered
  with-filename no-filename only-matching quiet silent text recursive dereference-recursive files-without-match
  files-with-matches count initial-tab null color? colour? binary regexp: max-count: after-context: before-context:
  context: include: exclude: exclude-dir: binary-files: label: group-separator: no-group-separator file< exclude-from<`,
  {
    before: 1,
    instead: "-e -f --regexp --file",
    below: "-r -R --recursive --dereference-recursive",
    follows: "-R --dereference-recursive",
    otherwise: ".",
  },
)

const rg = program(
  `-#acFHhiIlLnNoPpqsSUvwxu.0 -egtTmABCMEjrd: -f< -z! -- after-context: auto-hybrid-regex before-context: binary block-buffered
  byte-offset case-sensitive color: colors: column context: context-separator: count count-matches crlf debug dfa-size-limit:
  encoding: engine: field-context-separator: field-match-separator: file< files files-with-matches files-without-match
  fixed-strings follow glob: glob-case-insensitive heading hidden hostname-bin! iglob: ignore-case ignore-file< include-zero
  invert-match json line-buffered line-number line-regexp max-columns: max-columns-preview max-count: max-depth: max-filesize:
  mmap multiline multiline-dotall no-binary no-column no-config no-context-separator no-filename no-follow no-heading
  no-hidden no-ignore no-ignore-dot no-ignore-exclude no-ignore-files no-ignore-global no-ignore-messages no-ignore-parent
  no-ignore-vcs no-line-number no-messages no-mmap no-require-git no-unicode null null-data one-file-system only-matching
  passthru passthrough path-separator: pcre2 pre! pre-glob: pretty quiet regexp: regex-size-limit: replace: search-zip!
  smart-case sort: sort-files sortr: stats stop-on-nonmatch text threads: trace trim type: type-add: type-clear: type-list
  type-not: unrestricted vimgrep with-filename word-regexp`,
  {
    before: 1,
    instead: "-e -f --regexp --file --files --type-list",
    below: true,
    follows: "-L --follow",
    otherwise: ".",
  },
)

const fd = program(
  `-HIusiFalLp0g1q -tedEjcSo: -xXC! -- hidden no-ignore no-ignore-vcs no-ignore-parent no-require-git unrestricted
  case-sensitive ignore-case glob regex fixed-strings absolute-path list-details follow full-path print0 quiet prune
  one-file-system show-errors type: extension: exclude: max-depth: min-depth: exact-depth: max-results: size:
  changed-within: changed-before: color: owner: threads: path-separator: strip-cwd-prefix? ignore-file< search-path<
  base-directory! exec! exec-batch!`,
  { before: 1, follows: "-L --follow", otherwise: "." },
)

const findAlone = new Set(
  names(`-a -o -and -or -not -true -false -follow -depth -mount -xdev -daystart -noleaf -warn -nowarn
  -ignore_readdir_race -noignore_readdir_race -empty -executable -readable -writable -nogroup -nouser -print -print0 -ls
  -prune -quit -d -version -O0 -O1 -O2 -O3 -H -L -P ( ) ! ,`),
)
const findValued = new Set(
  names(`-maxdepth -mindepth -regextype -amin -atime -cmin -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex
  -iwholename -links -lname -mmin -mtime -name -path -perm -regex -size -type -uid -used -user -wholename -xtype -printf`),
)
/** Matches tests that look at another file. `-newermt` and the like take a time. */
const findFile = /^-([ac]?newer|newer[aBcm][aBcm]|samefile)$/
const findTime = /^-newer[aBcm]t$/
const findWriting = /^-(exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)$/

function find(args: readonly Word[]): Judgement {
  if (args.some((word) => word.kind === "static" && findWriting.test(word.text))) return writes
  const paths: Word[] = []
  const looked: ReadPath[] = []
  let tests = false
  let follows = false
  for (let at = 0; at < args.length; at++) {
    const word = args[at]
    if (word?.kind !== "static") {
      // A name that the shell completes stands for whatever is there, an action too.
      if (word?.kind !== "pattern" || tests || word.prefix === "" || /^[-(!,]/.test(word.prefix))
        return unknown
      paths.push(word)
      continue
    }
    const { text } = word
    const isFile = findFile.test(text)
    follows ||= /^-(L|follow)$/.test(text)
    if (isFile || findTime.test(text) || findValued.has(text)) {
      tests = true
      const value = args[++at]
      if (value?.kind !== "static") return unknown
      if (isFile) looked.push({ path: value })
    } else if (findAlone.has(text)) tests ||= !/^-[HLPO]/.test(text)
    else if (text.startsWith("-") || tests) return unknown
    else paths.push(word)
  }
  const places = paths.length > 0 ? paths : [here]
  return {
    effect: "read",
    reads: [...places.map((path) => ({ path, ...(follows && { follows }) })), ...looked],
  }
}

const here: Word = { kind: "static", text: ".", source: "." }

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

const jqProgram = program(
  `-nrjasScCMeRhV -L< -f! -- null-input raw-output raw-output0 join-output ascii-output slurp sort-keys compact-output
  color-output monochrome-output exit-status tab raw-input args jsonargs seq stream stream-errors unbuffered indent:
  arg:: argjson:: slurpfile:< rawfile:< argfile:< from-file! library-path<`,
  { before: 1 },
)

/** Refuses programs that name modules: `import` and `include` read other files. */
const jq: Program = (args) => {
  const isHarmless = (word: Word) =>
    word.kind === "dynamic"
      ? word.stands !== undefined || /^[./]/.test(word.prefix)
      : !/\b(import|include|modulemeta)\b/.test(word.text)
  return args.every(isHarmless) ? jqProgram(args) : unknown
}

const dateTable = table(
  `-uRjn -d: -I? -rf< -s> -- utc universal rfc-email rfc-2822 iso-8601? debug resolution date: rfc-3339: reference< file< set>`,
)

/** Refuses other operands than a format: they set the clock. */
const date: Program = (args) => {
  const { operands, files, effect } = parseOptions(args, dateTable)
  const formats = operands.every((word) => (word.kind === "static" ? word.text : word.prefix).startsWith("+"))
  if (effect !== "read") return { effect }
  return formats ? { effect, reads: files } : unknown
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

const programs: Readonly<Record<string, Program>> = {
  ...Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, program(table)])),
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
  xxd,
  uniq: program(
    `-cdDuiz -fsw: -- count repeated unique ignore-case zero-terminated all-repeated? group? skip-fields: skip-chars:
    check-chars:`,
    { most: 1 },
  ),
  // Of two folders it compares what is in them, with and without an option.
  diff: program(
    `-acbBdeEinNpqrstTuwyZf -# -UCWxIFDSL: -X< -l! -- brief unified? context? ed normal rcs side-by-side recursive
    ignore-case ignore-all-space ignore-blank-lines ignore-space-change ignore-tab-expansion ignore-trailing-space
    ignore-matching-lines: minimal new-file unidirectional-new-file report-identical-files suppress-common-lines
    left-column text color? palette: strip-trailing-cr no-dereference width: exclude: exclude-from< from-file< to-file<
    show-c-function show-function-line: label: expand-tabs initial-tab tabsize: speed-large-files starting-file:
    horizon-lines: no-ignore-file-name-case ignore-file-name-case paginate!`,
    { below: true, follows: true },
  ),
  du: program(tables.du ?? "", { follows: "-L --dereference" }),
  file: program(
    `-bihILkENnprvd0 -FeP: -m< -C> -zZfsS! -- brief mime mime-type mime-encoding dereference no-dereference keep-going
    extension apple raw no-buffer no-pad print0 preserve-date separator: exclude: parameter: magic-file< compile>
    files-from! uncompress! special-files!`,
  ),
  tree: program(
    `-adfgihplsuDFJSACnNQtvrUcqxX -LIP: -oR> -- dirsfirst filesfirst noreport gitignore prune du filelimit: inodes si
    nolinks sort: matchdirs ignore-case device timefmt: metafirst charset: output> fromfile! fromtabfile! gitfile!
    infofile! info!`,
    { follows: "-l" },
  ),
  tar: lists(/^-?t[tvfzjJ]*$|^--list$/, /^-[tvfzjJ]+$/, (mode) =>
    /^-?[a-z]*[xcruA]/.test(mode) ? writes : unknown,
  ),
  unzip: lists(/^-(l|v|lv|Z|Z1|Z2)$/, /^$/, (mode) => (/^-[lvtzZ]/.test(mode) ? unknown : writes)),
  getconf: program("-a -v:", { before: 1 }),
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
  const own = Object.hasOwn(programs, name) ? programs[name] : undefined
  if (version === undefined) return own
  return (args) => {
    const [only, ...more] = texts(args) ?? []
    return only !== undefined && more.length === 0 && version.test(only) ? reads : (own?.(args) ?? unknown)
  }
}
