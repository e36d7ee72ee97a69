import { type Checks, EVERY_CHECK } from "../checks.js"
import type { SimpleCommand } from "../parse/script.js"
import type { Word } from "../parse/words.js"
import { builtins } from "./builtins.js"
import { confinable } from "./confinable.js"
import { git } from "./git.js"
import { type Judgement, reads, unknown, worse } from "./judgement.js"
import { reader } from "./readers.js"
import { mayBePassed, mayBeSet } from "./variables.js"
import { wrappers } from "./wrappers.js"
import { writer } from "./writers.js"

/** These set shell variables; other commands pass what stands before them on to a program. */
const declaring = new Set(["declare", "typeset", "local", "readonly", "unset"])

/** Judges what a command does, leaving its redirections and the commands it runs to the caller. */
export function classify(command: SimpleCommand, checks: Checks = EVERY_CHECK): Judgement {
  const [name] = command.words
  const inShell = name === undefined || (name.kind === "static" && declaring.has(name.text))
  const known = !checks.has("variables") || command.assigns.every(inShell ? mayBeSet : mayBePassed)
  const fine = command.doubt === undefined && known
  const judgement = name === undefined ? reads : classifyWords(command.words, checks)
  return fine ? judgement : { ...judgement, effect: worse(judgement.effect, "unknown") }
}

/** Gives the name of a program without its folder, where that is one in which the system keeps its programs. */
export function programName(text: string): string {
  return text.replace(/^\/(usr\/(local\/)?)?s?bin\/(?=[^/]+$)/, "")
}

function classifyWords(words: readonly Word[], checks: Checks): Judgement {
  const [name, ...args] = words
  if (name?.kind !== "static") return unknown
  return program(programName(name.text), args, checks)
}

function program(name: string, args: readonly Word[], checks: Checks): Judgement {
  if (name === "git") return git(args, checks.has("git options"))
  const shell = Object.hasOwn(builtins, name) ? builtins[name] : undefined
  if (shell) return checks.has("builtins") || name === "cd" ? shell(args) : reads
  const own = reader(name)
  if (own && !checks.has("programs")) return reads
  const version = own?.(args)
  if (version?.effect === "read") return version
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined
  if (wrapper) return wrapper(args)
  return writer(name, args) ?? confinable(name, args) ?? version ?? unknown
}
