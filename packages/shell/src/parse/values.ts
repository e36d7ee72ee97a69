import type { Node } from "web-tree-sitter"
import { type KnownWord, type Word, wordOf } from "./words.js"

type Values = ReadonlyMap<string, readonly KnownWord[]>

/**
 * Finds the values of variables that the script sets itself, by assignments and loops, to words that are known. A
 * variable whose name occurs anywhere else, where something might set it, has no known value, nor has one of the
 * environment: `cat $HISTFILE; HISTFILE=a` reads what the environment names.
 */
export function valuesIn(root: Node, source: string): Values {
  if (root.descendantsOfType(commands).some(maySetAny)) return new Map()
  const found = new Map<string, { readonly words: Word[]; times: number }>()
  const add = (name: string | undefined, words: readonly Word[]) => {
    if (name === undefined) return
    const known = found.get(name) ?? { words: [], times: 0 }
    known.words.push(...words)
    known.times++
    found.set(name, known)
  }
  for (const node of root.descendantsOfType(["for_statement", "variable_assignment"])) {
    const [name, values] =
      node.type === "for_statement"
        ? [node.childForFieldName("variable"), node.childrenForFieldName("value")]
        : [node.childForFieldName("name"), node.childrenForFieldName("value")]
    const isPlain = node.type === "for_statement" ? /^for\b/.test(node.text) : !node.text.includes("+=")
    add(name?.text, isPlain && values.length > 0 ? values.map(wordOf) : [unknownWord])
  }
  const mentions = new Map<string, number>()
  for (const [name] of source.matchAll(/(?<![$\w{])[A-Za-z_]\w*/g))
    mentions.set(name, (mentions.get(name) ?? 0) + 1)
  return new Map(
    [...found].flatMap(([name, { words, times }]) => {
      const known = words.filter((word): word is KnownWord => word.kind !== "dynamic")
      const isOurs = mentions.get(name) === times && process.env[name] === undefined
      return isOurs && known.length === words.length ? [[name, known] as const] : []
    }),
  )
}

const commands = ["command", "declaration_command", "unset_command"]
const setting =
  /^(read|mapfile|readarray|declare|typeset|local|export|readonly|unset|getopts|let|wait|eval|source|\.|trap|alias|command|builtin|exec)$/

/** True if a command may set a variable whose name is not written out: `read x'y'` sets xy. */
function maySetAny(node: Node): boolean {
  const [name, ...args] = node.children.filter(
    ({ type }) => type !== "variable_assignment" && !type.endsWith("_redirect"),
  )
  if (name === undefined) return false
  if (name.text === "printf") return !/^(['"])[^-'"\\$`]|^[\w%]/.test(args[0]?.text ?? "")
  const isPlain = /^[\w./:[\]+-]+$/.test(name.text)
  if (isPlain && !setting.test(name.text)) return false
  // `declare -n` makes a name stand for another one.
  return args.some(({ text }) => !/^[\w./:=+,@%-]+$/.test(text) || /^-\w*[nai]/.test(text))
}

const unknownWord: Word = { kind: "dynamic", prefix: "", splits: true, source: "" }

/** Adds to the word what it can stand for, if it is nothing but a variable whose values are known. */
export function withValue(word: Word, values: Values): Word {
  if (word.kind !== "dynamic") return word
  const match = /^(?:"\$(?:(\w+)|\{(\w+)\})"|\$(?:(\w+)|\{(\w+)\}))$/.exec(word.source)
  const quoted = match?.[1] ?? match?.[2]
  const stands = values.get(quoted ?? match?.[3] ?? match?.[4] ?? "")
  if (stands === undefined) return word
  // Without quotes the shell splits the value, and completes names in it.
  const whole =
    quoted !== undefined || stands.every((one) => one.kind === "static" && !/[\s*?[\]{}~]/.test(one.text))
  return whole ? { ...word, stands } : word
}
