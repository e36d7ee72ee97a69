import { inline, lineDiff, neutralise, wrapReminder } from "@sotto/core"

/** One thing that the model is told at the tail, because what was sent earlier stays as it is. */
export interface Statement {
  /** In plain words, without tags. */
  readonly line: string
  /** A text of the harness that the line announces. */
  readonly body?: string
  /** True if the body is a reminder as the harness wrote it, tags included. */
  readonly verbatim?: boolean
  /** Whose place it had in the original. Only what stood with system authority may be told with it. */
  readonly authority: "system" | "user"
  /** What is announced, for people. */
  readonly about: string
}

/** Joins the statements to one text, for a message of the harness that needs no tags. */
export function plainText(statements: readonly Statement[]): string {
  return statements.map(({ line, body }) => (body === undefined ? line : `${line}\n${body}`)).join("\n\n")
}

/** Joins the statements to one text in the tags of a reminder, for a place where others speak too. */
export function taggedText(statements: readonly Statement[]): string {
  return statements
    .map(({ line, body, verbatim }) => {
      if (body === undefined) return wrapReminder(line)
      if (verbatim) return `${wrapReminder(line)}\n${body}`
      return wrapReminder(`${line}\n${neutralise(body).text}`)
    })
    .join("\n")
}

/** Describes what changed between two texts: the changed lines, or all of the new text where that is shorter. */
export function changeOf(before: string, after: string): { readonly how: string; readonly body: string } {
  const diff = lineDiff(before, after)
  return diff === undefined || diff.length >= after.length
    ? { how: "It now reads:", body: after }
    : { how: "Lines with - no longer hold, lines with + hold instead:", body: diff }
}

const SHORTEST = 60
const LONGEST = 600

/** Gives the first words of a reminder, as many as it takes to tell it from the others. */
export function beginningOf(text: string, others: readonly string[]): string {
  const own = flat(text)
  const rivals = others.map(flat).filter((other) => other !== own)
  let length = SHORTEST
  while (length < LONGEST && rivals.some((other) => other.startsWith(own.slice(0, length)))) length *= 2
  const cut = own.slice(0, length)
  return neutralise(inline(cut.length < own.length ? `${cut}…` : cut)).text
}

function flat(text: string): string {
  const inner =
    /^\s*<([\w-]+(?: instructions)?)(?: [^<>\n]{0,200})?>([\s\S]*)<\/\1>\s*$/.exec(text)?.[2] ?? text
  return inner.replaceAll(/\s+/g, " ").trim()
}
