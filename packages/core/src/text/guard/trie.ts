import { OTHER } from "./fold.js"
import { CHOICES } from "./table.js"

/** A step on the way to a name. `is`: what a name that ends here means. */
export interface TrieNode<Kind> {
  readonly next: Map<string, TrieNode<Kind>>
  is?: Kind | undefined
}

/** What a reading may stand for in a name, where it is not simply that. No name tells "l" from "i". */
const STANDS_FOR: ReadonlyMap<string, string> = new Map(
  CHOICES.split(" ").map((one) => [one.charAt(0), one.slice(1)]),
)
/** A letter that two others look like. */
const PAIRS: Readonly<Record<string, readonly [string, string]>> = { m: ["r", "n"], w: ["v", "v"] }

export function trieOf<Kind>(names: Readonly<Record<string, Kind>>): TrieNode<Kind> {
  const root: TrieNode<Kind> = { next: new Map() }
  for (const [name, kind] of Object.entries(names)) {
    let node = root
    for (const letter of name) node = grow(node, STANDS_FOR.get(letter) ?? letter)
    node.is = kind
  }
  return root
}

/**
 * Follows a reading, which may be several letters; undefined if it leads to no name. A dash may be repeated, and what
 * no name has is a dash or nothing.
 */
export function follow<Kind>(node: TrieNode<Kind>, reading: string): TrieNode<Kind> | undefined {
  const known = node.next.get(reading)
  if (known !== undefined) return known
  if (reading === "-" || reading === "~" || reading === OTHER) return node.next.get("-") ?? node
  if (reading.length > 1) {
    let at: TrieNode<Kind> | undefined = node
    for (const one of reading) at = at && follow(at, one)
    return at
  }
  let found: TrieNode<Kind> | undefined
  for (const one of STANDS_FOR.get(reading) ?? "") found = merged(found, node.next.get(one))
  if (found !== undefined) node.next.set(reading, found)
  return found
}

/** Merges all ways on from two nodes. */
function merged<Kind>(one?: TrieNode<Kind>, other?: TrieNode<Kind>): TrieNode<Kind> | undefined {
  if (one === undefined || other === undefined || one === other) return one ?? other
  const next = new Map(one.next)
  for (const [letter, to] of other.next) next.set(letter, merged(next.get(letter), to) ?? to)
  return { next, is: one.is ?? other.is }
}

function grow<Kind>(node: TrieNode<Kind>, letter: string): TrieNode<Kind> {
  const known = node.next.get(letter)
  if (known !== undefined) return known
  const made: TrieNode<Kind> = { next: new Map() }
  node.next.set(letter, made)
  const pair = PAIRS[letter]
  if (pair !== undefined) grow(node, pair[0]).next.set(pair[1], made)
  return made
}
