import { dynamicWord, type Word } from "../parse/words.js"
import { type Judgement, type Program, reads, texts, unknown } from "./judgement.js"
import { mayBePassed, mayBeSet } from "./variables.js"

/**
 * What the shell itself does. All that evaluates text again (eval, source, trap, let, alias, hash) stays unknown, and
 * so do the options that make a variable an array, an integer or another one's name: what is assigned to it later is
 * evaluated.
 */
export const builtins: Readonly<Record<string, Program>> = {
  cd: enter,
  pushd: enter,
  popd: () => ({ effect: "read", enters: dynamicWord("popd", false) }),
  set: allTexts(
    (args) => args.every((text) => /^[-+](?=[euxo]+$)[eux]*o?$|^pipefail$/.test(text)) && args.length > 0,
  ),
  read: allTexts(readsNames),
  export: declares(mayBePassed, /^-p$/),
  declare: declares(mayBeSet, /^-[prglu]+$/),
  typeset: declares(mayBeSet, /^-[prglu]+$/),
  local: declares(mayBeSet, /^-[rlu]+$/),
  readonly: declares(mayBeSet, /^-p$/),
  unset: declares(mayBeSet, /^-v$/),
  "[": test,
  test,
}

function enter(args: readonly Word[]): Judgement {
  const places = args.filter((word) => !(word.kind === "static" && /^-[LPe@]+$|^--$/.test(word.text)))
  const [place, ...more] = places
  if (more.length > 0) return unknown
  // With CDPATH a relative name may be a folder somewhere else.
  const isSure = !process.env.CDPATH || (place?.kind === "static" && /^(\/|\.\.?(\/|$))/.test(place.text))
  return {
    effect: "read",
    enters: place !== undefined && isSure ? place : dynamicWord(place?.source ?? "~", false),
  }
}

function allTexts(fine: (args: readonly string[]) => boolean): Program {
  return (args) => {
    const known = texts(args)
    return known !== undefined && fine(known) ? reads : unknown
  }
}

/** Checks `read [-rs] [-d X] [-n N] [-p TEXT] [-t N] NAME…`: options first, each value taken by its own option. */
function readsNames(args: readonly string[]): boolean {
  let at = 0
  for (; at < args.length && args[at]?.startsWith("-"); at++) {
    const option = args[at] ?? ""
    if (/^-[rs]*[dnNpt]$/.test(option)) at++
    else if (!/^-[rs]+$/.test(option)) return false
  }
  return args.slice(at).every(mayBeSet)
}

/**
 * Takes names and options only: `NAME=value` where it is written as an assignment does not count as a word. A quoted
 * `x=(…)` would be evaluated if x is an array.
 */
function declares(mayBe: (name: string) => boolean, options: RegExp): Program {
  return allTexts((args) => args.every((text) => options.test(text) || mayBe(text)))
}

/**
 * Judges `[` or `test` written so that the grammar takes it for a program. Only an operand may be unknown, never an
 * operator. Operands may be files: a test tells whether they are there, and of what size.
 */
function test(args: readonly Word[]): Judgement {
  const looks: Judgement = { effect: "read", reads: args.map((path) => ({ path, ifThere: true })) }
  if (args.some((word) => word.kind === "static" && /^-[vR]$/.test(word.text))) return unknown
  if (texts(args) !== undefined) return looks
  if (args.some((word) => word.kind === "pattern" || (word.kind === "dynamic" && word.splits))) return unknown
  const [first, second, third, ...more] = args.filter(
    (word) => word.kind !== "static" || !/^[!\]]$/.test(word.text),
  )
  if (second === undefined || more.length > 0) return second === undefined ? looks : unknown
  const operator = third === undefined ? first : second
  return operator?.kind === "static" &&
    /^(-[a-zA-Z]|!?=|==|-(eq|ne|lt|le|gt|ge|nt|ot|ef))$/.test(operator.text)
    ? looks
    : unknown
}
