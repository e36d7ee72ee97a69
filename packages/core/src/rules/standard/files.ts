import { lineDiff } from "../../text/diff.js"
import { inline } from "../../text/reminder-text.js"
import type { Form } from "../../vocabulary/reminder.js"
import { listed } from "../capped.js"
import { defineRule, type Utterance } from "../rule.js"
import { onSignal } from "../shapes.js"
import { type Diagnostic, fieldsOf, type StandardSignals } from "../signals.js"

/** Over this the path says more than the diff. */
const LONGEST_DIFF = 6_000
const MOST_NAMES = 20
/** Over this, names of files stand together by their folder. */
const LONGEST_NAMES = 20_000
const MOST_DIAGNOSTICS = 20

/** A file the model has read was changed by someone else: the net difference since the last boundary. */
export const editedTextFile = onSignal({
  kind: "edited_text_file",
  signal: ["file.edited", "files.edited"],
  priority: 60,
  trust: "untrusted",
  key: (signal) => fieldsOf(signal, "file.edited")?.path ?? "",
  say: (signals) => {
    const many = signals.flatMap((signal) => fieldsOf(signal, "files.edited") ?? [])
    if (many.length > 0) return manyEdited(many)
    return oneEdited(signals.flatMap((signal) => fieldsOf(signal, "file.edited") ?? []))
  },
})

type Edit = Partial<StandardSignals["file.edited"]>

function oneEdited(edits: readonly Edit[]): readonly Form[] {
  const { path = "a file", before, returned = false } = edits[0] ?? {}
  const { after, deleted = false } = edits.at(-1) ?? {}
  const isSame = returned ? deleted : !deleted && before !== undefined && before === after
  if (isSame) return []
  const who = by(edits.map(({ actor }) => actor))
  if (deleted) return [{ line: `${inline(path)} was deleted ${who} since you last read it.` }]
  const line = returned
    ? `${inline(path)} is there again, put back ${who}.`
    : `${inline(path)} was changed ${who} since you last read it.`
  if (before !== undefined && before === after) return [{ line: `${line} It is as you last read it.` }]
  const pathOnly: Form = { line: `${line} Read it again before relying on it.` }
  const diff = before === undefined || after === undefined ? undefined : lineDiff(before, after)
  if (diff === undefined || diff.length > LONGEST_DIFF) return [pathOnly]
  return [{ line, body: { text: diff, source: path, trust: "untrusted" } }, pathOnly]
}

function manyEdited(edits: readonly Partial<StandardSignals["files.edited"]>[]): readonly Form[] {
  const paths = [...new Set(edits.flatMap(({ paths = [] }) => paths))]
  if (paths.length === 0) return []
  const who = by(edits.map(({ actor }) => actor))
  const line = `${paths.length} files were changed ${who} since you last read them. Read what is needed again:`
  const names = paths.map((path) => `- ${inline(path)}`).join("\n")
  const form = (text: string): Form => ({
    line,
    body: { text, source: "names of files", trust: "untrusted" },
  })
  const short = form(byFolder(paths).join("\n"))
  return names.length > LONGEST_NAMES ? [short] : [form(names), short]
}

/**
 * Lists every path in less room, those of a folder on one line: a checkout changes hundreds, and each has to be named.
 */
function byFolder(paths: readonly string[]): readonly string[] {
  const folders = new Map<string, string[]>()
  for (const path of paths) {
    const cut = path.lastIndexOf("/") + 1
    const folder = path.slice(0, cut)
    const names = folders.get(folder) ?? []
    names.push(inline(path.slice(cut)))
    folders.set(folder, names)
  }
  return [...folders].map(([folder, names]) =>
    folder === "" || names.length === 1
      ? `- ${names.map((name) => inline(folder) + name).join(", ")}`
      : `- ${inline(folder)}: ${names.join(", ")}`,
  )
}

function by(actors: readonly (string | undefined)[]): string {
  const names = actors.map((actor) => (actor === undefined ? "someone else" : inline(actor)))
  return `by ${[...new Set(names)].join(" and ")}`
}

export const compactFileReference = onSignal({
  kind: "compact_file_reference",
  signal: "file.not_restored",
  priority: 35,
  say: (signals) => {
    const paths = [...new Set(signals.flatMap((signal) => fieldsOf(signal, "file.not_restored")?.path ?? []))]
    if (paths.length === 0) return []
    const names = listed(
      paths.map((path) => `- ${inline(path)}`),
      MOST_NAMES,
    )
    return [
      {
        line: `Read before the conversation was compacted, and too large to show again. Read what is needed:\n${names}`,
      },
    ]
  },
})

/** Only problems that were not told before; what a later report no longer has is forgotten without a word. */
export const diagnostics = defineRule({
  kind: "diagnostics",
  priority: 55,
  trust: "untrusted",
  signals: ["diagnostics"],
  onlyOnSignals: true,
  keyOf: (signal) => fieldsOf(signal, "diagnostics")?.path ?? "",
  decide: ({ signals, memo }) => {
    const latest = new Map(
      signals.flatMap((signal) => {
        const { path = "", items = [] } = fieldsOf(signal, "diagnostics") ?? {}
        return [[path, items.map(problemAt)] as const]
      }),
    )
    return [...latest].map(([path, problems]): Utterance => {
      const told = (memo(path) as readonly ProblemAt[] | undefined) ?? []
      const fresh = newSince(told, problems)
      return { key: path, memo: problems, forms: fresh.length === 0 ? [] : diagnosticForms(path, fresh) }
    })
  },
})

/** Where a problem is, and what it is: code moves, and a problem with it. */
type ProblemAt = readonly [line: number, problem: string]

/** Finds new problems. One that was told on another line is the same, unless there are more of it now. */
function newSince(told: readonly ProblemAt[], now: readonly ProblemAt[]): readonly ProblemAt[] {
  const isSame = (a: ProblemAt, b: ProblemAt) => a[0] === b[0] && a[1] === b[1]
  const moved = without(told, now, isSame)
  return without(without(now, told, isSame), moved, (a, b) => a[1] === b[1])
}

/** Removes, for each of the others, one problem like it. */
function without(
  problems: readonly ProblemAt[],
  others: readonly ProblemAt[],
  isSame: (a: ProblemAt, b: ProblemAt) => boolean,
): readonly ProblemAt[] {
  const left = [...others]
  return problems.filter((problem) => {
    const at = left.findIndex((other) => isSame(problem, other))
    if (at !== -1) left.splice(at, 1)
    return at === -1
  })
}

function diagnosticForms(path: string, problems: readonly ProblemAt[]): readonly Form[] {
  const many = `${problems.length} new ${problems.length === 1 ? "problem" : "problems"}`
  const lines = problems.map(([line, problem]) => `line ${line}: ${problem}`)
  return [
    {
      line: `The language server reports ${many} in ${inline(path)}:`,
      body: {
        text: listed(lines, MOST_DIAGNOSTICS),
        source: path,
        trust: "untrusted",
        tag: "new-diagnostics",
      },
    },
    { line: `The language server reports ${many} in ${inline(path)}.` },
  ]
}

function problemAt({ line, severity = "problem", message, source }: Diagnostic): ProblemAt {
  return [line, `${severity}: ${inline(message)}${source === undefined ? "" : ` (${inline(source)})`}`]
}
