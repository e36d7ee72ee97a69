import type { SimpleCommand } from "../parse/script.js"
import type { Word } from "../parse/words.js"
import type { ProgramRun } from "../touches.js"
import { programName } from "./classify.js"
import { gitCall } from "./git.js"
import { gitGuesses, guess, runBy, withoutOptions } from "./guesses.js"
import { mayBePassed } from "./variables.js"

/**
 * Writes a command as it reads to rules: its words as the program gets them, with single spaces. A command of which a
 * part is known only when it runs is not `exact`, and `perhaps` says what it may turn out to be, with `*` for what is
 * unknown.
 */
export function wording(
  command: SimpleCommand,
  redirected: boolean,
  runsKnown: boolean,
): Pick<ProgramRun, "command" | "exact" | "perhaps"> {
  const { words, assigns, text } = command
  if (words.length === 0)
    return { command: text, exact: false, ...(command.doubt !== undefined && { perhaps: ["*"] }) }
  const [name, ...args] = words
  const plainName = name?.kind === "static" ? programName(name.text) : undefined
  const call = plainName === "git" ? gitCall(args) : undefined
  const shownArgs = call?.rest ?? args
  const target = [plainName ?? name?.source ?? "", ...shownArgs.map(display)].join(" ").trim()
  const isStatic = words.every((word) => word.kind === "static" && !word.text.includes("\n"))
  const isCertain = !redirected && command.doubt === undefined && assigns.every(mayBePassed)
  const exact = isStatic && isCertain && call?.strange !== true
  const rest = shownArgs.map(guess)
  const perhaps = new Set(namesOf(name).map((known) => [known, ...rest].join(" ").trim()))
  for (const known of namesOf(name)) {
    for (const one of gitGuesses(known, args)) perhaps.add(one)
    for (const fewer of withoutOptions(rest)) perhaps.add([known, ...fewer].join(" ").trim())
  }
  for (const run of runBy(plainName ?? "", args, runsKnown)) perhaps.add(run)
  perhaps.delete(target)
  return {
    command: target,
    ...(!exact && { exact: false }),
    ...(perhaps.size > 0 && { perhaps: [...perhaps] }),
  }
}

/** Writes a word as it stands in the source where its text is not known, and so that words stay apart where it is. */
function display(word: Word): string {
  if (word.kind !== "static") return word.source
  return /^[\w@%+=:,./^{}~!?*[\]-]+$/.test(word.text) ? word.text : `'${word.text}'`
}

/** Names by which a rule may speak of the program: without its folder, or what a variable holds. */
function namesOf(word: Word | undefined): readonly string[] {
  if (word === undefined) return []
  if (word.kind === "static") return [word.text.slice(word.text.lastIndexOf("/") + 1)]
  if (word.kind === "dynamic" && word.stands)
    return word.stands.map((one) => (one.kind === "static" ? programName(one.text) : `${one.prefix}*`))
  return [`${word.prefix}*`]
}
