import { field, listField, stringField } from "@sotto/core/dialect"
import { redact } from "@sotto/core/secrets"
import type { ShownChange, ToolUse } from "./page.js"

/** The longest arguments and sides of a change, and the longest result, that a page gets unasked. */
const LONGEST = 8_000
const LONGEST_RESULT = 2_000

/** Each agent has its own names for the path of a file and for the two sides of a replacement. */
const PATHS = ["path", "file_path", "filePath", "filename"]
const SIDES = [
  ["old", "new"],
  ["old_string", "new_string"],
  ["oldString", "newString"],
  ["old_str", "new_str"],
  ["oldText", "newText"],
] as const
const CONTENTS = ["content", "file_text", "contents"]

/** A tool call of a reply, and what came of it. */
export interface CalledWith {
  readonly id: string
  readonly name: string
  readonly input: unknown
  readonly result?: { readonly text: string; readonly error?: boolean; readonly at?: number }
}

/** Describes a tool call as a page shows it, without secrets: its arguments, its result and the files that it changes. */
export function toolUse({ id, name, input, result }: CalledWith, isWhole: boolean): ToolUse {
  const json = typeof input === "string" ? input : (JSON.stringify(input, undefined, 2) ?? "")
  const changes = changesIn(input).map(({ path, before, after }): ShownChange => {
    const old = before === undefined ? undefined : shortened(before, LONGEST, isWhole)
    const now = shortened(after, LONGEST, isWhole)
    return {
      path: redact(path),
      ...(old && { before: old.text }),
      after: now.text,
      ...((old?.cut || now.cut) && { cut: true }),
    }
  })
  return {
    id,
    name,
    input: shortened(json, LONGEST, isWhole),
    changes,
    ...(result && {
      result: {
        ...shortened(result.text, LONGEST_RESULT, isWhole),
        ...(result.error && { error: true }),
        ...(result.at !== undefined && { at: result.at }),
      },
    }),
  }
}

function shortened(
  text: string,
  most: number,
  isWhole: boolean,
): { readonly text: string; readonly cut?: true } {
  const all = redact(text)
  return isWhole || all.length <= most ? { text: all } : { text: all.slice(0, most), cut: true }
}

/** Finds the changes that the arguments of a call ask for. Only the names of fields tell; a tool may have any name. */
function changesIn(input: unknown): readonly ShownChange[] {
  const path = first(PATHS, input)
  if (path === undefined) return []
  const edits = [input, ...listField(input, "edits")].flatMap((edit) => {
    const sides = SIDES.find(
      ([old, now]) => typeof field(edit, old) === "string" && typeof field(edit, now) === "string",
    )
    if (sides === undefined) return []
    return [{ path, before: stringField(edit, sides[0]) ?? "", after: stringField(edit, sides[1]) ?? "" }]
  })
  const content = first(CONTENTS, input)
  return edits.length > 0 || content === undefined ? edits : [{ path, after: content }]
}

function first(names: readonly string[], input: unknown): string | undefined {
  for (const name of names) {
    const found = field(input, name)
    if (typeof found === "string") return found
  }
  return undefined
}
