import type { Json } from "./json.js"

/** A tool that the model can call. */
export interface ToolDefinition {
  /** What the model calls it by. */
  readonly name: string
  /** What it does, for the model. */
  readonly description: string
  /** What it takes, as JSON Schema. */
  readonly inputSchema: { readonly [key: string]: Json }
  /**
   * The provider runs it, inside of its reply: a definition of the provider's own is sent in place of this one, where it has
   * one. It is offered to agents whose rules do not deny the permission of this name.
   */
  readonly provided?: "search"
  /** After a crash, a call without a result may simply be made again. */
  readonly safeToRepeat?: boolean
  /** What an economy may do with results once they are old. It is not sent. */
  readonly results?: ResultPolicy
}

/** What becomes of a tool's results once they are old, where the session has an economy. */
export interface ResultPolicy {
  /**
   * "stub": the call can be made again, so that a line which says so will do. "tail": the call cannot be made again, so that
   * the last lines stay. "keep": nothing is dropped. Unless given: "stub" for a tool that is safe to repeat, else "tail".
   */
  readonly old?: "stub" | "tail" | "keep"
  /** The field of the input that names the file which a call reads. A later read of the same file supersedes it. */
  readonly reads?: string
  /** The field of the input that names the file which a call changes. Reads that are younger than the change are kept. */
  readonly edits?: string
}

/** A tool as it is sent. */
export type PinnedTool = Omit<ToolDefinition, "safeToRepeat" | "results">

/** Tools that come and go within an epoch, where the provider can be told without touching the list already sent. */
export interface ToolChanges {
  /** Tools that can be called from here on. */
  readonly added: readonly PinnedTool[]
  /** Names of tools that can no longer be called. */
  readonly removed: readonly string[]
}

/** Lists the tools that the session runs. */
export function ownTools(tools: readonly PinnedTool[]): readonly PinnedTool[] {
  return tools.filter(({ provided }) => provided === undefined)
}

/** True if the provider is to offer its own search. */
export function offersSearch(tools: readonly PinnedTool[]): boolean {
  return tools.some(({ provided }) => provided === "search")
}

/** Orders tools as they are sent. */
export function byName(a: PinnedTool, b: PinnedTool): number {
  return a.name < b.name ? -1 : 1
}
