import { version } from "../vocabulary/capabilities.js"

/** What a name says of a model: the family that shares a price level, and which release of it. */
interface Release {
  readonly family: string
  readonly release: number
}

/**
 * The names of each family, from the first letter to the last: what only looks alike (gpt-oss, claudette, a tier such as
 * ":free" or "-pro" behind the name) is of no family. The groups are major, minor and kind.
 */
const NAMES = [
  /^(?<maker>claude)-(?<kind>opus|sonnet|haiku|fable|mythos)-(?<major>\d{1,2})(?:-(?<minor>\d{1,2}))?$/,
  // Older ones have the version first.
  /^(?<maker>claude)-(?<major>\d)(?:-(?<minor>\d))?-(?<kind>opus|sonnet|haiku)$/,
  /^(?<maker>gpt)-(?<major>\d{1,2})(?:\.(?<minor>\d{1,2}))?(?:-(?<kind>sol|terra|luna|mini|nano|codex|codex-mini))?$/,
  /^(?<maker>gemini)-(?<major>\d{1,2})(?:\.(?<minor>\d{1,2}))?-(?<kind>pro|flash|flash-lite)$/,
]

/**
 * Finds the newest of some models that is of the same family as another one. Undefined for a model that is of no known
 * family, or older than all that are known of it: what is new costs nothing like what has been withdrawn.
 */
export function newestRelative(name: string, known: readonly string[]): string | undefined {
  const own = releaseIn(name)
  if (own === undefined) return undefined
  const relatives = known
    .flatMap((other) => {
      const found = releaseIn(other)
      return found?.family === own.family ? [{ other, release: found.release }] : []
    })
    .sort((a, b) => b.release - a.release)
  const oldest = relatives.at(-1)
  return oldest === undefined || own.release < oldest.release ? undefined : relatives[0]?.other
}

function releaseIn(name: string): Release | undefined {
  for (const pattern of NAMES) {
    const { maker, kind = "", major, minor = 0 } = pattern.exec(name)?.groups ?? {}
    if (major !== undefined)
      return { family: `${maker} ${kind}`, release: version(Number(major), Number(minor)) }
  }
  return undefined
}
