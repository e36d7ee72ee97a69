import type { Question } from "@sotto/harness"
import { exposed } from "../screen/inert.js"
import type { Ink, InkPiece } from "../screen/ink.js"

/** Begins every line of a question. Nothing else that is printed can contain it. */
export const MARK = "┃"

/** Escapes the mark in text from outside, so that no line of it can look like a line of a question. */
export function unmarked(text: string): string {
  return text.replaceAll(MARK, "\\u{2503}")
}

export function questionText(question: Question, ink: Ink, columns = 80): readonly InkPiece[] {
  const told = (text: string, indent = "  ") => framed(text, indent, columns)
  const by = question.agent === undefined ? "" : `${exposed(question.agent)}: `
  const lines = (head: string, rows: readonly string[]): readonly InkPiece[] => [
    ...framed(head, "", columns).flatMap((row) => [ink.bold(row), "\n"]),
    ...rows.flatMap((row) => [row, "\n"]),
  ]
  switch (question.kind) {
    case "permission": {
      const { tool, permission, target, detail, accesses = [] } = question
      const more =
        detail === undefined || detail === target ? [] : [...told("all of it:"), ...told(detail, "    ")]
      return lines(`? ${by}allow ${exposed(tool)}: ${exposed(permission)}`, [
        ...told(target, "    "),
        ...more,
        ...(accesses.length > 1 ? told("everything that it would do:") : []),
        ...(accesses.length > 1 ? accesses.flatMap((one) => told(accessText(one), "    ")) : []),
      ])
    }
    case "question":
      return lines(
        `? ${by}${question.question}`,
        (question.options ?? []).flatMap((one) => told(`- ${one}`)),
      )
    case "plan":
      return lines(`? ${by}the plan in ${question.path}: approve, or say what to change`, told(question.plan))
  }
}

function accessText(access: {
  readonly permission: string
  readonly target: string
  readonly needs: boolean
}): string {
  return `${access.permission} ${access.target}${access.needs ? "" : " (allowed already)"}`
}

/** Puts each line behind the mark, broken before the terminal would break it: a row without the mark is never ours. */
function framed(text: string, indent: string, columns: number): readonly string[] {
  const room = Math.max(8, columns - indent.length - 4)
  return unmarked(exposed(text))
    .split("\n")
    .flatMap((line) => broken(line, room))
    .map((row) => `${MARK} ${indent}${row}`)
}

function broken(line: string, room: number): readonly string[] {
  const rows: string[] = []
  let row = ""
  let used = 0
  for (const character of line) {
    // Whatever is not ASCII may take two columns.
    const wide = character > "~" ? 2 : 1
    if (used + wide > room) {
      rows.push(row)
      row = ""
      used = 0
    }
    row += character
    used += wide
  }
  return [...rows, row]
}
