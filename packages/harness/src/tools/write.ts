import { restoreNeutralised } from "@sotto/core"
import { accessTo } from "../execution/permissions/path-access.js"
import { judgeAll } from "../execution/permissions/rules.js"
import { ToolError } from "../platform/text/errors.js"
import type { Location } from "../platform/workspace/location.js"
import { WRITE } from "./definitions.js"
import { regionBetween, unifiedDiff } from "./diff.js"
import { bytesIfAny, decode, writeWhole } from "./file-views/text-file.js"
import type { Tool, ToolContext } from "./tool.js"

type WriteInput = { readonly path: string; readonly content: string }

export const writeTool: Tool<WriteInput> = {
  definition: WRITE,
  changes: true,

  async access(input, context) {
    const place = await context.place(input.path)
    // What is denied is not looked at, so that the refusal says nothing of what is there.
    const touched = accessTo("edit", place)
    if (judgeAll(context.judge, touched).action === "deny") return touched
    const { before, after } = await plan(input, place, context)
    return accessTo(
      "edit",
      place,
      unifiedDiff(place.relative, before ?? "", after, regionBetween(before ?? "", after)),
    )
  },

  async run(input, context) {
    const place = await context.place(input.path)
    const { before, after } = await plan(input, place, context)
    await writeWhole(place.path, after)
    const known = context.files.get(place.path)
    // What was there is what was known: anything else would have been refused.
    const replaced = before === undefined ? null : (known?.hash ?? null)
    context.files.wrote(place.path, after, replaced, known?.neutralised)
    const lines = after.split("\n").length - (after.endsWith("\n") || after === "" ? 1 : 0)
    const what = before === undefined ? "Created" : "Replaced"
    return { content: `${what} ${place.relative} (${lines} ${lines === 1 ? "line" : "lines"}).` }
  },
}

/** Plans the write. `before` is undefined if the file does not exist yet. */
async function plan(
  { content }: WriteInput,
  place: Location,
  { files }: ToolContext,
): Promise<{ readonly before: string | undefined; readonly after: string }> {
  const after = files.get(place.path)?.neutralised === true ? restoreNeutralised(content) : content
  const bytes = await bytesIfAny(place)
  if (bytes === undefined) return { before: undefined, after }
  const current = files.isCurrent(place.path, bytes)
  if (current === undefined)
    throw new ToolError(
      `${place.relative} exists, and you have not read it. Read it first, then write or edit it.`,
    )
  if (!current)
    throw new ToolError(
      `${place.relative} has changed since you read it. Read it again before you overwrite it.`,
    )
  return { before: decode(bytes)?.text ?? "", after }
}
