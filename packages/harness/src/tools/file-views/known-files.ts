import { hash } from "node:crypto"
import type { Stats } from "node:fs"
import type { Awaitable } from "../../platform/awaitable.js"

/** A text, if one was kept; a function where the store still has to be asked for it. */
export type KeptText = string | undefined | (() => Awaitable<string | undefined>)

/** What the model knows of a file. */
export interface KnownFile {
  readonly hash: string
  /** The text as it was read, where there was one to keep. */
  readonly text: KeptText
  /** The guard had to change something in what was shown. */
  readonly neutralised: boolean
  /** The model was told that the file is gone. */
  readonly gone?: boolean
}

/** A file that the agent has just read or written: its text is at hand, unless it is too long or none. */
interface SeenFile extends KnownFile {
  readonly text: string | undefined
}

/** The agent read a file, or wrote it. */
export interface Touch {
  /** Absolute. */
  readonly path: string
  readonly how: "read" | "written"
  readonly known: SeenFile
  /** Of a read: the file's stat from just before it, if it was taken. */
  readonly stat?: Stats
  /** Of a write: the hash of what was there before it, or null if nothing was. */
  readonly before?: string | null
}

/** A text that is longer is not kept for comparison. Bytes. */
export const LONGEST_TEXT = 256 * 1024

/** Files the model has read or written in this session, by absolute path and content, never by time. */
export class KnownFiles {
  readonly #files = new Map<string, KnownFile>()
  readonly #listeners = new Set<(touch: Touch) => void>()

  /** Remembers that the file was read. `stat`: from just before. */
  remember(path: string, content: string | Uint8Array, neutralised = false, stat?: Stats): void {
    this.#touch({ path, how: "read", known: knownFrom(content, neutralised), ...(stat && { stat }) })
  }

  /**
   * Remembers that the agent wrote the file, and so knows what is in it. `before`: the hash of what was there, or null.
   */
  wrote(path: string, content: string | Uint8Array, before: string | null, neutralised = false): void {
    this.#touch({ path, how: "written", known: knownFrom(content, neutralised), before })
  }

  /**
   * Learns what the model was told is in the file, or became of it, otherwise than by reading. Listeners do not hear of
   * it.
   */
  learn(path: string, known: KnownFile): void {
    this.#files.set(path, known)
  }

  get(path: string): KnownFile | undefined {
    return this.#files.get(path)
  }

  forget(path: string): void {
    this.#files.delete(path)
  }

  /** True if the content is what the model last saw; undefined if it never saw the file. */
  isCurrent(path: string, content: string | Uint8Array): boolean | undefined {
    const known = this.#files.get(path)
    return known && known.hash === hashOf(content)
  }

  /** Lists the paths; the one touched last comes last. */
  paths(): readonly string[] {
    return [...this.#files.keys()]
  }

  /** Hears of every file that the agent touches from now on. */
  onTouch(listener: (touch: Touch) => void): void {
    this.#listeners.add(listener)
  }

  #touch(touch: Touch): void {
    this.#files.delete(touch.path)
    this.#files.set(touch.path, touch.known)
    for (const listener of this.#listeners) listener(touch)
  }
}

function knownFrom(content: string | Uint8Array, neutralised: boolean): SeenFile {
  const isKept = typeof content === "string" && Buffer.byteLength(content) <= LONGEST_TEXT
  return { hash: hashOf(content), text: isKept ? content : undefined, neutralised }
}

export function hashOf(content: string | Uint8Array): string {
  return hash("sha256", content)
}
