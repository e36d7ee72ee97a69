import { stat } from "node:fs/promises"
import { join } from "node:path"
import { accessTo } from "../execution/permissions/path-access.js"
import { readableIn } from "../execution/permissions/readable.js"
import { ripgrep } from "../execution/programs/ripgrep.js"
import { ToolError } from "../platform/text/errors.js"
import { GLOB } from "./definitions.js"
import type { Tool } from "./tool.js"
import { wantedFiles } from "./wanted-files.js"

type GlobInput = { readonly pattern: string; readonly path?: string }

const MOST_FILES = 200

export const globTool: Tool<GlobInput> = {
  definition: GLOB,
  changes: false,

  async access(input, context) {
    return accessTo("read", await context.place(input.path ?? "."))
  },

  async run(input, context) {
    const { pattern } = input
    const place = await context.place(input.path ?? ".")
    const found = await stat(place.path).catch(() => undefined)
    if (!found?.isDirectory()) throw new ToolError(`There is no directory ${place.relative}.`)
    const wanted = wantedFiles(pattern)
    const isReadable = readableIn(place, context.judge)
    const files: string[] = []
    await ripgrep(["--files", "--sortr=modified", ...wanted.args], place.path, context.abort, (file) => {
      if (wanted.matches(file.replaceAll("\\", "/")) && isReadable(file))
        files.push(place.relative === "." ? file : join(place.relative, file))
      return true
    })
    if (files.length === 0) return { content: `No file in ${place.relative} matches ${pattern}` }
    const more = files.length - MOST_FILES
    const note = more > 0 ? [`[${more} older files are not shown: use a narrower pattern or path.]`] : []
    return { content: [...files.slice(0, MOST_FILES), ...note].join("\n") }
  },
}
