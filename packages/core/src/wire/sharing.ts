import { checkDialect } from "./dialect.js"
import type { Layout } from "./incremental.js"
import type { Pins, Request } from "./request.js"

const PLACE = "\u0000the messages"

/**
 * An encoder for readers that go through a whole session and change nothing: a body has the very message objects that
 * earlier bodies of the epoch have, so that the cost of a request is that of what is new in it.
 */
export function sharingEncoder<Options extends object, Body>(
  layout: Layout<Options>,
): (request: Request, options?: Options) => Body {
  const epochs = new WeakMap<Pins, (readonly unknown[])[]>()
  return (request, options = {} as Options) => {
    checkDialect(request, layout.dialect)
    const { pins, messages } = request
    const known = epochs.get(pins) ?? []
    epochs.set(pins, known)
    const marks = new Set(layout.marks?.(request))
    const marker = layout.marker?.(request) ?? ""
    const parsed = (i: number, mark: string): readonly unknown[] => {
      const message = messages.at(i)
      if (message === undefined) return []
      const { before, after } = layout.fragment(message, pins)
      // What one message is on the wire may be several items of the list.
      return JSON.parse(`[${before}${mark}${after}]`)
    }
    const items: unknown[] = []
    for (let i = 0; i < messages.length; i++) {
      if (marks.has(i)) {
        items.push(...parsed(i, marker))
        continue
      }
      const there = known[i] ?? parsed(i, "")
      known[i] = there
      items.push(...there)
    }
    const body = JSON.parse(
      `${layout.head(pins, marker)}${JSON.stringify(PLACE)}${layout.tail(request, options)}`,
    )
    for (const [name, list] of Object.entries(body)) {
      // The list may begin with the system prompt.
      const at = Array.isArray(list) ? list.lastIndexOf(PLACE) : -1
      if (Array.isArray(list) && at >= 0) body[name] = [...list.slice(0, at), ...items, ...list.slice(at + 1)]
    }
    return body
  }
}
