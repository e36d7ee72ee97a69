import { at, type Buffer, replaceRange } from "./buffer.js"

export interface InputCompletion {
  /** What is put in the place of what was typed, without the mark before it. */
  readonly text: string
  readonly detail?: string
  /** More is to follow, such as a file after its folder. */
  readonly goesOn?: boolean
  /** A command that takes words: Enter completes it, and does not carry it out yet. */
  readonly takesWords?: boolean
}

/** What is being typed that can be completed, and where it stands. */
export interface Trigger {
  readonly kind: "mention" | "command" | "argument"
  readonly query: string
  /** Of an argument: the command. */
  readonly command?: string
  readonly from: number
  readonly to: number
}

/** Finds `@…` anywhere after a space, `/…` at the beginning, and what follows a command. */
export function triggerIn({ text, cursor }: Buffer): Trigger | undefined {
  const before = text.slice(0, cursor)
  const command = /^\/(\S*)$/.exec(before)
  if (command) return { kind: "command", query: command[1] ?? "", from: 1, to: cursor }
  const argument = /^\/(\S+) +(\S*)$/.exec(before)
  if (argument) {
    const [, name = "", query = ""] = argument
    return { kind: "argument", command: name, query, from: cursor - query.length, to: cursor }
  }
  const mention = /(?:^|\s)@([^\s@]*)$/.exec(before)
  if (mention === null) return undefined
  const query = mention[1] ?? ""
  return { kind: "mention", query, from: cursor - query.length, to: cursor }
}

export function sameTrigger(one: Trigger | undefined, other: Trigger | undefined): boolean {
  return one?.kind === other?.kind && one?.query === other?.query && one?.from === other?.from
}

/** Completes the text, with a space after it unless more is to follow. */
export function accept(
  buffer: Buffer,
  { from, to }: Trigger,
  { text, goesOn = false }: InputCompletion,
): Buffer {
  const next = buffer.text[to]
  const space = goesOn || next === " " || next === "\n" ? "" : " "
  const replaced = replaceRange(buffer, from, to, text + space)
  return space === "" && !goesOn ? at(replaced, replaced.cursor + 1) : replaced
}

/** Finds those that contain the letters of the query in order, the closest first. */
export function ranked<T>(
  query: string,
  all: readonly T[],
  nameOf: (one: T) => string,
  most: number,
): readonly T[] {
  if (query === "") return all.slice(0, most)
  return all
    .flatMap((one, place) => {
      const score = scoreOf(query.toLowerCase(), nameOf(one))
      return score === undefined ? [] : [{ one, place, score }]
    })
    .sort((a, b) => a.score - b.score || a.place - b.place)
    .slice(0, most)
    .map(({ one }) => one)
}

/**
 * Scores a name; lower is closer: found whole, near the end of the path, at the beginning of a word, in a short name.
 */
function scoreOf(query: string, name: string): number | undefined {
  const lower = name.toLowerCase()
  const last = lower.replace(/\/$/, "").lastIndexOf("/") + 1
  const inName = lower.indexOf(query, last)
  if (inName >= 0) return (inName === last ? 0 : 10) + lower.length / 1000
  const whole = lower.indexOf(query)
  if (whole >= 0) return 20 + lower.length / 1000
  let position = -1
  let gaps = 0
  for (const letter of query) {
    const next = lower.indexOf(letter, position + 1)
    if (next < 0) return undefined
    if (position >= 0) gaps += next - position - 1
    position = next
  }
  return 30 + gaps + lower.length / 1000
}
