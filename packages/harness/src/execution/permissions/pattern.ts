import type { Access } from "./access.js"
import { judgeBy } from "./rules.js"

/**
 * Gives the pattern that a lasting permission is proposed with: exactly what was asked about, nothing like it.
 * Undefined where no pattern says it: a command line of several commands, one that is known only in part, a name with a
 * star in it.
 */
export function patternFor(asked: readonly Access[]): string | undefined {
  const [first] = asked
  if (first === undefined || first.exact === false || /[*?\n]/.test(first.target)) return undefined
  const alone = asked.every(
    ({ permission, target }) =>
      permission !== "bash" || (first.permission === "bash" && target === first.target),
  )
  return alone && !runsAnything(first) ? first.target : undefined
}

/** True if a rule with this pattern allows what was asked about. A sentence such as "ask me first" is a pattern that does not. */
export function patternCovers(
  pattern: string,
  { permission, target }: Pick<Access, "permission" | "target">,
): boolean {
  return judgeBy([{ permission, pattern, action: "allow" }])({ permission, target }) === "allow"
}

/** Programs that run what follows them or comes by their input. */
const runners = /^(xargs|parallel|sudo|doas|su|ssh|env|eval|source|\.)$/
/** Programs that run what they read from their input unless a file is named. */
const interpreters =
  /^((ba|da|z|k|mk|a|c|tc|fi)?sh|python[\d.]*|node|deno|bun|perl|ruby|php|lua|osascript|pwsh)$/

/** True if the same words may run something else next time. */
function runsAnything({ permission, target }: Access): boolean {
  const [program = "", ...args] = target.split(" ")
  const name = program.slice(program.lastIndexOf("/") + 1)
  if (permission !== "bash" || runners.test(name)) return permission === "bash"
  return interpreters.test(name) && args.every((text) => text.startsWith("-"))
}
