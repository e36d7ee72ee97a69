import { lstatSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import type { Word } from "../parse/words.js"
import { overlap } from "../patterns.js"
import { expanded } from "./links.js"

const nothing = /^(-|\/dev\/(null|zero|full|tty|stdin|stdout|stderr|u?random|fd\/\d+))$/
/** What the kernel tells of the machine. The rest of /proc tells of processes: their variables, memory, files. */
const ofTheMachine = /^\/proc\/(cpuinfo|meminfo|version|loadavg|uptime|filesystems|mounts|stat|swaps)$/

/** True if the path does not name a file at all: standard input, `/dev/null`. */
export function isNothing(path: string): boolean {
  return nothing.test(path)
}

/** Matches folders in which the kernel shows each process something else: `/proc/self/cwd` is where that process is. */
const shown = /^\/(proc|sys|dev)(\/|$)/

export function isPrivate(path: string, word: Word): boolean {
  const start = word.kind === "static" ? path : join(path, "..")
  return shown.test(start) && !ofTheMachine.test(path) && !nothing.test(path)
}

/** Tells whether the way to a file goes through such a folder, by its words or by a link: where it leads is not known then. */
export function passesPrivate(path: string): boolean {
  const parts = (text: string) =>
    text
      .split("/")
      .filter((part) => part !== "" && part !== ".")
      .reverse()
  const pending = parts(path)
  let at = "/"
  let left = mostSteps
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (left-- === 0) return true
    const next = join(at, part)
    if (shown.test(at) && !ofTheMachine.test(next) && !nothing.test(next)) return true
    const target = shown.test(next) ? undefined : linkAt(next)
    if (target === undefined) at = next
    else {
      if (target.startsWith("/")) at = "/"
      pending.push(...parts(target))
    }
  }
  return false
}

/** Limits the names and links that are followed. */
const mostSteps = 1024

function linkAt(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined
  } catch {
    return undefined // Nothing there, or nothing that a command could look at either.
  }
}

/** Tells whether a word of which only a part is known may lead there: `/pro*\/1/environ`, `{/proc,x}/1/environ`. */
export function mayBePrivate(word: Word): boolean {
  const pattern =
    word.kind === "pattern" ? expanded(word.text) : `${word.kind === "dynamic" ? word.prefix : ""}*`
  const isAbsolute = pattern.startsWith("/") || (word.kind === "pattern" && /^[^/]*\{/.test(word.text))
  return isAbsolute && ["/proc/*", "/sys/*", "/dev/*"].some((folder) => overlap(pattern, folder))
}
