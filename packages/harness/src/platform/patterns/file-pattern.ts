import { ANY, ANY_FOLDERS, IN_NAME, literals, type Matches, matcherOf, type Piece } from "./automaton.js"

/** A pattern that cannot be read: a bracket is open, or a range goes backwards. */
export class PatternError extends Error {}

/**
 * Tells which relative paths a glob pattern names: `*` and `?` within a name, `**` across folders, `[abc]`, `{a,b}`.
 * A pattern without a slash is for names at any depth. Our own, because ripgrep's `--glob` overrides .gitignore.
 */
export function filePattern(pattern: string): Matches {
  const plain = pattern.replace(/^(\.\/)+/, "")
  if (plain.startsWith("/") || plain.split("/").includes(".."))
    throw new PatternError(`The pattern "${pattern}" leaves the directory. Give the directory in \`path\`.`)
  const parsed = parse(plain.replace(/\/$/, "/**"))
  if (parsed === undefined) throw new PatternError(`"${pattern}" is no glob pattern: check its brackets.`)
  return matcherOf(plain.includes("/") ? parsed : [ANY_FOLDERS, ...parsed])
}

/** True if the pattern names a hidden file, so that hidden files are wanted: ".github/**", "**\/.env". */
export function namesHidden(pattern: string): boolean {
  return /(^|[/{,])\.[^./]/.test(pattern)
}

const TOKENS = /\*\*\/|\*+|\?|\[!?\]?[^\]]*\]|\{|\}|,|\\.|./gsu

function parse(pattern: string): readonly Piece[] | undefined {
  /** The alternatives of every brace that is open, the outermost first, each with the sequence it is in. */
  const open: { readonly before: Piece[]; readonly of: Piece[][] }[] = []
  let sequence: Piece[] = []
  for (const token of pattern.match(TOKENS) ?? []) {
    const brace = open.at(-1)
    if (token === "{") {
      open.push({ before: sequence, of: [] })
      sequence = []
    } else if (token === "}" && brace !== undefined) {
      open.pop()
      brace.before.push({ is: "either", of: [...brace.of, sequence] })
      sequence = brace.before
    } else if (token === "," && brace !== undefined) {
      brace.of.push(sequence)
      sequence = []
    } else {
      const found = piecesOf(token)
      if (found === undefined) return undefined
      sequence.push(...found)
    }
  }
  return open.length > 0 ? undefined : sequence
}

function piecesOf(token: string): readonly Piece[] | undefined {
  if (token === "**/") return [ANY_FOLDERS]
  if (token.startsWith("**")) return [{ is: "many", test: ANY }]
  if (token === "*") return [{ is: "many", test: IN_NAME }]
  if (token === "?") return [{ is: "one", test: IN_NAME }]
  if (token.startsWith("[") && token.length > 2) return characterClass(token)
  return literals(token.length > 1 && token.startsWith("\\") ? token.slice(1) : token)
}

/** Reads a class such as "[a-z_]" or "[!0-9]": a negated one never stands for a slash. */
function characterClass(token: string): readonly Piece[] | undefined {
  const negated = token.startsWith("[!") || token.startsWith("[^")
  const codes = [...token.slice(negated ? 2 : 1, -1)].map((c) => c.codePointAt(0) ?? 0)
  const ranges: (readonly [number, number])[] = []
  for (let i = 0; i < codes.length; i++) {
    const first = codes[i] ?? 0
    const last = codes[i + 1] === HYPHEN ? codes[i + 2] : undefined
    if (last !== undefined && last < first) return undefined
    ranges.push([first, last ?? first])
    if (last !== undefined) i += 2
  }
  const isIn = (code: number) => ranges.some(([first, last]) => code >= first && code <= last)
  return [{ is: "one", test: negated ? (code) => IN_NAME(code) && !isIn(code) : isIn }]
}

const HYPHEN = 0x2d
