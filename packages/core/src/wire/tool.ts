import type { Json } from "../json.js"

export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: { readonly [key: string]: Json }
  /** After a crash, a call without a result may simply be made again. */
  readonly safeToRepeat?: boolean
}

/** A tool as it is sent. */
export type PinnedTool = Omit<ToolDefinition, "safeToRepeat">

/** Tools that come and go within an epoch, where the provider can be told without touching the list already sent. */
export interface ToolChanges {
  readonly added: readonly PinnedTool[]
  readonly removed: readonly string[]
}

/** The order in which tools are sent. */
export function byName(a: PinnedTool, b: PinnedTool): number {
  return a.name < b.name ? -1 : 1
}
