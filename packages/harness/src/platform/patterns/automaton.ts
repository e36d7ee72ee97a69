/**
 * Patterns as automata: all ways a pattern may go on are followed at once, so that the time grows with the length of
 * the text and never explodes. A regular expression made of a pattern tries the ways one after the other; for
 * "*a*a*a*az" and a long name it does not come back.
 */
export type Piece =
  /** One character that passes the test. */
  | { readonly is: "one"; readonly test: (code: number) => boolean }
  /** Any number of characters that pass the test. */
  | { readonly is: "many"; readonly test: (code: number) => boolean }
  /** One of several sequences. */
  | { readonly is: "either"; readonly of: readonly (readonly Piece[])[] }

export type Matches = (text: string) => boolean

const SLASH = 0x2f

export const ANY = (): boolean => true
export const IN_NAME = (code: number): boolean => code !== SLASH
/** Nothing, or anything that ends with a slash. */
export const ANY_FOLDERS: Piece = { is: "either", of: [[], [{ is: "many", test: ANY }, literal(SLASH)]] }

export function literal(code: number): Piece {
  return { is: "one", test: (other) => other === code }
}

export function literals(text: string): readonly Piece[] {
  return [...text].map((c) => literal(c.codePointAt(0) ?? 0))
}

/** What may come next. Without a test the automaton moves on by itself. */
interface State {
  readonly test?: (code: number) => boolean
  readonly to: readonly number[]
}

export function matcherOf(pieces: readonly Piece[]): Matches {
  const states: State[] = [{ to: [] }]
  const END = 0
  const first = compiled(pieces, END, states)
  const start = closure([first], states)
  return (text) => {
    let now = start
    for (const c of text) {
      const code = c.codePointAt(0) ?? 0
      const reached = new Set<number>()
      for (const at of now) {
        const { test, to } = states[at] ?? { to: [] }
        if (test?.(code)) for (const next of to) reached.add(next)
      }
      if (reached.size === 0) return false
      now = closure(reached, states)
    }
    return now.has(END)
  }
}

/** Adds the states of a sequence that leads to `end`; returns its first. */
function compiled(pieces: readonly Piece[], end: number, states: State[]): number {
  let next = end
  for (const piece of pieces.toReversed()) next = compiledPiece(piece, next, states)
  return next
}

function compiledPiece(piece: Piece, next: number, states: State[]): number {
  switch (piece.is) {
    case "one":
      return states.push({ test: piece.test, to: [next] }) - 1
    case "many": {
      const fork = states.length
      states.push({ to: [fork + 1, next] }, { test: piece.test, to: [fork] })
      return fork
    }
    case "either": {
      const to = piece.of.map((sequence) => compiled(sequence, next, states))
      return states.push({ to }) - 1
    }
  }
}

/** Adds all states that are reached from these without a character. */
function closure(from: Iterable<number>, states: readonly State[]): ReadonlySet<number> {
  const all = new Set(from)
  // A set that grows while it is walked is walked to its new end.
  for (const at of all) {
    const { test, to } = states[at] ?? { to: [] }
    if (test === undefined) for (const next of to) all.add(next)
  }
  return all
}
