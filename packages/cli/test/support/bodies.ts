import { expectAppendOnly } from "@sotto/core/testing"
import type { Rehearsal } from "@sotto/rehearsal"
import { expect } from "vitest"

type Fields = Readonly<Record<string, unknown>>

/** Every body that a server was sent, in order. */
export function bodiesOf(server: Rehearsal): readonly Fields[] {
  return server.requests.map(({ body }) => body as Fields)
}

/** The whole of a conversation on the wire, as one text. */
export function conversationOf(body: Fields | undefined): string {
  return JSON.stringify(body?.messages ?? body?.input ?? body?.contents ?? [])
}

/** What comes before the conversation: the same bytes in every request of an epoch. */
export function headOf({ system, instructions, systemInstruction, tools }: Fields): string {
  return JSON.stringify({ system, instructions, systemInstruction, tools })
}

/** What a request adds to the one before it. */
export function addedBy(server: Rehearsal, index: number): string {
  const strip = (body: Fields | undefined) =>
    conversationOf(body).replaceAll(/,?"cache_control":\{[^}]*\}/g, "")
  const before = index === 0 ? "" : strip(bodiesOf(server)[index - 1])
  const now = strip(bodiesOf(server)[index])
  let same = 0
  while (same < before.length && before[same] === now[same]) same++
  return now.slice(same)
}

/** The requests of the conversation that begins with these words, where one server plays several. */
export function opening(server: Rehearsal, words: string): Rehearsal {
  const requests = server.requests.filter(({ body }) => {
    const { messages, input, contents } = body as Fields
    const [first] = [messages, input, contents].flatMap((list) =>
      Array.isArray(list) ? list.slice(0, 1) : [],
    )
    return JSON.stringify(first).includes(words)
  })
  return { ...server, requests }
}

export function times(text: string, part: string): number {
  return text.split(part).length - 1
}

/** Nothing that was sent changes, nothing that was sent is refused. */
export function expectClean(server: Rehearsal): void {
  for (const { problems, error } of server.requests) expect({ problems, error }).toEqual({ problems: [] })
  expectAppendOnly(bodiesOf(server))
  expect(new Set(bodiesOf(server).map(headOf)).size).toBe(1)
}
