import { randomBytes } from "node:crypto"
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { openPrivate, privateFolder } from "../../platform/workspace/private-files.js"
import { hashOf } from "../../tools/file-views/known-files.js"

/** Where the bytes of one version are. */
interface Place {
  readonly pack: string
  readonly at: number
  readonly size: number
}

export interface KeptBytesLimits {
  /** Bytes that all packs together may have. */
  readonly total: number
  /** Bytes of a file that is kept. */
  readonly file: number
}

const PACK = ".pack"
const INDEX = ".index"
const MARK = ".active"
/** Bytes. A pack is the smallest thing that is dropped. */
const LONGEST_PACK = 64 * 1024 ** 2

/**
 * The bytes of versions, by their hash, for undo and redo: in packs that are only appended to, so that thousands of small
 * files are kept in a moment. Each process writes packs of its own and reads those of all. When there is no room left, the
 * packs that have not been written to for longest go first; what was in them cannot come back any more.
 */
export class KeptBytes {
  readonly #folder: string
  readonly #limits: KeptBytesLimits
  readonly #places = new Map<string, Place>()
  readonly #own = new Set<string>()
  #pack: { readonly name: string; readonly data: number; readonly index: number; size: number } | undefined
  #isRead = false
  /** Of the packs of others. */
  #others = 0
  /** Of our own. */
  #written = 0

  constructor(folder: string, limits: KeptBytesLimits) {
    this.#folder = folder
    this.#limits = limits
  }

  /** The largest file that is kept, in bytes. */
  get largest(): number {
    return this.#limits.file
  }

  has(hash: string): boolean {
    this.#readIndexes()
    return this.#places.has(hash)
  }

  /** Keeps bytes. Returns false if there is no room for them. */
  keep(hash: string, bytes: Uint8Array): boolean {
    if (this.has(hash)) return true
    if (bytes.byteLength > this.#limits.file || !this.#makeRoom(bytes.byteLength)) return false
    try {
      const pack = this.#packFor(bytes.byteLength)
      const place = { pack: pack.name, at: pack.size, size: bytes.byteLength }
      // The index comes second: what it names is there.
      writeAll(pack.data, bytes)
      writeAll(pack.index, Buffer.from(`${hash} ${place.at} ${place.size}\n`))
      pack.size += place.size
      this.#written += place.size
      this.#places.set(hash, place)
      return true
    } catch {
      // The disk is full, for example. What was written in part is not named, and the next goes into another pack.
      this.#closePack()
      return false
    }
  }

  /** Gives the bytes back; undefined if they were not kept, were dropped to make room, or are damaged. */
  read(hash: string): Uint8Array | undefined {
    if (!this.has(hash)) {
      // Another process may have kept it since.
      this.#isRead = false
      this.#readIndexes()
    }
    const place = this.#places.get(hash)
    if (place === undefined) return undefined
    try {
      const file = openSync(join(this.#folder, place.pack + PACK), "r")
      try {
        const bytes = new Uint8Array(place.size)
        for (let done = 0; done < place.size; ) {
          const count = readSync(file, bytes, done, place.size - done, place.at + done)
          if (count === 0) return undefined
          done += count
        }
        return hashOf(bytes) === hash ? bytes : undefined
      } finally {
        closeSync(file)
      }
    } catch {
      return undefined
    }
  }

  /** Says to other processes whether a step of this one is under way in the workspace. */
  mark(isActive: boolean): void {
    try {
      privateFolder(this.#folder)
      writeFileSync(join(this.#folder, `${process.pid}${MARK}`), isActive ? "1" : "0", { mode: 0o600 })
    } catch {
      // The disk is full, for example: then the others do not know of us.
    }
  }

  /** True if a step of another process is under way in the workspace, or was since a time. */
  othersSince(time: number): boolean {
    return namesIn(this.#folder).some((name) => {
      const pid = Number(name.slice(0, -MARK.length))
      if (!name.endsWith(MARK) || pid === process.pid) return false
      const path = join(this.#folder, name)
      const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
      return changed >= time || (textOf(path) === "1" && isAlive(pid))
    })
  }

  close(): void {
    rmSync(join(this.#folder, `${process.pid}${MARK}`), { force: true })
    this.#closePack()
  }

  #closePack(): void {
    if (this.#pack === undefined) return
    closeSync(this.#pack.data)
    closeSync(this.#pack.index)
    this.#pack = undefined
  }

  #packFor(size: number) {
    if (this.#pack !== undefined && this.#pack.size > 0 && this.#pack.size + size > LONGEST_PACK)
      this.#closePack()
    if (this.#pack === undefined) {
      privateFolder(this.#folder)
      const name = `${process.pid}-${randomBytes(8).toString("hex")}`
      this.#own.add(name)
      const data = openPrivate(join(this.#folder, name + PACK))
      this.#pack = { name, data, index: openPrivate(join(this.#folder, name + INDEX)), size: 0 }
    }
    return this.#pack
  }

  #makeRoom(size: number): boolean {
    const left = () => this.#limits.total - this.#others - this.#written
    if (left() >= size) return true
    const packs = this.#packs().filter(({ name }) => !this.#own.has(name))
    this.#others = packs.reduce((sum, pack) => sum + pack.size, 0)
    for (const { name, size: freed } of packs.toSorted((a, b) => a.changed - b.changed)) {
      if (left() >= size) break
      rmSync(join(this.#folder, name + INDEX), { force: true })
      rmSync(join(this.#folder, name + PACK), { force: true })
      for (const [hash, { pack }] of this.#places) if (pack === name) this.#places.delete(hash)
      this.#others -= freed
    }
    return left() >= size
  }

  #readIndexes(): void {
    if (this.#isRead) return
    this.#isRead = true
    this.#others = 0
    for (const { name, size } of this.#packs()) {
      if (this.#own.has(name)) continue
      this.#others += size
      // What follows the last line end was cut short by a crash.
      for (const line of textOf(join(this.#folder, name + INDEX))
        .split("\n")
        .slice(0, -1)) {
        const [hash = "", at = "", length = ""] = line.split(" ")
        if (hash.length === 64 && Number(at) + Number(length) <= size)
          this.#places.set(hash, { pack: name, at: Number(at), size: Number(length) })
      }
    }
  }

  #packs(): readonly { readonly name: string; readonly size: number; readonly changed: number }[] {
    return namesIn(this.#folder)
      .filter((name) => name.endsWith(PACK))
      .flatMap((file) => {
        const found = statSync(join(this.#folder, file), { throwIfNoEntry: false })
        return found === undefined
          ? []
          : [{ name: file.slice(0, -PACK.length), size: found.size, changed: found.mtimeMs }]
      })
  }
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.byteLength; ) done += writeSync(file, bytes, done)
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return ""
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}
