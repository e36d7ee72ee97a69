import { neutralise } from "@sotto/core"
import { accessTo } from "../execution/permissions/path-access.js"
import { judgeAll } from "../execution/permissions/rules.js"
import { ToolError } from "../platform/text/errors.js"
import type { Location } from "../platform/workspace/location.js"
import { EDIT } from "./definitions.js"
import { briefDiff, unifiedDiff } from "./diff.js"
import { hashOf } from "./file-views/known-files.js"
import { bytesIfAny, decode, writeWhole } from "./file-views/text-file.js"
import { type Replaced, replaceIn } from "./replace.js"
import type { Tool, ToolContext } from "./tool.js"

type EditInput = {
  readonly path: string
  readonly old: string
  readonly new: string
  readonly all?: boolean
}

export const editTool: Tool<EditInput> = {
  definition: EDIT,
  changes: true,

  async access(input, context) {
    const place = await context.place(input.path)
    // What is denied is not looked at, so that the refusal says nothing of what is there.
    const touched = accessTo("edit", place)
    if (judgeAll(context.judge, touched).action === "deny") return touched
    const { before, replaced } = await plan(input, place, context)
    return accessTo("edit", place, unifiedDiff(place.relative, before, replaced.text, replaced.regions))
  },

  async run(input, context) {
    const place = await context.place(input.path)
    const { before, replaced } = await plan(input, place, context)
    await writeWhole(place.path, replaced.text)
    const inert = context.files.get(place.path)?.neutralised === true || neutralise(replaced.text).count > 0
    context.files.wrote(place.path, replaced.text, hashOf(before), inert)
    const times = replaced.count === 1 ? "" : ` in ${replaced.count} places`
    return {
      content: `Edited ${place.relative}${times}.\n${briefDiff(before, replaced.text, replaced.regions)}`,
    }
  },
}

async function plan(
  input: EditInput,
  place: Location,
  { files }: ToolContext,
): Promise<{ readonly before: string; readonly replaced: Replaced }> {
  // Before the disk is looked at: what was never shown may be something the model must not learn of.
  if (files.get(place.path) === undefined) throw new ToolError(`Read ${place.relative} before you edit it.`)
  const bytes = await bytesIfAny(place)
  if (bytes === undefined)
    throw new ToolError(`${place.relative} is no longer there. Use write to create it again.`)
  if (files.isCurrent(place.path, bytes) !== true)
    throw new ToolError(`${place.relative} has changed since you read it. Read it again before you edit it.`)
  const decoded = decode(bytes)
  if (decoded?.encoding !== "utf-8")
    throw new ToolError(
      `${place.relative} is not UTF-8 text: editing would damage it. Use bash with a fitting program.`,
    )
  const asked = { old: input.old, new: input.new, all: input.all === true }
  return { before: decoded.text, replaced: replaceIn(decoded.text, asked, place.relative) }
}
