import { lineDiff } from "../../diff/diff.js"
import { type Form, inline } from "../../reminder/reminder.js"
import { onSignal } from "../shapes.js"
import { fieldsOf } from "../signals.js"

/** A file the model has read was changed by someone else: the net difference since the last boundary. */
export const editedTextFile = onSignal({
  kind: "edited_text_file",
  signal: "file.edited",
  priority: 60,
  trust: "untrusted",
  key: (signal) => fieldsOf(signal, "file.edited")?.path ?? "",
  say: (signals) => {
    const edits = signals.flatMap((signal) => fieldsOf(signal, "file.edited") ?? [])
    const path = edits[0]?.path ?? "a file"
    const before = edits[0]?.before
    const after = edits.at(-1)?.after
    if (before !== undefined && before === after) return []
    const line = `${inline(path)} was changed ${by(edits.map(({ actor }) => actor))} since you last read it.`
    const pathOnly: Form = { line: `${line} Read it again before relying on it.` }
    const diff = before === undefined || after === undefined ? undefined : lineDiff(before, after)
    if (diff === undefined) return [pathOnly]
    return [{ line, body: { text: diff, source: path, trust: "untrusted" } }, pathOnly]
  },
})

function by(actors: readonly (string | undefined)[]): string {
  const known = [...new Set(actors.filter((actor) => actor !== undefined))]
  return known.length === 0 ? "by someone else" : `by ${known.map(inline).join(" and ")}`
}
