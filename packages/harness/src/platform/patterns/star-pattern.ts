import {
  ANY,
  ANY_FOLDERS,
  IN_NAME,
  literal,
  literals,
  type Matches,
  matcherOf,
  type Piece,
} from "./automaton.js"

/** Makes a pattern in which `*` stands for any characters, everything else for itself: "mcp__*". */
export function starPattern(pattern: string): Matches {
  return matcherOf(pieces(pattern, /\*+/g, () => [{ is: "many", test: ANY }]))
}

/** Makes a pattern for the name of a file or folder: `*` and `?` stand for characters of it. */
export function namePattern(pattern: string): Matches {
  return matcherOf(
    pieces(pattern, /\*+|\?/g, (token) => [{ is: token === "?" ? "one" : "many", test: IN_NAME }]),
  )
}

/**
 * Makes a permission's pattern: `*` is any characters, slashes too, and `?` is one; in paths a double star and a slash
 * may also stand for no folder at all.
 */
export function permissionPattern(pattern: string, isPath: boolean): Matches {
  return matcherOf(
    pieces(pattern, /\*\*\/|\*+|\?/g, (token): readonly Piece[] => {
      if (token === "?") return [{ is: "one", test: ANY }]
      if (token === "**/") return isPath ? [ANY_FOLDERS] : [{ is: "many", test: ANY }, literal(0x2f)]
      return [{ is: "many", test: ANY }]
    }),
  )
}

function pieces(
  pattern: string,
  tokens: RegExp,
  piecesOf: (token: string) => readonly Piece[],
): readonly Piece[] {
  const found: Piece[] = []
  let done = 0
  for (const { 0: token, index } of pattern.matchAll(tokens)) {
    found.push(...literals(pattern.slice(done, index)), ...piecesOf(token))
    done = index + token.length
  }
  return [...found, ...literals(pattern.slice(done))]
}
