import type { Call, SourceDamage } from "@sotto/lens"
import { openSource } from "@sotto/lens/sources"

export interface Read {
  readonly format: string
  readonly calls: readonly Call[]
  readonly damage: readonly SourceDamage[]
}

/** Reads a text that comes in pieces of so many characters. */
export async function read(text: string, size = text.length || 1): Promise<Read> {
  const { format, items } = await openSource(
    "test",
    pieces(text, () => size),
  )
  return gathered(format, items)
}

/** The same, in pieces whose sizes follow each other. */
export async function readInPieces(text: string, sizes: readonly number[]): Promise<Read> {
  let i = 0
  const next = () => sizes[i++ % sizes.length] ?? 1
  const { format, items } = await openSource("test", pieces(text, next))
  return gathered(format, items)
}

export const jsonl = (...lines: readonly (object | string)[]) =>
  lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("")

async function* pieces(text: string, size: () => number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; ) {
    const end = at + size()
    yield text.slice(at, end)
    at = end
  }
}

async function gathered(
  format: string,
  items: Awaited<ReturnType<typeof openSource>>["items"],
): Promise<Read> {
  const calls: Call[] = []
  const damage: SourceDamage[] = []
  for await (const item of items) {
    if (item.type === "call") calls.push(item.call)
    else damage.push(item.damage)
  }
  return { format, calls, damage }
}
