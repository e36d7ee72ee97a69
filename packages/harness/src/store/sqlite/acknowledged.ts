import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs"
import { crc32 } from "node:zlib"
import type { Acknowledgement } from "../loss.js"

const SLOT = 64
const LONGEST_ID = SLOT - 9

/**
 * Remembers, in a file beside SQLite's, how much of each session was said to be on disk. SQLite drops what is damaged
 * at the end of its log without a word, as it must for a write that a crash cut short. By this record the two can be
 * told apart. It is written after the disk has the entries, and is not waited for: it may be behind, and is never ahead.
 */
export class Acknowledged {
  readonly #path: string
  readonly #waiting = new Map<number, Acknowledgement>()
  #soon: NodeJS.Immediate | undefined
  #file: number | undefined

  constructor(store: string) {
    this.#path = `${store}-acknowledged`
  }

  /** Writes the number once the caller that waited for the disk has gone on. */
  set(key: number, id: string, entries: number): void {
    this.#waiting.set(key, { id, entries })
    this.#soon ??= setImmediate(() => this.#write())
  }

  /** Writes one slot for each session, by its key. A slot that cannot be written is not missed: it only warns. */
  #write(): void {
    this.#soon = undefined
    try {
      for (const [key, { id, entries }] of this.#waiting) {
        this.#file ??= openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600)
        writeSync(this.#file, slotOf(id, entries), 0, SLOT, key * SLOT)
      }
    } catch {
      // The next one may be luckier.
    }
    this.#waiting.clear()
  }

  /** Returns the number of entries that was acknowledged for the session with this key and id. */
  of(key: number, id: string): number {
    const slot = this.#read(key * SLOT, SLOT)
    const found = slot && acknowledgementIn(slot)
    return found?.id === shortened(id) ? found.entries : 0
  }

  all(): readonly (Acknowledgement & { readonly key: number })[] {
    const bytes = this.#read(0, this.slots * SLOT) ?? Buffer.alloc(0)
    return Array.from({ length: Math.floor(bytes.length / SLOT) }, (_, key) => {
      const found = acknowledgementIn(bytes.subarray(key * SLOT, (key + 1) * SLOT))
      return found ? [{ ...found, key }] : []
    }).flat()
  }

  /** Keys from here on were never used. */
  get slots(): number {
    const size = this.#with((file) => fstatSync(file).size) ?? 0
    return Math.ceil(size / SLOT)
  }

  close(): void {
    clearImmediate(this.#soon)
    this.#write()
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  #read(from: number, length: number): Buffer | undefined {
    return this.#with((file) => {
      const bytes = Buffer.alloc(length)
      return bytes.subarray(0, readSync(file, bytes, 0, length, from))
    })
  }

  #with<T>(work: (file: number) => T): T | undefined {
    if (this.#waiting.size > 0) this.#write()
    try {
      if (this.#file !== undefined) return work(this.#file)
      const file = openSync(this.#path, "r")
      try {
        return work(file)
      } finally {
        closeSync(file)
      }
    } catch {
      return undefined
    }
  }
}

function slotOf(id: string, entries: number): Buffer {
  const slot = Buffer.alloc(SLOT)
  const name = Buffer.from(shortened(id))
  slot.writeUInt32LE(entries, 0)
  slot.writeUInt8(name.length, 8)
  name.copy(slot, 9)
  slot.writeUInt32LE(sumOf(slot), 4)
  return slot
}

function acknowledgementIn(slot: Buffer): Acknowledgement | undefined {
  if (slot.length < SLOT || slot.readUInt32LE(4) !== sumOf(slot)) return undefined
  const entries = slot.readUInt32LE(0)
  const id = slot.subarray(9, 9 + slot.readUInt8(8)).toString("utf8")
  return entries === 0 ? undefined : { id, entries }
}

/** Sums everything in a slot but the sum itself: a slot that is damaged says nothing. */
function sumOf(slot: Buffer): number {
  return crc32(slot.subarray(8), crc32(slot.subarray(0, 4)))
}

function shortened(id: string): string {
  return Buffer.from(id)
    .subarray(0, LONGEST_ID)
    .toString("utf8")
    .replace(/\uFFFD+$/, "")
}
