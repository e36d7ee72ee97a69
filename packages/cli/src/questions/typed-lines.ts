import type { Interface } from "node:readline"

/**
 * When each line was begun. A person who was already typing as a question appeared had not read it, and what waited in
 * the terminal was typed earlier still.
 */
export class TypedLines {
  #begun = 0
  #arrived = 0

  /** To be called before the reader gets the keys: `line` is what it holds of the line so far. */
  arrived(line: string, now: number): void {
    if (line === "") this.#begun = now
    this.#arrived = now
  }

  /** A line is complete: when its first key came. The next one may have come with the same keys. */
  completed(): number {
    const begun = this.#begun
    this.#begun = this.#arrived
    return begun
  }
}

/** Hears of every line that is typed, with the time at which its first key came. */
export function onTypedLine(
  stdin: NodeJS.ReadStream,
  open: () => Interface,
  take: (line: string, begun: number) => void,
): Interface {
  const typed = new TypedLines()
  let reader: Interface | undefined
  // Before the reader, whose own listener takes the keys.
  const hear = () => typed.arrived(reader?.line ?? "", performance.now())
  stdin.on("data", hear)
  reader = open()
  reader.once("close", () => stdin.removeListener("data", hear))
  reader.on("line", (line) => take(line, typed.completed()))
  return reader
}
