import type { Access } from "../access.js"
import { programName } from "./classify.js"
import { gitCall } from "./git.js"
import type { Command } from "./script.js"
import { mayBePassed } from "./variables.js"
import type { Word } from "./words.js"

/**
 * How a command reads to rules: its words as the program gets them, with single spaces. A command of which a part is
 * known only when it runs is not `exact`, and `perhaps` says what it may turn out to be, with `*` for what is unknown.
 */
export function wording(command: Command, redirected: boolean): Pick<Access, "target"> & Partial<Access> {
  const { words, assigns, text } = command
  if (words.length === 0) return { target: text, exact: false }
  const [name, ...args] = words
  const plainName = name?.kind === "static" ? programName(name.text) : undefined
  const call = plainName === "git" ? gitCall(args) : undefined
  const shownArgs = plainName === "git" && call ? call.rest : args
  const shown = [plainName ?? name?.source ?? "", ...shownArgs.map(display)].join(" ").trim()
  const isStatic = words.every((word) => word.kind === "static" && !/[\n\r]/.test(word.text))
  const exact =
    isStatic &&
    !redirected &&
    command.doubt === undefined &&
    assigns.every(mayBePassed) &&
    call?.strange !== true
  const perhaps = new Set<string>()
  if (!isStatic || call?.strange) perhaps.add([nameOf(name), ...shownArgs.map(guess)].join(" ").trim())
  if (plainName === "git" && call === undefined) perhaps.add("git *")
  for (const known of namesOf(name)) perhaps.add([known, ...shownArgs.map(guess)].join(" ").trim())
  perhaps.delete(shown)
  return {
    target: shown,
    ...(!exact && { exact: false }),
    ...(perhaps.size > 0 && { perhaps: [...perhaps] }),
  }
}

/** As it is written where it is not known. */
function display(word: Word): string {
  return word.kind === "static" ? word.text : word.source
}

function guess(word: Word): string {
  if (word.kind === "static") return word.text
  return `${word.prefix}*`
}

function nameOf(word: Word | undefined): string {
  if (word === undefined) return ""
  return word.kind === "static" ? programName(word.text) : `${word.prefix}*`
}

/** Other names by which a rule may speak of the program: without its folder, or what a variable holds. */
function namesOf(word: Word | undefined): readonly string[] {
  if (word === undefined) return []
  if (word.kind === "static")
    return word.text.includes("/") ? [word.text.slice(word.text.lastIndexOf("/") + 1)] : []
  return word.kind === "dynamic"
    ? (word.stands ?? []).map((one) => (one.kind === "static" ? one.text : "*"))
    : []
}
