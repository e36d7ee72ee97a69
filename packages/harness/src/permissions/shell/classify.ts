import { builtins } from "./builtins.js"
import { git } from "./git.js"
import { type Judgement, reads, unknown, worse } from "./judgement.js"
import { reader } from "./readers.js"
import type { Command } from "./script.js"
import { mayBePassed, mayBeSet } from "./variables.js"
import type { Word } from "./words.js"
import { wrappers } from "./wrappers.js"
import { writer } from "./writers.js"

/** These set shell variables; other commands pass what stands before them on to a program. */
const declaring = new Set(["declare", "typeset", "local", "readonly", "unset"])

/** What a command does, leaving its redirections and the commands it runs to the caller. */
export function classify(command: Command): Judgement {
  const [name] = command.words
  const inShell = name === undefined || (name.kind === "static" && declaring.has(name.text))
  const fine = command.doubt === undefined && command.assigns.every(inShell ? mayBeSet : mayBePassed)
  const judgement = name === undefined ? reads : classifyWords(command.words)
  return fine ? judgement : { ...judgement, effect: worse(judgement.effect, "unknown") }
}

function classifyWords(words: readonly Word[]): Judgement {
  const [name, ...args] = words
  if (name?.kind !== "static") return unknown
  // Only where the system keeps its programs a name says what a program does.
  return program(name.text.replace(/^\/(usr\/(local\/)?)?bin\/(?=[^/]+$)/, ""), args)
}

function program(name: string, args: readonly Word[]): Judgement {
  if (name === "git") return git(args)
  const shell = Object.hasOwn(builtins, name) ? builtins[name] : undefined
  if (shell) return shell(args)
  const version = reader(name)?.(args)
  if (version?.effect === "read") return version
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined
  if (wrapper) return wrapper(args)
  return writer(name, args) ?? version ?? unknown
}
