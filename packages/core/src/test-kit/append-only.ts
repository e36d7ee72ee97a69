import { blocksOf, type CacheBlock } from "../cache/blocks.js"

/** A body changed something that an earlier one had already sent. */
export class NotAppendOnly extends Error {
  override readonly name = "NotAppendOnly"

  constructor(
    message: string,
    /** Which of the bodies, counted from 0. */
    readonly body: number,
    readonly path: string,
    /** The first byte of the block that differs, counted in UTF-16 units of its JSON. */
    readonly offset: number,
  ) {
    super(message)
  }
}

/**
 * Throws unless each body only adds to the one before: system, tools and the sequence of content blocks are a
 * byte-for-byte prefix, cache markers aside. For the bodies of one epoch, of any one HTTP dialect.
 */
export function expectAppendOnly(bodies: readonly unknown[]): void {
  let before: readonly CacheBlock[] = []
  bodies.forEach((body, i) => {
    const now = blocksOf(body)
    if (i > 0) compare(before, now, i)
    before = now
  })
}

function compare(before: readonly CacheBlock[], now: readonly CacheBlock[], body: number): void {
  for (const section of ["tools", "system", "messages"] as const) {
    const earlier = before.filter((block) => block.section === section)
    const later = now.filter((block) => block.section === section)
    earlier.forEach((block, i) => {
      const other = later[i]
      if (other?.text === block.text) return
      const offset = firstDifference(block.text, other?.text ?? "")
      const what = other === undefined ? "is gone" : `changed at byte ${offset}`
      throw new NotAppendOnly(
        `Request ${body} is not an extension of request ${body - 1}: ${block.path} ${what}.\n` +
          `  was: ${excerpt(block.text, offset)}\n  is:  ${excerpt(other?.text ?? "", offset)}`,
        body,
        block.path,
        offset,
      )
    })
    if (section !== "messages" && later.length > earlier.length)
      throw new NotAppendOnly(
        `Request ${body} is not an extension of request ${body - 1}: ${later[earlier.length]?.path} was added to ${section}.`,
        body,
        later[earlier.length]?.path ?? section,
        0,
      )
  }
}

function firstDifference(a: string, b: string): number {
  let i = 0
  while (i < a.length && i < b.length && a[i] === b[i]) i++
  return i
}

function excerpt(text: string, at: number): string {
  const from = Math.max(0, at - 30)
  return `${from > 0 ? "…" : ""}${text.slice(from, at + 50)}${at + 50 < text.length ? "…" : ""}`
}
