import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Entry, Request } from "@sotto/core"
import { WIRES } from "../support/dialects.js"

/** The SHA-256 of the body of each request, by request and dialect. */
type Sums = Readonly<Record<string, Readonly<Record<string, string>>>>

/** A log as some version of Sotto wrote it, and what it had sent. */
export interface Golden {
  readonly format: number
  readonly name: string
  readonly log: readonly Entry[]
  readonly sums: Sums
}

const FOLDER = import.meta.dirname
const folderOf = (format: number) => join(FOLDER, `format-${format}`)

/** The formats that golden logs exist of. */
export function goldenFormats(): readonly number[] {
  return readdirSync(FOLDER).flatMap((name) => {
    const found = /^format-(\d+)$/.exec(name)
    return found ? [Number(found[1])] : []
  })
}

export function readGolden(format: number): readonly Golden[] {
  const folder = folderOf(format)
  return readdirSync(folder)
    .filter((file) => file.endsWith(".jsonl"))
    .map((file) => {
      const name = file.slice(0, -".jsonl".length)
      const lines = readFileSync(join(folder, file), "utf8").trim().split("\n")
      return {
        format,
        name,
        log: lines.map((line) => JSON.parse(line)),
        sums: JSON.parse(readFileSync(join(folder, `${name}.sums.json`), "utf8")),
      }
    })
}

export function bodiesOf(request: Request): Readonly<Record<string, string>> {
  return Object.fromEntries(WIRES.map((wire) => [wire.name, wire.bytes(request)]))
}

export function sumsOf(request: Request): Readonly<Record<string, string>> {
  const sum = (text: string) => createHash("sha256").update(text).digest("hex")
  return Object.fromEntries(Object.entries(bodiesOf(request)).map(([name, body]) => [name, sum(body)]))
}

/** Writes a golden log, once: what a version has sent stays what it was. */
export function writeGolden({ format, name, log, sums }: Golden): void {
  const file = join(folderOf(format), `${name}.jsonl`)
  if (existsSync(file)) return
  mkdirSync(folderOf(format), { recursive: true })
  writeFileSync(file, log.map((entry) => `${JSON.stringify(entry)}\n`).join(""))
  writeFileSync(join(folderOf(format), `${name}.sums.json`), `${JSON.stringify(sums, null, 2)}\n`)
}

/** The whole last request of a log, for people who want to see what a sum stands for. */
export function bodyFile(format: number, name: string, wire: string): string {
  return join(folderOf(format), `${name}.${wire}.body.json`)
}
