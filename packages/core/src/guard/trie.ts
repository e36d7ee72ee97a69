import { UPRIGHT } from "./fold.js"

/** A step on the way to a name. `is`: what a name that ends here means. */
export interface Node<Kind> {
  readonly next: Map<string, Node<Kind>>
  is?: Kind
}

/** Characters that are hardly told apart: wherever a name has the first, any of them will do. */
const ALIKE: Readonly<Record<string, readonly string[]>> = {
  i: ["l", "1", "|", UPRIGHT],
  l: ["i", "1", "|", UPRIGHT],
  o: ["0"],
  "-": [UPRIGHT],
}
/** A letter that two others look like. */
const PAIRS: Readonly<Record<string, readonly [string, string]>> = { m: ["r", "n"], w: ["v", "v"] }

export function trieOf<Kind>(names: Readonly<Record<string, Kind>>): Node<Kind> {
  const root: Node<Kind> = { next: new Map() }
  for (const [name, kind] of Object.entries(names)) {
    let node = root
    for (const letter of name) node = grow(node, letter)
    node.is = kind
  }
  return root
}

/** Where a reading leads, which may be several letters; undefined if to no name. */
export function follow<Kind>(node: Node<Kind>, reading: string): Node<Kind> | undefined {
  if (reading.length === 1) return node.next.get(reading)
  let at: Node<Kind> | undefined = node
  for (const letter of reading) at = at?.next.get(letter)
  return at
}

function grow<Kind>(node: Node<Kind>, letter: string): Node<Kind> {
  const known = node.next.get(letter)
  if (known !== undefined) return known
  const made: Node<Kind> = { next: new Map() }
  for (const one of [letter, ...(ALIKE[letter] ?? [])]) if (!node.next.has(one)) node.next.set(one, made)
  const pair = PAIRS[letter]
  if (pair !== undefined) grow(node, pair[0]).next.set(pair[1], made)
  return made
}
