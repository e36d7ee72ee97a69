/** A server-sent event as it stands in the stream. */
interface RawEvent {
  readonly id?: string
  readonly data: string
}

/** Reads server-sent events. Lines may end in any of the three ways that the format allows. */
export async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<RawEvent, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ""
  let lines: string[] = []
  try {
    for (;;) {
      const { done, value } = await reader.read()
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true })
      // The last character may be the first half of a line's end.
      const whole = /\r$/.test(rest) && !done ? rest.slice(0, -1) : rest
      const parts = whole.split(/\r\n|\n|\r/)
      rest = (parts.pop() ?? "") + rest.slice(whole.length)
      for (const line of parts) {
        if (line !== "") {
          lines.push(line)
          continue
        }
        const event = eventOf(lines)
        lines = []
        if (event !== undefined) yield event
      }
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function eventOf(lines: readonly string[]): RawEvent | undefined {
  const data = valuesOf(lines, "data")
  const id = valuesOf(lines, "id").at(-1)
  return data.length === 0 ? undefined : { data: data.join("\n"), ...(id !== undefined && { id }) }
}

function valuesOf(lines: readonly string[], name: string): readonly string[] {
  return lines
    .filter((line) => line === name || line.startsWith(`${name}:`))
    .map((line) => line.slice(name.length + 1).replace(/^ /, ""))
}
