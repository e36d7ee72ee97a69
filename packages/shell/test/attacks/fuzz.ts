// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are shell's

import { BENIGN } from "./benign.js"
import { ATTACKS } from "./families.js"
import { PAYLOAD } from "./scratch.js"

export type Random = (below: number) => number

/** The same numbers for the same seed. */
export function randomFrom(seed: number): Random {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

const pick = <T>(random: Random, list: readonly T[]): T => list[random(list.length)] as T

/** Grammars of families: each makes a script that may do something else than it seems to. */
export const GRAMMARS: Readonly<Record<string, (random: Random) => string>> = {
  "here-documents": (random) => {
    const letters = () => pick(random, ["E", "O", "EO", "EOF", "X"])
    const quoted = (text: string) => pick(random, [text, `'${text}'`, `"${text}"`, `\\${text}`, `$'${text}'`])
    const parts = Array.from({ length: 1 + random(2) }, letters)
    const written = parts.map(quoted).join("")
    const ends = [
      parts.join(""),
      written,
      parts[0] ?? "",
      `${parts.join("")};${PAYLOAD}`,
      "x",
      PAYLOAD,
      `$(${PAYLOAD})`,
      `\`${PAYLOAD}\``,
    ]
    const body = Array.from({ length: 2 + random(4) }, () => pick(random, ends))
    const tail = pick(random, ["", "", "", `;${PAYLOAD}`, `|${PAYLOAD}`, ` ; ${PAYLOAD}`, ` | cat`, " #'"])
    return `cat <<${pick(random, ["", "", "-"])}${written}${tail}\n${body.join("\n")}\n${pick(random, [parts.join(""), written])}\n`
  },
  variables: (random) => {
    const name = pick(random, [
      "RANDOM",
      "SECONDS",
      "SRANDOM",
      "HISTCMD",
      "OPTIND",
      "BASHPID",
      "x",
      "y",
      "LINENO",
      "EPOCHSECONDS",
    ])
    const value = pick(random, [`'a[$(${PAYLOAD})]'`, `"a[\\$(${PAYLOAD})]"`, "1", `'$(${PAYLOAD})'`])
    return pick(random, [
      `${name}=${value}`,
      `${name}+=${value}`,
      `for ${name} in ${value}; do echo x; done`,
      `read ${name} <<< ${value}`,
      `${name}=${value}; echo $${name}`,
    ])
  },
  expressions: (random) => {
    const value = `'a[$(${PAYLOAD})]'`
    const use = pick(random, [
      "$((x))",
      "$((x + 1))",
      "${y[x]}",
      "${y:x}",
      "$((1 + 2))",
      "${x}",
      "$[x]",
      "${y[0]}",
      "$(( x[0] ))",
    ])
    return pick(random, [
      `x=${value}; y=(1 2); echo ${use}`,
      `x=${value}; ((x))`,
      `x=${value}; y[x]=1`,
      `x=${value}; y=([x]=1)`,
    ])
  },
  builtins: (random) => {
    const value = pick(random, [
      `'x=($(${PAYLOAD}))'`,
      `'a[$(${PAYLOAD})]'`,
      `'a[$(${PAYLOAD})]=1'`,
      "x",
      "x=1",
    ])
    const name = pick(random, [
      "declare",
      "typeset",
      "readonly",
      "export",
      "read",
      "unset",
      "read -p -p",
      "read -r",
      "local",
    ])
    return `${pick(random, ["", "x=(1); "])}${name} ${pick(random, ["", "-a ", "-i ", "-p ", "-A ", "-r "])}${value} ${pick(random, ["", "< a", "<<< x"])}`
  },
  tests: (random) => {
    const operand = pick(random, [`'a[$(${PAYLOAD})]'`, "a", "x"])
    const operator = pick(random, ["-v", "-f", "-n", "-R", "! -v"])
    return pick(random, [
      `[[ (${operator} ${operand}) ]]`,
      `[[ ${operator} ${operand} ]]`,
      `[ ${operator} ${operand} ]`,
      `[[ ${operand} -eq 1 ]]`,
      `[[ x && ${operator} ${operand} ]]`,
    ])
  },
  devices: (random) => {
    const fd = pick(random, ["", "2", "3", "0"])
    const device = pick(random, [
      "/dev/stdin",
      "/dev/stderr",
      "/dev/fd/3",
      "/dev/fd/0",
      "/dev/fd/2",
      "/dev/null",
      "&2",
      "&1",
    ])
    return `${pick(random, ["echo x", "cat a", "printf x"])} ${fd}<victim ${pick(random, [">", ">>", "1>"])}${device}`
  },
  programs: (random) => {
    const words = [
      "-o",
      "out",
      "a",
      "b",
      "--",
      "-f",
      "-c",
      "-r",
      "-p",
      "hex.txt",
      "-s",
      "-l",
      "1",
      "-u",
      "-d",
      "-k1",
      "/dev/stdin",
      "-n",
      "w out",
      "p",
      "-i",
      "-delete",
      "-name",
      ".",
      "-fprint",
    ]
    return `${pick(random, ["uniq", "sort", "xxd", "sed", "find", "tree", "date", "sort -k1", "uniq -c", "xxd -p"])} ${Array.from({ length: 1 + random(5) }, () => `'${pick(random, words)}'`).join(" ")} < a`
  },
  "git options": (random) => {
    const words = [
      "--output=out",
      "-p",
      "-1",
      "--stat",
      "--oneline",
      "HEAD",
      "--",
      "a",
      "--name-only",
      "--output",
      "out",
      "list",
      "show",
    ]
    return `git ${pick(random, ["log", "diff", "stash list", "show", "reflog", "stash", "branch", "tag", "blame", "diff-tree", "rev-list"])} ${Array.from({ length: random(4) }, () => pick(random, words)).join(" ")}`
  },
  expansions: (random) => {
    const inner = pick(random, [`'$(${PAYLOAD})'`, "'x'", "y", `"$(${PAYLOAD})"`, `'\`${PAYLOAD}\`'`])
    const whole = `\${${pick(random, ["x", "HOME", "y"])}${pick(random, [":-", "-", "+", ":+", "#", "%", "/a/"])}${inner}}`
    return `echo ${pick(random, [whole, `"${whole}"`, `"a${whole}b"`])}`
  },
  quoting: (random) => {
    const first = pick(random, ["ls", "echo x", "cat a b", "type ls", "x=1", "pwd"])
    const second = pick(random, [
      "\\touch pwned",
      "\\pwd",
      "'pwd'",
      "\\ls -l",
      "t\\ouch pwned",
      '"ls"',
      "pwd",
    ])
    return `${first}${pick(random, ["\n", " \n", "\n\n", "\n ", "\\\n"])}${second}`
  },
  characters: (random) => {
    const space = pick(random, ["\u00a0", "\u2003", "\u3000", "\u0085", "\v", "\f", "\r", " "])
    return pick(random, [
      `echo a${space}#; ${PAYLOAD}`,
      `echo${space}a;${PAYLOAD}`,
      `echo x #${space}\n${PAYLOAD}`,
      `ech\\\no x`,
      `echo a${space}# b ; ${PAYLOAD}`,
      `echo x\\\n#;${PAYLOAD}`,
      `echo x\\\n# ;${PAYLOAD}`,
    ])
  },
}

const all: readonly string[] = [
  ...BENIGN,
  ...Object.values(ATTACKS)
    .flat()
    .filter((script) => !script.includes("PORT")),
]
const inserted = [
  "'",
  '"',
  "\\",
  " ",
  "\n",
  ";",
  "$(",
  ")",
  "`",
  "#",
  "\t",
  "|",
  "&",
  "{",
  "}",
  "<",
  ">/dev/null",
  "--",
  "-",
  "[",
  "]",
  "=",
  "\\\n",
  "<<EOF",
  "EOF",
  "$x",
  "*",
  "(",
  "((",
  "))",
  "!",
  "~",
  "$'",
  '$"',
  ":",
  "@",
  "\u00a0",
]

const around: readonly (readonly [string, string])[] = [
  ["", " >/dev/null"],
  ["", " 2>&1"],
  ["(", ")"],
  ["{ ", "; }"],
  ["echo $(", ")"],
  ['echo "$(', ')"'],
  ["if ", "; then :; fi"],
  ["", " | cat"],
  ["! ", ""],
  ["", " &"],
  ["while ", "; do break; done"],
  ["cat <(", ")"],
  ["ls\n", "\nls"],
]

/** A script inside another one. */
export function wrapped(random: Random, script: string): string {
  const [before, after] = pick(random, around)
  return before + script + after
}

/** A known script with a few changes, or two in one. */
export function mutated(random: Random): string {
  let script = pick(random, all)
  for (let times = 1 + random(3); times > 0; times--) {
    const at = random(script.length + 1)
    const kind = random(5)
    if (kind === 0) script = script.slice(0, at) + pick(random, inserted) + script.slice(at)
    else if (kind === 1) script = script.slice(0, at) + script.slice(at + 1 + random(3))
    else if (kind === 2)
      script = `${script}${pick(random, ["; ", "\n", " | ", " && ", " "])}${pick(random, all)}`
    else if (kind === 3)
      script = script.slice(0, at) + pick(random, all).slice(0, random(12)) + script.slice(at)
    else script = script.slice(0, at) + script.slice(at).replace(/[ '"]/, pick(random, inserted))
  }
  return script
}
