/** Patterns of which one may stand for what another stands for: a rule beside what a command may turn out to be. */

/**
 * True if a text exists that both patterns match. `*` stands for any characters and `?` for one; a `**` with a slash,
 * which may also stand for nothing, counts as any characters. Takes time in proportion to the product of the lengths.
 */
export function overlap(one: string, other: string): boolean {
  const [a, b] = [tokens(one), tokens(other)]
  // reach[j]: the first i tokens of a and the first j of b match a common text.
  let reach = new Uint8Array(b.length + 1)
  reach[0] = 1
  for (let j = 1; j <= b.length && b[j - 1] === "*"; j++) reach[j] = 1
  for (const token of a) {
    const next = new Uint8Array(b.length + 1)
    if (token === "*") next[0] = reach[0] ?? 0
    for (let j = 1; j <= b.length; j++) {
      const beside = b[j - 1] ?? ""
      const both = reach[j - 1] === 1 && alike(token, beside)
      const skipsOne = token === "*" && (reach[j] === 1 || next[j - 1] === 1)
      const skipsOther = beside === "*" && (next[j - 1] === 1 || reach[j] === 1)
      next[j] = both || skipsOne || skipsOther ? 1 : 0
    }
    reach = next
  }
  return reach[b.length] === 1
}

function tokens(pattern: string): readonly string[] {
  return [...pattern.replaceAll("**/", "*").replace(/\*+/g, "*")]
}

function alike(one: string, other: string): boolean {
  return one === other || one === "?" || other === "?" || one === "*" || other === "*"
}
