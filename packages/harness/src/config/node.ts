/** A value as somebody wrote it, with the line it begins in, whatever notation it was written in. */
export type Node =
  | { readonly is: "scalar"; readonly line: number; readonly value: string | number | boolean | null }
  | { readonly is: "list"; readonly line: number; readonly items: readonly Node[] }
  | { readonly is: "map"; readonly line: number; readonly entries: ReadonlyMap<string, NodeEntry> }

/** One entry of a map, in the order of the file: permission rules depend on it. */
export interface NodeEntry {
  /** The line of its name. */
  readonly line: number
  readonly value: Node
}

/** For people: what was found where something else was expected. */
export function described(node: Node): string {
  if (node.is === "list") return "a list"
  if (node.is === "map") return "an object"
  return node.value === null ? "null" : `${typeof node.value} ${JSON.stringify(node.value)}`
}
