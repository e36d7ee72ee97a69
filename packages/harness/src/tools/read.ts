import { accessTo } from "../execution/permissions/path-access.js"
import { READ } from "./definitions.js"
import { readPlace } from "./file-views/file-view.js"
import type { Tool } from "./tool.js"

type ReadInput = {
  readonly path: string
  readonly offset?: number
  readonly limit?: number
  readonly pages?: string
}

export interface ReadOptions {
  /** Whether the model takes PDFs as they are, or needs their text. Both are given if this is left out. */
  readonly documents?: () => boolean
}

export function readTool(options: ReadOptions = {}): Tool<ReadInput> {
  return {
    definition: READ,
    changes: false,

    async access(input, context) {
      return accessTo("read", await context.place(input.path))
    },

    async run(input, context) {
      const place = await context.place(input.path)
      const { content, seen } = await readPlace(place, input, options.documents?.())
      context.files.remember(place.path, seen.content, seen.neutralised, seen.stat)
      return { content }
    },
  }
}
