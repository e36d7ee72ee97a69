import { createHash } from "node:crypto"

/** What the model was shown of a file. */
export interface KnownFile {
  readonly hash: string
  /** The text as it was read, where there was one to keep. */
  readonly text: string | undefined
  /** The guard had to change something in what was shown. */
  readonly neutralised: boolean
}

/** Files the model has read or written in this session, by absolute path and content, never by time. */
export class KnownFiles {
  readonly #files = new Map<string, KnownFile>()

  remember(path: string, content: string | Uint8Array, neutralised = false): void {
    const text = typeof content === "string" ? content : undefined
    this.#files.set(path, { hash: hashOf(content), text, neutralised })
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
}

export function hashOf(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex")
}
