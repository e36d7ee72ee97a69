import type { Json } from "../json.js"

/** A tool that the model can call. */
export interface ToolDefinition {
  /** What the model calls it by. */
  readonly name: string
  /** What it does, for the model. */
  readonly description: string
  /** What it takes, as JSON Schema. */
  readonly inputSchema: { readonly [key: string]: Json }
  /** After a crash, a call without a result may simply be made again. */
  readonly safeToRepeat?: boolean
}

/** A tool as it is sent. */
export type PinnedTool = Omit<ToolDefinition, "safeToRepeat">

/** Tools that come and go within an epoch, where the provider can be told without touching the list already sent. */
export interface ToolChanges {
  /** Tools that can be called from here on. */
  readonly added: readonly PinnedTool[]
  /** Names of tools that can no longer be called. */
  readonly removed: readonly string[]
}

/** The order in which tools are sent. */
export function byName(a: PinnedTool, b: PinnedTool): number {
  return a.name < b.name ? -1 : 1
}
