/**
 * What a call would touch, for rules to be matched against. Permissions: `read`, `edit` (any change of a file),
 * `bash`, `task`, `team` (its list and mailbox), `skill`, `question`, `todo_write`, `plan_exit`, `snip`, `mcp` (a tool or
 * resource of an MCP server), `outside` (a path outside the workspace, in addition to read or edit), `network` (of commands
 * that run in a sandbox; its target is `*`), `fetch` (a host of the web), `search` (the provider's own search), `unconfined` (a command that would leave the sandbox).
 */
export interface Access {
  readonly permission: string
  /**
   * What a rule's pattern is matched with: a path relative to the workspace (absolute outside it), a command, a name;
   * of an MCP server `server/tool`; a host, with a port that is not the usual one.
   */
  readonly target: string
  /**
   * For `bash` and `mcp`: what it does as far as can be judged, or as its server says. Rules may name it: `bash:read`,
   * `bash:write`, `bash:unknown`, `mcp:read`.
   */
  readonly effect?: "read" | "write" | "unknown"
  /**
   * False where the target is known only in part: a word that a variable holds, a name that the shell completes, an
   * output that goes to a file. Then only a rule for everything (`*`) allows it.
   */
  readonly exact?: boolean
  /**
   * What it may turn out to be, with `*` for what is not known. A rule that asks or denies speaks of the access if it
   * might match one of these.
   */
  readonly perhaps?: readonly string[]
  /**
   * True if the command is there to look but runs code of the workspace or of its tools (`tsc --noEmit`, `npm ls`): it
   * counts as reading where a sandbox confines it.
   */
  readonly confinable?: true
  /** For the model, where the access is denied: what to do instead. */
  readonly advice?: string
  /** For the person who is asked: the exact command, or a diff. */
  readonly detail?: string
}

export type Action = "allow" | "ask" | "deny"
