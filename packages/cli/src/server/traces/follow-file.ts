import { type FSWatcher, watch } from "node:fs"
import { open } from "node:fs/promises"

const PIECE = 1 << 18
/** How often to look where the system does not tell of changes. */
const LOOK_MS = 1_000

/**
 * Reads a file of lines, and what is added to it meanwhile. `caughtUp` is called whenever all that is there has been
 * read. A last line without an end counts if it is whole.
 */
export async function* growing(
  path: string,
  signal: AbortSignal,
  caughtUp: () => void,
): AsyncGenerator<string> {
  const file = await open(path, "r")
  const changes = new Changes(path, signal)
  try {
    const utf8 = new TextDecoder()
    const buffer = Buffer.alloc(PIECE)
    let place = 0
    let rest = ""
    while (!signal.aborted) {
      const { bytesRead } = await file.read(buffer, 0, PIECE, place)
      if (bytesRead > 0) {
        place += bytesRead
        const text = utf8.decode(buffer.subarray(0, bytesRead), { stream: true })
        rest = text.includes("\n") ? text.slice(text.lastIndexOf("\n") + 1) : rest + text
        yield text
        continue
      }
      if (isWhole(rest)) {
        rest = ""
        yield "\n"
      }
      caughtUp()
      await changes.next()
      // Another program began the file anew.
      if ((await file.stat()).size < place) place = 0
    }
  } finally {
    changes.stop()
    await file.close()
  }
}

function isWhole(line: string): boolean {
  if (line.trim() === "") return false
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}

/** Tells when a file has changed, and now and then in case the system does not say. */
class Changes {
  readonly #watcher: FSWatcher | undefined
  readonly #looking: NodeJS.Timeout
  #hasChanged = false
  #wake: () => void = () => {}

  constructor(path: string, signal: AbortSignal) {
    const changed = () => {
      this.#hasChanged = true
      this.#wake()
    }
    this.#looking = setInterval(changed, LOOK_MS).unref()
    try {
      this.#watcher = watch(path, { persistent: false }, changed).on("error", () => {})
    } catch {
      // The interval has to do.
    }
    signal.addEventListener("abort", changed, { once: true })
  }

  async next(): Promise<void> {
    if (!this.#hasChanged)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    this.#hasChanged = false
  }

  stop(): void {
    clearInterval(this.#looking)
    this.#watcher?.close()
  }
}
