import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { writeText } from "./files.js"
import { installedIn } from "./install.js"
import type { Peer, Place } from "./peer.js"

export const LARGE_FILES = 25
const LARGE = 33_000
const SMALL_FILES = 300
export const RULES = "Be brief.\n"

export const small = (n: number) => `notes/${n}.txt`
export const large = (n: number) => `large/${n}.txt`

/** The folders that a peer keeps for all its runs: a home, and a project with files to read. */
export type Ground = Omit<Place, "url">

export function layGround(peer: Peer, root: string): Ground {
  const cwd = join(root, peer.name, "work")
  const home = join(root, peer.name, "home")
  mkdirSync(home, { recursive: true })
  // A different file each time: the same call again and again is what loop detection is for.
  for (let n = 1; n <= SMALL_FILES; n++)
    writeText(join(cwd, small(n)), `This is note ${n}.\nIt has two lines.\n`)
  for (let n = 1; n <= LARGE_FILES; n++) writeText(join(cwd, large(n)), text(n))
  writeText(join(cwd, peer.rulesFile), RULES)
  return { installed: installedIn(root, peer), home, cwd }
}

function text(file: number): string {
  let lines = ""
  for (let n = 1; lines.length < LARGE; n++)
    lines += `Line ${n} of file ${file}: ${"abcdefghij".repeat(4 + ((n * file) % 3))}\n`
  return lines.slice(0, LARGE)
}
