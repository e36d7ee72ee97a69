import { CUT_ENTITY, CUT_LESS_THAN, character, LESS_THAN, SKIP, SLASH } from "./disguise.js"
import { FRAME_TAGS } from "./tags.js"

/**
 * Makes outside text unable to open or close a frame, or to imitate the start of a turn, by one backslash right
 * after the opening character ("<\system-reminder>"). Text that has the backslash already gets one more, so that
 * restoring is the exact inverse. Nothing is ever deleted.
 */
export function neutralise(text: string): { text: string; count: number } {
  let count = 0
  let safe = text
  for (const { marks } of FORGERIES)
    safe = safe.replace(marks, (_, opening: string, escapes: string) => {
      count++
      return `${opening}\\${escapes}`
    })
  return { text: safe, count }
}

export function restoreNeutralised(text: string): string {
  return FORGERIES.toReversed().reduce((safe, { escaped }) => safe.replace(escaped, "$1"), text)
}

interface Forgery {
  /** Finds the opening and whatever escapes follow it, ahead of what makes it dangerous. */
  readonly marks: RegExp
  /** The same with one escape to take away. */
  readonly escaped: RegExp
}

function forgery(opening: string, danger: string, flags: string): Forgery {
  return {
    marks: new RegExp(String.raw`(${opening})(\\*)(?=(?:${danger}))`, flags),
    escaped: new RegExp(String.raw`(${opening})\\(?=\\*(?:${danger}))`, flags),
  }
}

/** Control tokens of chat templates, which some servers would tokenize as the real thing. */
const TEMPLATE_TOKENS = [
  String.raw`\|\s*(?:im_start|im_end|im_sep|endoftext|endofprompt|eot_id|eom_id|begin_of_text|end_of_text|start_header_id|end_header_id|python_tag|system|user|assistant|tool|start|end|message|channel|return|call|constrain)\s*\|`,
  String.raw`\/?(?:start_of_turn|end_of_turn|function_results|function_calls)\b`,
  String.raw`<\/?SYS>`,
].join("|")

const SPEAKERS = ["Human", "Assistant", "System", "User", "Developer"].flatMap((name) => [
  name,
  name.toUpperCase(),
])

/** Plain characters that begin no frame tag: most of what follows a "<" in code is settled by one look. */
const INNOCENT = String.raw`(?![!-$'-.0-LO-QT-\[\]^\x60a-lo-qt-~])`

const FORGERIES: readonly Forgery[] = [
  forgery(
    LESS_THAN,
    `${INNOCENT}${SKIP}(?:${SLASH}${SKIP})?(?:${FRAME_TAGS.map(tagName).join("|")}|${CUT_ENTITY}$)`,
    "giu",
  ),
  forgery("&", CUT_LESS_THAN, "giu"),
  forgery("<", TEMPLATE_TOKENS, "gi"),
  forgery(String.raw`\[`, String.raw`\/?INST\]`, "g"),
  forgery(
    String.raw`^[ \t\p{DI}]*`,
    String.raw`(?:${SPEAKERS.join("|")})[ \t\p{DI}]*(?:[:\uff1a]|$(?![^]))`,
    "gmu",
  ),
]

/**
 * A tag's name, or as much of it as fits before the text ends: the rest may stand at the start of the next part.
 * Letters may have skipped characters between them; the hyphen of `system-reminder` may itself be one.
 */
function tagName(name: string): string {
  const [first = "", ...others] = name
  const rest = others.reduceRight((following, c) => {
    const next = c === "-" && name === "system-reminder" ? `${character(c)}?` : character(c)
    return `${SKIP}(?:${next}${following}|${CUT_ENTITY}$)`
  }, "")
  return `${character(first)}${rest}`
}
