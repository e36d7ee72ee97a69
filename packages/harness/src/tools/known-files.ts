import { createHash } from "node:crypto"

/** What the model was shown of a file. */
export interface KnownFile {
  readonly hash: string
  /** The text as it was read, where there was one to keep. */
  readonly text: string | undefined
  /** The guard had to change something in what was shown. */
  readonly neutralised: boolean
}

/** The agent read a file, or wrote it. */
export interface Touch {
  /** Absolute. */
  readonly path: string
  readonly how: "read" | "written"
  readonly known: KnownFile
}

/** Files the model has read or written in this session, by absolute path and content, never by time. */
export class KnownFiles {
  readonly #files = new Map<string, KnownFile>()
  readonly #listeners = new Set<(touch: Touch) => void>()

  /** It was read. */
  remember(path: string, content: string | Uint8Array, neutralised = false): void {
    this.#know(path, content, neutralised, "read")
  }

  /** The agent wrote it, and so knows what is in it. */
  wrote(path: string, content: string | Uint8Array, neutralised = false): void {
    this.#know(path, content, neutralised, "written")
  }

  get(path: string): KnownFile | undefined {
    return this.#files.get(path)
  }

  forget(path: string): void {
    this.#files.delete(path)
  }

  /** Whether the content is what the model last saw; undefined if it never saw the file. */
  isCurrent(path: string, content: string | Uint8Array): boolean | undefined {
    const known = this.#files.get(path)
    return known && known.hash === hashOf(content)
  }

  paths(): readonly string[] {
    return [...this.#files.keys()]
  }

  /** Hears of every file that the agent touches from now on. */
  onTouch(listener: (touch: Touch) => void): void {
    this.#listeners.add(listener)
  }

  #know(path: string, content: string | Uint8Array, neutralised: boolean, how: Touch["how"]): void {
    const text = typeof content === "string" ? content : undefined
    const known = { hash: hashOf(content), text, neutralised }
    this.#files.set(path, known)
    for (const listener of this.#listeners) listener({ path, how, known })
  }
}

export function hashOf(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex")
}
