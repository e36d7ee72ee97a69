import { type Judgement, type Program, reads, texts, unknown } from "./judgement.js"
import { mayBePassed, mayBeSet } from "./variables.js"
import type { Word } from "./words.js"

/** What the shell itself does. All that evaluates text again (eval, source, trap, let, alias, hash) stays unknown. */
export const builtins: Readonly<Record<string, Program>> = {
  cd: enter,
  pushd: enter,
  popd: () => ({ effect: "read", enters: { kind: "dynamic", prefix: "", splits: false, source: "popd" } }),
  set: allTexts(
    (args) => args.every((text) => /^[-+](?=[euxo]+$)[eux]*o?$|^pipefail$/.test(text)) && args.length > 0,
  ),
  read: allTexts((args) => args.every(readArgument)),
  export: declares(mayBePassed, /^-p$/),
  declare: declares(mayBeSet, /^-[pragAlu]+$/),
  typeset: declares(mayBeSet, /^-[pragAlu]+$/),
  local: declares(mayBeSet, /^-[raAlu]+$/),
  readonly: declares(mayBeSet, /^-[paA]+$/),
  unset: declares(mayBeSet, /^-v$/),
}

function enter(args: readonly Word[]): Judgement {
  const places = args.filter((word) => !(word.kind === "static" && /^-[LPe@]+$|^--$/.test(word.text)))
  const [place, ...more] = places
  if (more.length > 0) return unknown
  return { effect: "read", enters: place ?? { kind: "dynamic", prefix: "", splits: false, source: "~" } }
}

function allTexts(fine: (args: readonly string[]) => boolean): Program {
  return (args) => {
    const known = texts(args)
    return known !== undefined && fine(known) ? reads : unknown
  }
}

function readArgument(text: string, index: number, all: readonly string[]): boolean {
  if (/^-[rs]*[dnNptu]$/.test(all[index - 1] ?? "")) return true
  return /^-[rs]*[dnNptua]?$/.test(text) ? text !== "-" : mayBeSet(text)
}

/** `NAME=value` where it is not written as an assignment is a word, and checked like one. */
function declares(mayBe: (name: string) => boolean, options: RegExp): Program {
  return allTexts((args) => args.every((text) => options.test(text) || mayBe(text.split("=", 1)[0] ?? "")))
}
