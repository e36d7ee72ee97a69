/**
 * What a call would touch, for rules to be matched against. Permissions: `read`, `edit` (any change of a file),
 * `bash`, `task`, `team` (its list and mailbox), `skill`, `question`, `todo_write`, `plan_exit`, `snip`, `outside` (a
 * path outside the workspace, in addition to read or edit), or the name of an MCP tool.
 */
export interface Access {
  readonly permission: string
  /** What a rule's pattern is matched with: a path relative to the workspace (absolute outside it), a command, a name. */
  readonly target: string
  /** For `bash`: what the command does as far as can be judged. Rules may name it: `bash:read`, `bash:write`, `bash:unknown`. */
  readonly effect?: "read" | "write" | "unknown"
  /** For the person who is asked: the exact command, or a diff. */
  readonly detail?: string
}

export type Action = "allow" | "ask" | "deny"
