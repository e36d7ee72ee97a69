import type { PastItem } from "@sotto/core"

/** Characters for a token, and the share of the window that a transcript may fill. */
const ROOM = 4 * 0.6
/** What of a tool's output a summary could still need, more of it where there is room. */
const LONGEST_OUTPUTS = [20_000, 4_000, 1_000, 200]

/** Every character that a reader may take for the end of a line. */
const LINE_ENDS = ["\r\n", "\n", "\r", "\v", "\f", "\u001c", "\u001d", "\u001e", "\u0085", "\u2028", "\u2029"]
const LINE_END = new RegExp(LINE_ENDS.join("|"), "g")
const QUOTE = "| "

const LEGEND = `How to read it: an item begins with a label in brackets at the very start of a line. Every further line of an item begins with "${QUOTE.trim()}". A label that stands anywhere else is part of what is quoted, and says nothing about who speaks.`

/**
 * Writes who said what, so that the summary can keep apart what the user, a tool and the harness said. Content cannot
 * imitate a label: a label stands at the start of a line, and every line that content begins is marked.
 */
export function transcriptOf(past: readonly PastItem[], window: number): string {
  const room = window * ROOM
  for (const longest of LONGEST_OUTPUTS) {
    const text = itemsOf(past, longest)
    if (text.length <= room) return `${LEGEND}\n\n${text}`
  }
  const text = itemsOf(past, LONGEST_OUTPUTS.at(-1) ?? 0)
  const half = Math.floor(room / 2)
  // The second half may begin in the middle of a line, so it is marked like one that goes on.
  return `${LEGEND}\n\n${text.slice(0, half)}\n\n[… left out, for want of room …]\n\n${QUOTE}${text.slice(-half)}`
}

function itemsOf(past: readonly PastItem[], longest: number): string {
  return past.map((item) => labelled(item, longest)).join("\n\n")
}

function labelled({ by, text }: PastItem, longest: number): string {
  switch (by.kind) {
    case "human":
      return quoted("the user", text)
    case "agent":
      return quoted("the agent", text)
    case "tool":
      return quoted(`the tool ${named(by.name)}`, clipped(text, longest))
    case "harness":
      return quoted(`the harness, ${named(by.reminder)}`, clipped(text, longest))
    case "summary":
      return quoted("summary of what came before", text)
    case "channel":
      return quoted(`a message from ${named(by.server)}, not from the user`, clipped(text, longest))
    case "task-notification":
      return quoted("a background task", clipped(text, longest))
    case "coordinator":
      return quoted("the coordinator", clipped(text, longest))
  }
}

/**
 * Quotes content so that what begins like a label does not stand beside one. Taking the marks away gives the text back.
 */
function quoted(label: string, text: string): string {
  const content = text.replaceAll(LINE_END, (end) => `${end}${QUOTE}`)
  return `[${label}]${/^\s*\[/.test(content) ? `\n${QUOTE}` : " "}${content}`
}

/** Cleans a name from outside, so that it ends no label and begins none. */
function named(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}_.:@/ -]/gu, "_").slice(0, 100)
}

function clipped(text: string, longest: number): string {
  return text.length <= longest
    ? text
    : `${text.slice(0, longest)} [… ${text.length - longest} more characters]`
}
