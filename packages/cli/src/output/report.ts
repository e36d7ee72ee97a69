import type { Break, Finding, Report, ThreadReport } from "@sotto/lens"
import type { Ink, InkPiece } from "../screen/ink.js"
import { counted, percent, whole } from "./figures.js"
import { byCost, priceTag, purposeOf, summaryOf, tokensLine } from "./summary.js"
import { fitted, wrapped } from "./wrapped.js"

export interface ReportStyle {
  readonly ink: Ink
  /** Columns. */
  readonly width: number
  /** Everything, and excerpts in full. */
  readonly verbose: boolean
}

type Lines = readonly (readonly InkPiece[])[]

const MOST_FINDINGS = 12
const MOST_BREAKS = 5
const MOST_THREADS = 20

export function reportLines(report: Report, style: ReportStyle): Lines {
  const { ink, width, verbose } = style
  const names = new Map(report.threads.map((thread) => [thread.id, thread]))
  const findings = verbose ? byCost(report.findings) : gathered(byCost(report.findings))
  const shown = verbose ? findings : findings.slice(0, MOST_FINDINGS)
  // Threads in which something happened come first; the rest is told only on request.
  const threads = report.threads.toSorted((a, b) => b.breaks.length - a.breaks.length || b.calls - a.calls)
  const told = verbose ? threads : threads.slice(0, MOST_THREADS)
  return [
    ...wrapped(summaryOf(report), width).map((line) => [ink.bold(line)]),
    ...(findings.length === 0 ? [["Nothing was found that would have to be mended."]] : []),
    ...(findings.length > 0 ? [[], [ink.bold("Findings, the most expensive first")]] : []),
    ...shown.flatMap((finding) => findingLines(finding, names, report.sources.length > 1, style)),
    ...left(findings.length - shown.length, "finding", style),
    ...(threads.length > 0 ? [[], [ink.bold("Threads")]] : []),
    ...told.flatMap((thread) => threadLines(thread, style)),
    ...left(threads.length - told.length, "thread", style),
    ...legend(report, style),
  ]
}

function legend({ threads }: Report, { ink, width }: ReportStyle): Lines {
  const sentences = [
    ...(threads.length > 1
      ? [
          "A thread is a series of calls that continue one another; subagents, titles and summaries are threads of their own.",
        ]
      : []),
    ...(threads.some(({ breaks }) => breaks.length > 0)
      ? [
          "A break is the first place where a call differs from what its thread had already sent: the provider has to process everything from there on again.",
        ]
      : []),
    ...(threads.some(({ reminders }) => reminders.length > 0)
      ? ["Reminders are texts that the agent, not the user, adds to the conversation."]
      : []),
  ]
  if (sentences.length === 0) return []
  return [[], ...wrapped(sentences.join(" "), width).map((line) => [ink.dim(line)])]
}

/** Notes of one kind as one: the first, and how many there are. */
function gathered(findings: readonly Finding[]): readonly Finding[] {
  const isNote = ({ severity }: Finding) => severity === "note"
  const notes = findings.filter(isNote)
  const firsts = notes.filter(({ id }, i) => notes.findIndex((note) => note.id === id) === i)
  const told = firsts.map((first) => {
    const more = notes.filter(({ id }) => id === first.id).length - 1
    return more === 0
      ? first
      : { ...first, message: `${first.message} And ${whole(more)} more of this kind.` }
  })
  return [...findings.filter((finding) => !isNote(finding)), ...told]
}

function left(count: number, what: string, { ink }: ReportStyle): Lines {
  return count > 0 ? [[], [ink.dim(`${counted(count, `more ${what}`)}: --verbose shows all.`)]] : []
}

function findingLines(
  finding: Finding,
  threads: ReadonlyMap<string, ThreadReport>,
  isMany: boolean,
  { ink, width, verbose }: ReportStyle,
): Lines {
  const { id, severity, message, remedy, thread, call } = finding
  const word =
    severity === "error" ? ink.red(severity) : severity === "warning" ? ink.bold(severity) : ink.dim(severity)
  const cost = priceTag(finding)
  const source = thread === undefined ? undefined : threads.get(thread)?.source
  const place = [
    ...(thread === undefined ? [] : [`thread ${thread}`]),
    ...(call === undefined ? [] : [`call ${call}`]),
  ].join(", ")
  const lines: Lines = [
    [],
    [
      word,
      `  ${id}`,
      ...(cost === "" ? [] : [`  ${cost}`]),
      ...(place === "" ? [] : [ink.dim(`  ${place}`)]),
    ],
    ...(isMany && source !== undefined ? [[ink.dim(`  ${source}`)]] : []),
    ...wrapped(message, width, "  ").map((line) => [line]),
  ]
  if (severity === "note" && !verbose) return lines
  return [...lines, ...wrapped(remedy, width, "  → ", "    ").map((line) => [line])]
}

function threadLines(thread: ThreadReport, style: ReportStyle): Lines {
  const { ink, width, verbose } = style
  const { id, model, dialect, calls, source, reminders, breaks } = thread
  const shown = verbose ? breaks : breaks.slice(0, MOST_BREAKS)
  return [
    [],
    [
      ink.bold(`Thread ${id}`),
      `  ${purposeOf(thread)}, ${counted(calls, "call")}, ${model || "unknown model"} (${dialect})`,
    ],
    [ink.dim(`  ${source}`)],
    ...wrapped(tokensLine(thread), width, "  ").map((line) => [line]),
    ...reminderLines(reminders, width),
    ...shown.flatMap((one) => breakLines(one, style)),
    ...(breaks.length > shown.length
      ? [[ink.dim(`  ${counted(breaks.length - shown.length, "more break")}: --verbose shows all.`)]]
      : []),
  ]
}

/** Says that reminders are only recognised: foreign traffic does not say who wrote a text. */
function reminderLines(reminders: ThreadReport["reminders"], width: number): Lines {
  if (reminders.length === 0) return []
  const kinds = reminders.map(({ kind, times, distinct, share }) => {
    const words = distinct > 1 ? ` in ${distinct} wordings` : ""
    return `${kind} ${counted(times, "time")}${words}, ${percent(share)}`
  })
  return wrapped(`Reminders (recognised by their shape): ${kinds.join("; ")}.`, width, "  ", "    ").map(
    (line) => [line],
  )
}

function breakLines(
  { call, segment, byte, cause, detail, lostTokens, before, after }: Break,
  style: ReportStyle,
): Lines {
  const { ink, width, verbose } = style
  const at = byte === undefined ? segment : `${segment}, byte ${whole(byte)}`
  const text = `Call ${call}: ${cause}, ${whole(lostTokens)} tokens lost. ${sentence(detail)} At ${at}.`
  const excerpt = (label: string, found: string): Lines => {
    if (found === "") return [[ink.dim(`      ${label} (nothing)`)]]
    if (verbose)
      return wrapped(found, width, `      ${label} `, "              ").map((line) => [ink.dim(line)])
    return [[ink.dim(`      ${label} ${fitted(found, width - 14)}`)]]
  }
  return [
    ...wrapped(text, width, "  ", "    ").map((line) => [line]),
    ...(before === "" && after === "" ? [] : [...excerpt("before:", before), ...excerpt("after: ", after)]),
  ]
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`
}
