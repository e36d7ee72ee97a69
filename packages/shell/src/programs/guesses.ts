import { dynamicWord, type Word } from "../parse/words.js"
import { gitCall, isSubcommand } from "./git.js"
import { mayRunCommands } from "./scripts.js"

/** Gives the text of a word, with `*` for what is not known. */
export function guess(word: Word): string {
  return word.kind === "static" ? word.text : `${word.prefix}*`
}

/** Programs that run a command, or a shell's script, that their arguments hold. */
const running = new Set(
  `sudo doas su parallel watch script ssh nsenter chroot unshare busybox toybox find fd fdfind xargs env nice timeout stdbuf exec
  command builtin time setsid nohup flock taskset ionice chrt strace ltrace gdb systemd-run docker podman kubectl npx
  pnpx bunx runuser setpriv unbuffer trap alias coproc jobs mapfile readarray setarch prlimit`.split(/\s+/),
)
const shells = /^(ba|da|z|k|mk|a|c|tc|fi)?sh$/
const awks = /^([gmn]?awk|g?sed)$/
/** Programs that change files and have ways to run a command as well. */
const both = /^(rsync|install)$/
/** Subcommands of git whose arguments are texts and names, never commands. */
const telling = /^(commit|tag|notes|stash|merge|add|rm|mv|restore|checkout|switch|reset|branch|config)$/

/**
 * Commands that a program may run itself, as far as its words say. `runsKnown`: the judgement of the program says that
 * there are none but those that are judged on their own.
 */
export function runBy(name: string, args: readonly Word[], runsKnown: boolean): readonly string[] {
  if (runsKnown && !awks.test(name) && !both.test(name)) return []
  // What is in a file or is put together is not known.
  if (/^(eval|source|\.)$/.test(name) || shells.test(name)) return ["*"]
  if (awks.test(name)) return mayRunCommands(name, args) ? ["*"] : []
  const [first] = name === "git" ? (gitCall(args)?.rest ?? []) : []
  if (first?.kind === "static" && telling.test(first.text)) return []
  const found = new Set<string>()
  for (const [at, word] of args.entries()) {
    // A program of which nothing says that it runs others is not taken to run what is not known.
    if (word.kind !== "static" && word.prefix === "" && !running.has(name)) continue
    const after = following(args, at + 1)
    for (const start of startsOf(guess(word), running.has(name)))
      for (const one of read(start, after)) found.add(one)
  }
  return [...found]
}

/** Limits the words of a command inside another one that are looked at. Anything may follow them. */
const mostWords = 32

function following(args: readonly Word[], from: number): readonly Word[] {
  const some = args.slice(from, from + mostWords)
  return args.length > from + mostWords ? [...some, dynamicWord("*")] : some
}

/** Lists what git may turn out to do: an alias and what an option sets stand for anything. */
export function gitGuesses(name: string, args: readonly Word[]): readonly string[] {
  const own = /^git-(.+)$/.exec(name)?.[1]
  const rest = args.map(guess)
  if (own !== undefined) return [["git", own, ...rest].join(" "), ...(isSubcommand(own) ? [] : ["git *"])]
  if (name !== "git") return []
  const call = gitCall(args)
  const [first] = call?.rest ?? []
  const isKnown =
    first === undefined ||
    (first.kind === "static" && /^-/.test(first.text) === false && isSubcommand(first.text))
  const shown = call === undefined ? [] : [["git", ...call.rest.map(guess)].join(" ")]
  return call === undefined || call.strange || !isKnown ? [...shown, "git *"] : shown
}

/** The most options before a subcommand that are looked past. */
const mostOptions = 16

/**
 * Removes the options before the subcommand: a rule for `npm publish` speaks of `npm --silent publish` too. Tries both
 * readings of the word after an option, because it is not known whether that is its value. Last, leaves out all
 * options.
 */
export function withoutOptions(words: readonly string[]): readonly (readonly string[])[] {
  const isOption = (text: string | undefined) => text !== undefined && /^[-+]./.test(text)
  if (!words.some(isOption)) return []
  const starts = new Set([0])
  for (const at of starts)
    if (at < mostOptions && isOption(words[at])) {
      starts.add(at + 1)
      if (at + 1 < words.length) starts.add(at + 2)
    }
  const bare = words.filter((text) => !isOption(text))
  const bareOfValues = words.filter((text, at) => !isOption(text) && !isOption(words[at - 1]))
  const shorter = [...starts].filter((at) => at > 0).map((at) => words.slice(at))
  // A rule for the program alone does not speak of it with options.
  return [...shorter, bare, bareOfValues].filter((fewer) => fewer.length > 0)
}

/** The most that is looked into a single argument. */
const longest = 4096

/**
 * Lists where in an argument a command may begin: after `-x`, after `--option=`; in a script after each of its words.
 */
function startsOf(text: string, isScript: boolean): readonly string[] {
  if (text.length > longest) return [text, "*"]
  const starts = [text]
  const letters = /^-\w+/.exec(text)?.[0].length ?? 0
  for (let at = 1; at <= letters; at++) starts.push(text.slice(at))
  if (text.includes("=")) starts.push(text.slice(text.indexOf("=") + 1))
  if (isScript)
    for (const { index } of text.matchAll(/(?<=[\s;&|(){}`'"!=])[^\s;&|(){}`'"!=]/g))
      starts.push(text.slice(index))
  return starts.map((start) => start.trimStart()).filter((start) => start !== "")
}

/** Reads a command as rules may speak of it: without a folder, and git's without the options before its subcommand. */
function read(start: string, after: readonly Word[]): readonly string[] {
  const whole = [start, ...after.map(guess)].join(" ")
  const [first = "", ...more] = start.split(/\s+/)
  const name = first.slice(first.lastIndexOf("/") + 1)
  if (shells.test(name) || /^(eval|source|\.)$/.test(first)) return [whole, "*"]
  const args = [...more.map((text): Word => ({ kind: "static", text, source: text })), ...after]
  const plain = [name, ...args.map(guess)].join(" ")
  return [whole, plain, ...gitGuesses(name, args)]
}
