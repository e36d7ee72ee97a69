import type { TokenCounter } from "../vocabulary/economy.js"
import { ownField } from "../vocabulary/json.js"
import type { Form, ReminderBody } from "../vocabulary/reminder.js"
import { isGuardedTag } from "../vocabulary/tags.js"
import { outsideText } from "./guard/outside.js"
import { takeTokens } from "./tokens.js"

const OPEN = "<system-reminder>"

const CLOSE = "</system-reminder>"

/**
 * Wraps a text in the tags of a reminder. It does not make the text inert: use `neutralise` on what is not your own.
 */
export function wrapReminder(text: string, nonce?: string): string {
  const open = nonce === undefined ? OPEN : `<system-reminder nonce="${nonce}">`
  return `${open}\n${text}\n${CLOSE}`
}

/** Renders the text of a form without tags, and counts the forgeries in it that were neutralised. */
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

/** Counts a form on the most expensive carrier, tags included. */
export function formTokens(form: Form, count: TokenCounter): number {
  return count(wrapReminder(renderForm(form).text))
}

/** Shortens a form to fit, with a note that says so; undefined if not even the note fits. */
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

/** Makes a name from outside (a path, a server, a tool) fit for a harness's line: one line, visible, bounded. */
export function inline(name: string): string {
  const visible = name.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, (c) => JSON.stringify(c).slice(1, -1))
  return visible.length > 300 ? `${visible.slice(0, 297)}...` : visible
}

/** Frames untrusted text with where it comes from; the user's own configuration needs no frame. */
function frameBody(body: ReminderBody, outside: (text: string) => string): string {
  const text = outside(body.text)
  if (body.trust === "user") return text
  // A tag that the guard does not know could be closed by the text inside it.
  const tag = body.tag !== undefined && isGuardedTag(body.tag) ? body.tag : "reminder-body"
  const attributes = Object.entries(body.attributes ?? { source: body.source })
    .map(([name, value]) => ` ${name}="${outside(inline(value)).replaceAll('"', "&quot;")}"`)
    .join("")
  return `<${tag}${attributes}>\n${text}\n</${tag}>`
}
