import { inline } from "../../text/reminder-text.js"
import type { Json } from "../../vocabulary/json.js"
import type { Form } from "../../vocabulary/reminder.js"
import { clip } from "../capped.js"
import { onChange } from "../shapes.js"
import { stringIn } from "./facts.js"

const LONGEST_SELECTION = 2_000

export const selectedLinesInIde = onChange({
  kind: "selected_lines_in_ide",
  fact: "ide:selection",
  priority: 50,
  trust: "untrusted",
  threads: ["main"],
  afterCompaction: "keep",
  first: (_, selection) => selected(selection),
  changed: (_, __, selection) => selected(selection),
})

function selected(selection: Json): readonly Form[] {
  const file = stringIn(selection, "file")
  const text = stringIn(selection, "text")
  if (file === undefined || text === undefined || text === "") return []
  const { from, to } = selection as { readonly from?: Json; readonly to?: Json }
  const line =
    typeof from === "number" && typeof to === "number"
      ? `The user selected lines ${from} to ${to} of ${inline(file)} in the editor:`
      : `The user selected this in ${inline(file)}, in the editor:`
  return [{ line, body: { text: clip(text, LONGEST_SELECTION), source: file, trust: "untrusted" } }]
}

export const openedFileInIde = onChange({
  kind: "opened_file_in_ide",
  fact: "ide:file",
  priority: 15,
  trust: "untrusted",
  threads: ["main"],
  afterCompaction: "keep",
  first: (_, path) => opened(path),
  changed: (_, __, path) => opened(path),
})

function opened(path: Json): readonly Form[] {
  if (typeof path !== "string") return []
  return [
    { line: `The user opened ${inline(path)} in the editor. It may or may not have to do with the task.` },
  ]
}
