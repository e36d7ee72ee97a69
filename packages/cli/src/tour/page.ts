import type { Aside, Message, Part } from "@sotto/core"
import { fitted, wrapped } from "../output/wrapped.js"
import type { Ink, InkPiece } from "../screen/ink.js"

/** A line on the page of a scene. */
export type PageLine = readonly InkPiece[]

/** How wide the page is, and in which colours. */
export interface PageStyle {
  readonly width: number
  readonly ink: Ink
}

/** Lines of the view that are shown at the beginning and at the end of a long one. */
const HEAD = 5
const TAIL = 9
const MARGIN = "  "
const BAR = "▌ "

/** Draws a heading across the page. */
export function rule(heading: string, { width, ink }: PageStyle): PageLine {
  const start = `── ${heading} `
  return [ink.bold(start + "─".repeat(Math.max(0, width - start.length)))]
}

export function paragraph(text: string, { width }: PageStyle): readonly PageLine[] {
  return wrapped(text, width).map((line) => [line])
}

/** Shows what the person sees of a session: the view, shortened in its middle. */
export function seenLines(view: readonly Message[], style: PageStyle): readonly PageLine[] {
  const lines = view.flatMap(({ role, parts }) => parts.flatMap((part) => partLines(role, part, style)))
  if (lines.length <= HEAD + TAIL + 1) return lines
  const left = lines.length - HEAD - TAIL
  return [...lines.slice(0, HEAD), [style.ink.dim(`${MARGIN}… ${left} more lines`)], ...lines.slice(-TAIL)]
}

function partLines(role: Message["role"], part: Part, { width, ink }: PageStyle): readonly PageLine[] {
  const room = width - MARGIN.length - 2
  switch (part.type) {
    case "text":
      return role === "user"
        ? [[MARGIN, ink.bold(`› ${fitted(part.text, room)}`)]]
        : [[MARGIN, fitted(part.text, room)]]
    case "tool-call":
      return [[MARGIN, `• ${fitted(`${part.name} ${JSON.stringify(part.input)}`, room)}`]]
    case "tool-result":
      return part.output.flatMap((inner) =>
        inner.type === "text" ? [[MARGIN, ink.dim(`→ ${fitted(inner.text, room)}`)]] : [],
      )
    default:
      return []
  }
}

/** Shows what the model was told: how it travelled, where it stood, and the text as it stands in the request. */
export function toldLines(
  asides: readonly Aside[],
  requests: readonly unknown[],
  { width, ink }: PageStyle,
): readonly PageLine[] {
  return asides.flatMap((aside) => {
    const { kind, carrier, tokens, turn, step } = aside
    const found = placeOf(aside, requests)
    const where =
      found === undefined
        ? "not found in a request"
        : `request ${found.request} of ${requests.length}, ${found.path}`
    const head = `${kind} · ${carrier} · ${tokens} tokens · turn ${turn}, step ${step} · ${where}`
    const text = found?.text ?? aside.text
    return [
      ...wrapped(head, width, MARGIN).map((line): PageLine => [ink.dim(line)]),
      ...text
        .split("\n")
        .flatMap((line) => (line === "" ? [""] : folded(line, width - MARGIN.length - BAR.length)))
        .map((line): PageLine => [MARGIN, ink.dim(BAR), line]),
    ]
  })
}

/** Cuts a line of a text into pieces that fit. Spaces at its beginning stay. */
function folded(line: string, width: number): readonly string[] {
  if (line.length <= width) return [line]
  const cut = line.lastIndexOf(" ", width)
  const at = cut > 0 ? cut + 1 : width
  return [line.slice(0, at).trimEnd(), ...folded(line.slice(at), width)]
}

interface PlaceInRequest {
  /** Which request, counted from 1. */
  readonly request: number
  /** The path of the string that holds it, as `messages[2].content[0].text`. */
  readonly path: string
  /** The reminder as it stands there, with its tags if it has any. */
  readonly text: string
}

/** Finds where a reminder was first sent. Reads the bodies that the stand-in received, and nothing else. */
function placeOf({ text }: Aside, requests: readonly unknown[]): PlaceInRequest | undefined {
  for (const [i, body] of requests.entries()) {
    const found = stringWith(text, body, "")
    if (found) return { request: i + 1, path: found.path, text: withTags(text, found.whole) }
  }
  return undefined
}

/** Finds the last string in a value that holds the text: what is newest in a request stands at its end. */
function stringWith(
  text: string,
  value: unknown,
  path: string,
): { readonly path: string; readonly whole: string } | undefined {
  if (typeof value === "string") return value.includes(text) ? { path, whole: value } : undefined
  if (typeof value !== "object" || value === null) return undefined
  for (const [name, inner] of Object.entries(value).reverse()) {
    const step = Array.isArray(value) ? `[${name}]` : path === "" ? name : `.${name}`
    const found = stringWith(text, inner, path + step)
    if (found) return found
  }
  return undefined
}

const OPENING = /<system-reminder[^>]*>\n$/
const CLOSING = /^\n<\/system-reminder[^>]*>/

/** Adds the tags around a reminder, if they enclose it alone. */
function withTags(text: string, whole: string): string {
  const at = whole.lastIndexOf(text)
  const before = OPENING.exec(whole.slice(0, at))?.[0]
  const after = CLOSING.exec(whole.slice(at + text.length))?.[0]
  return before === undefined || after === undefined ? text : before + text + after
}
