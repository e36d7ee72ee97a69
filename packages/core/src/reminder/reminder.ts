import { outsideText } from "../guard/outside.js"
import { type FrameTag, isGuardedTag } from "../guard/tags.js"
import { ownField } from "../json.js"
import type { MediaPart } from "../message/message.js"
import { type TokenCounter, takeTokens } from "../tokens.js"
import type { Carrier } from "../wire/capabilities.js"

/** The name of what a reminder is about: a standard one of the catalogue, or a custom rule's own. */
export type Kind = string

/** Whose words it carries. What carries untrusted words never travels with system authority. */
export type Trust = "harness" | "user" | "untrusted"

/** Outside text that a reminder brings along, with where it comes from. */
export interface Body {
  /** The outside text. */
  readonly text: string
  /** Where it comes from: a path, a server, a command. The model is told. */
  readonly source: string
  /** Whose text it is. The user's own configuration needs no frame. */
  readonly trust: "user" | "untrusted"
  /** The tag of its frame; "reminder-body" unless given. Names that begin with "reminder-" are free for your own. */
  readonly tag?: FrameTag
  /** Attributes of the tag, in place of `source`. */
  readonly attributes?: Readonly<Record<string, string>>
  /** Images and documents that follow the text. */
  readonly media?: readonly MediaPart[]
}

/** One way to say it: the harness's line, and the outside text it is about, if any. */
export interface Form {
  /** The harness's own words. */
  readonly line: string
  /** Outside text that the line is about. */
  readonly body?: Body
}

/** What a rule has the model told; frozen once sent. */
export interface Reminder extends Form {
  /** What it is about. */
  readonly kind: Kind
  /** What in particular it is about, such as a path. */
  readonly key: string
  /** Whose words it carries. */
  readonly trust: Trust
  /** What it costs. */
  readonly tokens: number
  /** The carrier asked for; the usual one of the model unless given, and wherever this one is not allowed. */
  readonly carrier?: Carrier
}

const OPEN = "<system-reminder>"
const CLOSE = "</system-reminder>"

/** A text in the tags of a reminder. It does not make the text inert: use `neutralise` on what is not your own. */
export function wrapReminder(text: string, nonce?: string): string {
  const open = nonce === undefined ? OPEN : `<system-reminder nonce="${nonce}">`
  return `${open}\n${text}\n${CLOSE}`
}

/** The text of a form without tags, and how many forgeries in it were neutralised. */
export function renderForm({ line, body }: Form): { text: string; count: number } {
  let count = 0
  const outside = (text: string) => {
    const safe = outsideText(text)
    count += safe.count
    return safe.text
  }
  const text = outside(line) + (body === undefined ? "" : `\n${frameBody(body, outside)}`)
  return { text, count }
}

/** What a form costs on the most expensive carrier, tags included. */
export function formTokens(form: Form, count: TokenCounter): number {
  return count(wrapReminder(renderForm(form).text))
}

/** The form shortened to fit, with a note that says so; undefined if not even the note fits. */
export function cutForm(form: Form, tokens: number, count: TokenCounter): Form | undefined {
  const outside = form.body?.text ?? form.line
  const withText = (text: string): Form =>
    form.body ? { ...form, body: { ...form.body, text } } : { ...form, line: text }
  const note = (kept: number) =>
    `[cut to fit the reminder budget: ${kept} of ${outside.length} characters are shown]`
  const fits = (kept: string) => formTokens(withText(`${kept}\n${note(kept.length)}`), count) <= tokens

  // Neutralising adds characters and counters are not additive, so what fits is approached from above.
  let kept = takeTokens(outside, tokens, count)
  while (kept !== "" && !fits(kept)) {
    const shorter = takeTokens(kept, Math.floor(count(kept) * 0.8) - 1, count)
    // A counter may contradict itself, and the search has to end all the same.
    kept = shorter.length < kept.length ? shorter : kept.slice(0, kept.length / 2)
  }
  return fits(kept) ? withText(kept === "" ? note(0) : `${kept.trimEnd()}\n${note(kept.length)}`) : undefined
}

/** Fills the `{{placeholders}}` of a user's own text. One that has no value stays as it is. */
export function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(
    /\{\{\s*(\w+)\s*\}\}/g,
    (placeholder, name: string) => ownField(values, name) ?? placeholder,
  )
}

/** A name from outside (a path, a server, a tool) made fit for a harness's line: one line, visible, bounded. */
export function inline(name: string): string {
  const visible = name.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, (c) => JSON.stringify(c).slice(1, -1))
  return visible.length > 300 ? `${visible.slice(0, 297)}...` : visible
}

/** Untrusted text says where it comes from; the user's own configuration needs no frame. */
function frameBody(body: Body, outside: (text: string) => string): string {
  const text = outside(body.text)
  if (body.trust === "user") return text
  // A tag that the guard does not know could be closed by the text inside it.
  const tag = body.tag !== undefined && isGuardedTag(body.tag) ? body.tag : "reminder-body"
  const attributes = Object.entries(body.attributes ?? { source: body.source })
    .map(([name, value]) => ` ${name}="${outside(inline(value)).replaceAll('"', "&quot;")}"`)
    .join("")
  return `<${tag}${attributes}>\n${text}\n</${tag}>`
}
