import type { Workplace } from "../loop/workplace.js"

/** What MCP servers have to be mentioned. */
export interface Resources {
  /** Of the servers. */
  readonly names: readonly string[]
  /** As far as they are known. */
  resources(): readonly { readonly server: string; readonly uri: string; readonly name: string }[]
  /** Throws, in words for people, if it cannot be had. */
  readResource(
    server: string,
    uri: string,
    signal: AbortSignal,
  ): Promise<{ readonly text?: string; readonly mediaType?: string; readonly bytes?: number } | undefined>
}

const NONE: Resources = {
  names: [],
  resources: () => [],
  readResource: () => Promise.resolve(undefined),
}

export function resourcesOf(workplace: Workplace & { readonly mcp?: Resources }): Resources {
  return workplace.mcp ?? NONE
}
