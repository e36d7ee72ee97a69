import type { Question } from "@sotto/harness"
import { expand } from "../input/buffer.js"
import { layoutOf } from "../input/layout.js"
import { renderMarkdown } from "../markdown/render.js"
import type { Option, Posed, QuestionQueue } from "../state/open-questions.js"
import { cutLine, lines, type ScreenLine, span, wrap } from "../text/line.js"
import { visible, widthOf } from "../text/width.js"
import { diffLines, isDiff } from "./diff.js"
import type { Look } from "./look.js"

export interface Panel {
  readonly rows: readonly ScreenLine[]
  /** Where the cursor is, if words are being entered. */
  readonly cursor?: { readonly row: number; readonly column: number }
}

/**
 * Draws what a question is about.
 * @param most the most rows of a diff; a longer one is folded
 */
export function subjectLines(question: Question, look: Look, most?: number): readonly ScreenLine[] {
  switch (question.kind) {
    case "permission": {
      const { permission, target, detail, tool, accesses = [] } = question
      const isAlone = accesses.length <= 1
      const what = isAlone ? visible(target) : wholeOf(question)
      const head: ScreenLine = [
        ...whose(question),
        span(tool, { bold: true }),
        span(` ${wish(permission)} `),
        span(what, { bold: true }),
      ]
      const isSaid = detail === undefined || detail === target || visible(detail) === what
      return [
        ...wrap(head, look.width, { anywhere: true }),
        ...(isSaid ? [] : detailLines(detail, look, target, most)),
        ...(isAlone ? [] : accessLines(accesses, look)),
      ]
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

/** Puts a command line of one row in the heading; a longer one, or a diff, stands below it. */
function wholeOf({ tool, target, detail }: Permission): string {
  if (tool !== "bash" || detail === undefined) return visible(target)
  return detail.includes("\n") ? "these commands:" : visible(detail)
}

type Permission = Extract<Question, { kind: "permission" }>

/** What some permissions are called in the list of what a call would do. */
const VERBS: Readonly<Record<string, string>> = { bash: "runs ", unconfined: "leaves the sandbox with " }

function accessLines(accesses: NonNullable<Permission["accesses"]>, { width }: Look): readonly ScreenLine[] {
  const rows = accesses.flatMap(({ permission, target, needs }) => {
    const verb = VERBS[permission] ?? `${permission} `
    const note = needs ? [] : [span("  (allowed already)", { dim: true })]
    return wrap(
      [span(verb, { dim: true }), span(visible(target), needs ? { bold: true } : {}), ...note],
      width,
      {
        first: [span(needs ? "  ? " : "  ✓ ", { colour: needs ? "attention" : "success" })],
        rest: [span("    ")],
        anywhere: true,
      },
    )
  })
  return [[span("It would:", { dim: true })], ...rows]
}

function whose({ agent }: Question): ScreenLine {
  return agent === undefined ? [] : [span(`${visible(agent)}: `, { colour: "subagent" })]
}

function wish(permission: string): string {
  switch (permission) {
    case "bash":
      return "wants to run"
    case "edit":
      return "wants to change"
    case "read":
      return "wants to read"
    case "fetch":
      return "wants a page of"
    case "outside":
      return "wants to go outside the project:"
    case "unconfined":
      return "wants to run, outside the sandbox,"
    default:
      return `wants ${permission}:`
  }
}

function detailLines(
  detail: string,
  look: Look,
  path: string,
  most: number | undefined,
): readonly ScreenLine[] {
  const { width } = look
  if (isDiff(detail)) return diffLines(detail, { ...look, path, most })
  return lines(visible(detail)).flatMap((row) => wrap(row, width, { first: [span("  ")], anywhere: true }))
}

/** True if a question shows a diff: it is drawn in the file's colours. */
export function asksAboutDiff(question: Question): boolean {
  return question.kind === "permission" && question.detail !== undefined && isDiff(question.detail)
}

/** True if all of a question can stand above its answers. A plan is to stay in the conversation anyway. */
export function fits({ question, options }: Omit<Posed, "printed">, look: Look, rows: number): boolean {
  if (question.kind === "plan") return false
  return subjectLines(question, inside(look), rows).length + options.length + 4 <= rows
}

export function askPanel(asking: QuestionQueue, look: Look, onEscape = BACK): Panel {
  const [posed, ...later] = asking.open
  if (posed === undefined) return { rows: [] }
  const { question, options, printed } = posed
  const bar: ScreenLine = [span("┃ ", { colour: "attention" })]
  const subject = printed
    ? [cutLine(shortSubject(question), inside(look).width)]
    : subjectLines(question, inside(look))
  const body = [...subject, ...(asking.entry ? [] : optionLines(options, asking, inside(look).width))]
  const framed = body.map((row) => [...bar, ...row])
  const entered = entryPanel(asking, look, bar)
  const more = later.length > 0 ? ` · ${later.length} more after this` : ""
  const hint = cutLine([...bar, span(hintFor(asking, onEscape) + more, { dim: true })], look.width)
  return {
    rows: [...framed, ...entered.rows, hint],
    ...(entered.cursor && { cursor: { ...entered.cursor, row: entered.cursor.row + framed.length } }),
  }
}

function optionLines(
  options: readonly Option[],
  asking: QuestionQueue,
  width: number,
): readonly ScreenLine[] {
  const isFocused = asking.focus === "question"
  const widest = Math.max(0, ...options.map(({ label }) => widthOf(visible(label))))
  const scopes = options.map(({ scope }) => visible(scope?.("") ?? ""))
  const fits = scopes.every((scope) => 4 + widest + 2 + widthOf(scope) <= width)
  return options.flatMap(({ label }, i): readonly ScreenLine[] => {
    const isChosen = isFocused && i === asking.choice
    const style = isChosen ? { bold: true, inverse: true } : isFocused ? {} : { dim: true }
    const name = visible(label)
    const gap = " ".repeat(widest - widthOf(name) + 2)
    const head = [span(isChosen ? "❯ " : "  "), span(`${i + 1} ${name}`, style)]
    const scope = scopes[i] ?? ""
    if (fits) return [[...head, span(`${gap}${scope}`, { dim: true })]]
    const below =
      isChosen && scope !== "" ? wrap([span(scope, { dim: true })], width, { first: [span("    ")] }) : []
    return [cutLine(head, width), ...below]
  })
}

function entryPanel({ entry, open }: QuestionQueue, look: Look, bar: ScreenLine): Panel {
  const [posed] = open
  if (entry === undefined || posed === undefined) return { rows: [] }
  const option = posed.options[entry.option]
  const label = option?.label.replace("…", "") ?? ""
  const covers = option?.scope?.(expand(entry.buffer).trim())
  const scope =
    covers === undefined
      ? []
      : wrap([span(visible(covers), { dim: true })], inside(look).width).map(
          (row): ScreenLine => [...bar, ...row],
        )
  const layout = layoutOf(entry.buffer, inside(look).width - 2)
  const rows = layout.rows.map(({ text }): ScreenLine => [...bar, span("› ", { bold: true }), span(text)])
  return {
    rows: [cutLine([...bar, span(`${label}:`, { bold: true })], look.width), ...rows, ...scope],
    cursor: { row: layout.cursor.row + 1, column: layout.cursor.column + 4 },
  }
}

/** What Esc does while the keys belong to a question. */
const BACK = "Esc back to your message"

function hintFor({ focus, entry }: QuestionQueue, onEscape: string): string {
  if (entry) return "Enter confirms · Esc goes back"
  if (focus === "draft") return "Tab turns to this question · your message stays"
  return focus === "arming" ? "…" : `↑↓ and Enter, or a number · ${onEscape}`
}

function shortSubject(question: Question): ScreenLine {
  switch (question.kind) {
    case "permission": {
      const where = asksAboutDiff(question) ? "the diff is above" : "all of it above"
      return [span(`${question.tool} ${wish(question.permission)} ${visible(question.target)}, ${where}`)]
    }
    case "question":
      return [span("The question stands above")]
    case "plan":
      return [span(`The plan in ${visible(question.path)}, which stands above`)]
  }
}

function inside(look: Look): Look {
  return { ...look, width: Math.max(8, look.width - 2) }
}
