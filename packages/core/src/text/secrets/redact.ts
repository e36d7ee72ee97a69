import { SECRET_PATTERNS } from "./patterns.js"

const REDACTED = "[redacted]"

/** How a secret is called where it stood. The same secret may get the same name each time. */
export type SecretNamer = (secret: string) => string

/**
 * Removes secrets from a text: those that are known, and those that look like one. What stands around them stays, so
 * that a reader still sees what it was about.
 */
export function redact(
  text: string,
  known: readonly string[] = [],
  name: SecretNamer = () => REDACTED,
): string {
  const withoutKnown = known.length === 0 ? text : text.replaceAll(anyOf(known), name)
  return SECRET_PATTERNS.reduce(
    (rest, { pattern }) =>
      rest.replaceAll(pattern, (found: string, ...groups: readonly unknown[]) => {
        const before = groups.slice(0, -2).filter((group) => typeof group === "string")
        return without(found, before, name)
      }),
    withoutKnown,
  )
}

/** Keeps what a pattern kept before the secret where it was. */
function without(found: string, before: readonly string[], name: SecretNamer): string {
  const kept = before.reduce((end, group) => found.indexOf(group, end) + group.length, 0)
  const head = found.slice(0, kept)
  const space = /^\s*/.exec(found.slice(kept))?.[0] ?? ""
  const secret = found.slice(kept + space.length)
  // What was redacted before stays as it is.
  return secret.includes("[redacted") || secret.includes("redacted]")
    ? found
    : `${head}${space}${name(secret)}`
}

function anyOf(known: readonly string[]): RegExp {
  const longestFirst = [...known].sort((a, b) => b.length - a.length)
  return new RegExp(longestFirst.map((one) => one.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"), "g")
}
