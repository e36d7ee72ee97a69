import type { Question } from "@sotto/harness"
import { layoutOf } from "../input/layout.js"
import { renderMarkdown } from "../markdown/render.js"
import { type Asking, optionsOf } from "../state/asking.js"
import { cutLine, type Line, lines, span, wrap } from "../text/line.js"
import { visible } from "../text/width.js"
import { diffLines, isDiff } from "./diff.js"
import type { Look } from "./look.js"

export interface Panel {
  readonly rows: readonly Line[]
  /** Where the cursor is, if words are being entered. */
  readonly cursor?: { readonly row: number; readonly column: number }
}

/** What is asked, all of it: the exact command, the whole diff, the plan. */
export function subjectLines(question: Question, look: Look): readonly Line[] {
  switch (question.kind) {
    case "permission": {
      const { permission, target, detail, tool } = question
      const head: Line = [
        ...whose(question),
        span(tool, { bold: true }),
        span(` ${wish(permission)} `),
        span(visible(target), { bold: true }),
      ]
      const about = detail === undefined || detail === target ? [] : detailLines(detail, look)
      return [...wrap(head, look.width), ...about]
    }
    case "question":
      return [
        ...(question.agent === undefined ? [] : [whose(question)]),
        ...renderMarkdown(question.question, look.width, look.highlight),
      ]
    case "plan":
      return [
        ...wrap([span("The plan in "), span(visible(question.path), { bold: true })], look.width),
        ...renderMarkdown(question.plan, look.width, look.highlight),
      ]
  }
}

/** A subagent that asks says who it is. */
function whose({ agent }: Question): Line {
  return agent === undefined ? [] : [span(`${visible(agent)}: `, { colour: "magenta" })]
}

/** What a permission is for, after the name of the tool. */
function wish(permission: string): string {
  switch (permission) {
    case "bash":
      return "wants to run"
    case "edit":
      return "wants to change"
    case "read":
      return "wants to read"
    case "outside":
      return "wants to go outside the project:"
    default:
      return `wants ${permission}:`
  }
}

function detailLines(detail: string, { width }: Look): readonly Line[] {
  if (isDiff(detail)) return diffLines(detail, width)
  return lines(visible(detail)).flatMap((row) => wrap(row, width, { first: [span("  ")], anywhere: true }))
}

/** Whether all of a question can stand above its answers. A plan is to stay in the conversation anyway. */
export function fits(question: Question, look: Look, rows: number): boolean {
  if (question.kind === "plan") return false
  return subjectLines(question, inside(look)).length + optionsOf(question).length + 2 <= rows
}

/** The question and its answers. */
export function askPanel(asking: Asking, look: Look): Panel {
  const [posed, ...later] = asking.open
  if (posed === undefined) return { rows: [] }
  const { question, printed } = posed
  const bar: Line = [span("┃ ", { colour: "yellow" })]
  const subject = printed
    ? [cutLine(shortSubject(question), inside(look).width)]
    : subjectLines(question, inside(look))
  const options = optionsOf(question)
  const isFocused = asking.focus === "question"
  const listed = options.map(({ label }, i): Line => {
    const isChosen = isFocused && i === asking.choice
    const style = isChosen ? { bold: true, inverse: true } : isFocused ? {} : { dim: true }
    return cutLine(
      [span(isChosen ? "❯ " : "  "), span(`${i + 1} ${visible(label)}`, style)],
      inside(look).width,
    )
  })
  const body = [...subject, ...(asking.entry ? [] : listed)]
  const framed = body.map((row) => [...bar, ...row])
  const entered = entryPanel(asking, look, bar)
  const more = later.length > 0 ? ` · ${later.length} more after this` : ""
  const hint = cutLine([...bar, span(hintFor(asking) + more, { dim: true })], look.width)
  return {
    rows: [...framed, ...entered.rows, hint],
    ...(entered.cursor && { cursor: { ...entered.cursor, row: entered.cursor.row + framed.length } }),
  }
}

function entryPanel({ entry, open }: Asking, look: Look, bar: Line): Panel {
  const [posed] = open
  if (entry === undefined || posed === undefined) return { rows: [] }
  const label = optionsOf(posed.question)[entry.option]?.label.replace("…", "") ?? ""
  const layout = layoutOf(entry.buffer, inside(look).width - 2)
  const rows = layout.rows.map(({ text }): Line => [...bar, span("› ", { bold: true }), span(text)])
  return {
    rows: [cutLine([...bar, span(`${label}:`, { bold: true })], look.width), ...rows],
    cursor: { row: layout.cursor.row + 1, column: layout.cursor.column + 4 },
  }
}

function hintFor({ focus, entry }: Asking): string {
  if (entry) return "Enter confirms · Esc goes back"
  if (focus === "draft") return "Tab turns to this question · your message stays"
  return focus === "arming" ? "…" : "↑↓ and Enter, or a number · Esc back to your message"
}

function shortSubject(question: Question): Line {
  switch (question.kind) {
    case "permission":
      return [
        span(`${question.tool} ${wish(question.permission)} ${visible(question.target)}, all of it above`),
      ]
    case "question":
      return [span("The question stands above")]
    case "plan":
      return [span(`The plan in ${visible(question.path)}, which stands above`)]
  }
}

function inside(look: Look): Look {
  return { ...look, width: Math.max(8, look.width - 2) }
}
