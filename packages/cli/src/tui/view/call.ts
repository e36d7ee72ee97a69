import type { Json } from "@sotto/core"
import { ranFor } from "../state/reduce.js"
import type { FinishedCall, IncomingCall, RunningCall, Screen, TypedCommand } from "../state/screen.js"
import { cutLine, lines, type ScreenLine, span, type TextSpan, wrap } from "../text/line.js"
import { clean, widthOf } from "../text/width.js"
import { diffLines, foldedNote, isDiff, languageOf, sizeOf } from "./diff.js"
import { count, duration, type Look } from "./look.js"

const FOLDED_DIFF = 14
const FOLDED_OUTPUT = 3
const FOLDED_ANSWER = 5
const FOLDED_TYPED = 20
const SLOW = 2

type Input = Readonly<Record<string, unknown>>

/** Says on one line what a call is about. The file that it names is a link, where a link can be made. */
export function titleOf(name: string, input: Json, link?: Look["link"]): ScreenLine {
  const fields = inputOf(input)
  const text = (field: string) => clean(String(fields[field] ?? "")).split("\n")[0] ?? ""
  const named = (what: string): ScreenLine => [span(name, { bold: true }), span(` ${what}`)]
  const file = (what: string): ScreenLine => {
    const address = typeof fields.path === "string" ? link?.(fields.path) : undefined
    return address === undefined
      ? named(what)
      : [span(name, { bold: true }), span(" "), span(what, { link: address })]
  }
  switch (name) {
    case "bash": {
      const command = clean(String(fields.command ?? ""))
      const more = command.includes("\n") ? " …" : ""
      return [span("$ ", { bold: true }), span(`${command.split("\n")[0]}${more}`)]
    }
    case "read": {
      const { offset, limit, pages } = fields
      const from = typeof offset === "number" ? offset : 1
      const part =
        pages !== undefined
          ? ` pages ${pages}`
          : offset === undefined && limit === undefined
            ? ""
            : `:${from}${typeof limit === "number" ? `–${from + limit - 1}` : "–"}`
      return file(`${text("path")}${part}`)
    }
    case "edit":
    case "write":
      return file(text("path"))
    case "fetch":
      return named(text("url"))
    case "glob":
      return named(`${text("pattern")}${fields.path === undefined ? "" : ` in ${text("path")}`}`)
    case "grep":
      return named(`${text("pattern")}${fields.path === undefined ? "" : ` in ${text("path")}`}`)
    case "task":
      return [span("task", { bold: true }), span(` ${text("agent")}: ${text("prompt")}`)]
    case "skill":
      return named(text("name"))
    case "todo_write":
      return [span("todos", { bold: true })]
    case "question":
      return named(text("question"))
    default: {
      const compact = clean(JSON.stringify(input) ?? "")
      return named(compact === "{}" ? "" : compact)
    }
  }
}

export function callLines(call: FinishedCall, look: Look): readonly ScreenLine[] {
  const mark = call.error ? span("✗ ", { colour: "error" }) : span("✓ ", { colour: "success" })
  const notes = [summaryOf(call), call.seconds >= SLOW ? duration(call.seconds) : ""].filter(
    (one) => one !== "",
  )
  const note: readonly TextSpan[] = notes.length === 0 ? [] : [span(`  ${notes.join(" · ")}`, { dim: true })]
  // What could not be touched need not be there.
  const title = titleOf(call.name, call.input, call.error ? undefined : look.link)
  const head = cutLine([span("  "), mark, ...title, ...note], look.width)
  const body = look.shows?.unfolded
    ? fullCall(call, { ...look, width: look.width - 4 })
    : foldedBody(call, look)
  return [head, ...body.map((row) => [span("    "), ...row])]
}

export function runningLines(
  call: RunningCall,
  spinner: string,
  now: number,
  look: Look,
): readonly ScreenLine[] {
  const seconds = ranFor(call, now)
  const time =
    call.asked !== undefined
      ? [span("  waits for your answer", { dim: true })]
      : seconds < SLOW
        ? []
        : [span(`  ${duration(seconds)}`, { dim: true })]
  const head = [
    span("  "),
    span(`${spinner} `, { colour: "attention" }),
    ...titleOf(call.name, call.input),
    ...time,
  ]
  return [
    cutLine(head, look.width),
    ...call.progress.map((text) => cutLine([span(`    ${clean(text)}`, { dim: true })], look.width)),
  ]
}

/** Draws a command that the person ran, with more of its output than of the agent's: they wanted to see it. */
export function typedLines({ command, output, failed }: TypedCommand, look: Look): readonly ScreenLine[] {
  const mark = failed ? span("✗ ", { colour: "error" }) : span("✓ ", { colour: "success" })
  const [first = "", ...more] = clean(command).split("\n")
  const head = cutLine(
    [span("  "), mark, span("! ", { bold: true }), span(`${first}${more.length > 0 ? " …" : ""}`)],
    look.width,
  )
  const all = lines(clean(output.trim())).flatMap((row) => wrap(row, look.width - 4, { anywhere: true }))
  const kept = look.shows?.unfolded ? all : all.slice(-FOLDED_TYPED)
  const hidden = all.length - kept.length
  const body = hidden > 0 ? [hint(`… ${count(hidden, "line")} above (Ctrl+O)`), ...kept] : kept
  return [head, ...body.map((row) => [span("    "), ...row])]
}

export function typedRunning(
  { command, startedAt, progress }: NonNullable<Screen["typed"]>,
  spinner: string,
  now: number,
  { width }: Look,
): readonly ScreenLine[] {
  const first = clean(command).split("\n")[0] ?? ""
  const note = `  ${duration((now - startedAt) / 1000)} · Esc stops it`
  const title = cutLine([span("! ", { bold: true }), span(first)], Math.max(8, width - widthOf(note) - 4))
  return [
    cutLine(
      [span("  "), span(`${spinner} `, { colour: "attention" }), ...title, span(note, { dim: true })],
      width,
    ),
    ...progress.map((text) => cutLine([span(`    ${clean(text)}`, { dim: true })], width)),
  ]
}

export function incomingLine({ name, about, size }: IncomingCall, spinner: string, look: Look): ScreenLine {
  const subject = about === undefined ? "" : ` ${clean(about).split("\n")[0] ?? ""}`
  const came =
    size === 0 ? "" : ` · ${size < 1_000 ? size : `${(size / 1000).toFixed(1)}k`} characters so far`
  const note = `  is being written${came}`
  const room = look.width - widthOf(note) - 4
  const title = cutLine([span(name, { bold: true }), span(subject)], Math.max(8, room))
  return cutLine(
    [span("  "), span(`${spinner} `, { colour: "attention" }), ...title, span(note, { dim: true })],
    look.width,
  )
}

function summaryOf({ name, output, error, input }: FinishedCall): string {
  if (error) return ""
  const rows = output === "" ? 0 : output.split("\n").length
  switch (name) {
    case "read":
      return count(rows, "line")
    case "glob":
      return /^No file/.test(output) ? "nothing" : count(rows, "file")
    case "grep":
      return /^No match/i.test(output) ? "nothing" : count(rows, "line")
    case "edit": {
      const { added, removed } = sizeOf(output)
      return `+${added} −${removed}`
    }
    case "write":
      return /\(\d+ lines?\)/.exec(output)?.[0].slice(1, -1) ?? ""
    case "todo_write": {
      const todos = inputOf(input).todos
      const all = Array.isArray(todos) ? todos : []
      const done = all.filter((todo) => (todo as Input | null)?.status === "completed").length
      return `${done} of ${all.length} done`
    }
    default:
      return ""
  }
}

function foldedBody(call: FinishedCall, look: Look): readonly ScreenLine[] {
  const { width } = look
  const { name, output, error } = call
  if (!error && (name === "question" || name === "plan_exit"))
    return lines(clean(output)).flatMap((row) => wrap(row, width - 4))
  if (!error && name === "edit" && isDiff(output))
    return diffLines(output, { ...look, width: width - 4, path: pathOf(call), most: FOLDED_DIFF })
  if (!error && isOfServer(name)) {
    const rows = clean(output.trim())
      .split("\n")
      .map((row) => cutLine([span(row, { dim: true })], width - 4))
    if (rows.length <= FOLDED_ANSWER + 1) return rows
    return [...rows.slice(0, FOLDED_ANSWER), foldedNote(rows.length - FOLDED_ANSWER)]
  }
  if (name === "bash" || name === "task" || error) {
    const all = clean(output.trim())
    if (all === "" || all === "[no output]") return []
    const rows = all.split("\n")
    const kept = rows.slice(-FOLDED_OUTPUT)
    const more = rows.length - kept.length
    const style = error ? { colour: "error" } : { dim: true }
    return [
      ...(more > 0 ? [hint(`… ${count(more, "line")} above (Ctrl+O)`)] : []),
      ...kept.map((row) => cutLine([span(row, style)], width - 4)),
    ]
  }
  return []
}

export function fullCall(call: FinishedCall, look: Look): readonly ScreenLine[] {
  const { width } = look
  const { name, output, error } = call
  const isSaid = name === "read" || name === "fetch" || name === "glob" || name === "todo_write"
  const given = isSaid || (name === "edit" && isDiff(output)) ? "" : givenTo(call)
  const style = error ? { colour: "error" } : { dim: true }
  const result = isDiff(output)
    ? diffLines(output, { ...look, path: pathOf(call) })
    : lines(clean(output), style).flatMap((row) => wrap(row, width, { anywhere: true }))
  const path = name === "write" ? pathOf(call) : undefined
  const code = path === undefined ? undefined : look.highlight?.(clean(given), languageOf(path))
  const asked =
    given === "" ? [] : (code ?? lines(clean(given))).flatMap((row) => wrap(row, width, { anywhere: true }))
  return [...asked, ...result]
}

export function givenTo({ name, input }: Pick<FinishedCall, "name" | "input">): string {
  const fields = inputOf(input)
  if (name === "bash") return String(fields.command ?? "")
  return name === "write" ? String(fields.content ?? "") : (JSON.stringify(input, null, 2) ?? "")
}

/** True if the call changed a file: what it shows of it is printed in the file's colours. */
export function showsCode({ name, error }: FinishedCall): boolean {
  return !error && (name === "edit" || name === "write")
}

function pathOf({ input }: FinishedCall): string | undefined {
  const { path } = inputOf(input)
  return typeof path === "string" ? path : undefined
}

/** True for a tool of an MCP server, or the one that reaches them all. */
function isOfServer(name: string): boolean {
  return name === "mcp" || name.startsWith("mcp__")
}

function hint(text: string): ScreenLine {
  return [span(text, { dim: true, italic: true })]
}

function inputOf(input: Json): Input {
  return typeof input === "object" && input !== null && !Array.isArray(input) ? (input as Input) : {}
}
