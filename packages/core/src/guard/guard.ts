import {
  CUT_ENTITY,
  CUT_LESS_THAN,
  character,
  ESCAPED_LESS_THAN,
  LESS_THAN,
  LESS_THAN_CHARACTERS,
  SKIP,
  SLASH,
} from "./disguise.js"
import { FRAME_TAGS } from "./tags.js"

/**
 * Makes outside text unable to open or close a frame, or to imitate the start of a turn, by one backslash right
 * after the opening character ("<\system-reminder>"). Text that has the backslash already gets one more, so that
 * restoring is the exact inverse. Nothing is ever deleted.
 */
export function neutralise(text: string): { text: string; count: number } {
  let count = 0
  let safe = text
  for (const { screen, marks } of FORGERIES)
    if (screen.test(safe))
      safe = safe.replace(marks(), (_, opening: string, escapes: string) => {
        count++
        return `${opening}\\${escapes}`
      })
  return { text: safe, count }
}

export function restoreNeutralised(text: string): string {
  if (!text.includes("\\")) return text
  return FORGERIES.toReversed().reduce(
    (safe, { screen, escaped }) => (screen.test(safe) ? safe.replace(escaped(), "$1") : safe),
    text,
  )
}

interface Forgery {
  /**
   * Finds something in every text in which the others do. Seeing through all disguises takes expressions so large that
   * building them is noticed, and hardly any text gives reason to.
   */
  readonly screen: RegExp
  /** Finds the opening and whatever escapes follow it, ahead of what makes it dangerous. */
  readonly marks: () => RegExp
  /** The same with one escape to take away. */
  readonly escaped: () => RegExp
}

function forgery(screen: RegExp, opening: string, danger: () => string, flags: string): Forgery {
  return {
    screen,
    marks: once(() => new RegExp(String.raw`(${opening})(\\*)(?=(?:${danger()}))`, flags)),
    escaped: once(() => new RegExp(String.raw`(${opening})\\(?=\\*(?:${danger()}))`, flags)),
  }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
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
const INNOCENT = String.raw`[!-$'-.0-LO-QT-\[\]^\x60a-lo-qt-~]`

const FORGERIES: readonly Forgery[] = [
  forgery(
    new RegExp(String.raw`[${LESS_THAN_CHARACTERS}](?!\s*${INNOCENT})|${ESCAPED_LESS_THAN}`, "iu"),
    LESS_THAN,
    () => {
      const names = FRAME_TAGS.map(tagName).join("|")
      return `(?!${INNOCENT})${SKIP}(?:${SLASH}${SKIP})?(?:${names}|${CUT_ENTITY}$)`
    },
    "giu",
  ),
  forgery(/&/, "&", () => CUT_LESS_THAN, "giu"),
  forgery(/<\\*(?:\||\/?[sef]|<)/i, "<", () => TEMPLATE_TOKENS, "gi"),
  forgery(/\[\\*\/?INST\]/, String.raw`\[`, () => String.raw`\/?INST\]`, "g"),
  forgery(
    new RegExp(SPEAKERS.join("|")),
    String.raw`^[ \t\p{DI}]*`,
    () => String.raw`(?:${SPEAKERS.join("|")})[ \t\p{DI}]*(?:[:\uff1a]|$(?![^]))`,
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
