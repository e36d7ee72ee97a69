/** Where a path leads. */
export interface Location {
  /** Absolute, without links: where a read or write of it really goes. */
  readonly path: string
  /** Relative to the workspace, with slashes; the absolute path where it is outside. What rules are matched with. */
  readonly relative: string
  /** Whether it is in the workspace, by where links and `..` lead. */
  readonly inside: boolean
}
