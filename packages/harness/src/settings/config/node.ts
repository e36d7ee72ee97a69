/** A value as the user wrote it, with the line it begins in, whatever notation it was written in. */
export type Node = Standing &
  (
    | { readonly is: "scalar"; readonly value: string | number | boolean | null }
    | { readonly is: "list"; readonly items: readonly Node[] }
    | { readonly is: "map"; readonly entries: ReadonlyMap<string, NodeEntry> }
  )

interface Standing {
  readonly line: number
  /** Where it stands in the text, for those who change the text; only JSON says so. */
  readonly from?: number
  readonly to?: number
}

/** One entry of a map, in the order of the file: permission rules depend on it. */
export interface NodeEntry {
  /** The line of its name, and where the name stands. */
  readonly line: number
  readonly from?: number
  readonly value: Node
}

/** Describes for people what was found where something else was expected. */
export function described(node: Node): string {
  if (node.is === "list") return "a list"
  if (node.is === "map") return "an object"
  return node.value === null ? "null" : `${typeof node.value} ${JSON.stringify(node.value)}`
}
