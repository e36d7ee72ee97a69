import { realpathSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { isBelow } from "./nested.js"

/** Text that people write to be read. Anything else, a file of secrets say, is never pulled in by a line. */
const IMPORTABLE = /\.(?:md|mdx|markdown|txt)$/i

/**
 * The files that an instruction file imports with `@path`, as far as they lie in the folder that its imports may come
 * from, links followed. Code, inline or fenced, imports nothing.
 */
export function importsOf(text: string, file: string, home: string, within: string): readonly string[] {
  if (!text.includes("@")) return []
  const prose = text.replace(/^(```|~~~)[\s\S]*?^\1/gm, "").replace(/`[^`\n]*`/g, "")
  const found = [...prose.matchAll(/(?<=^|[\s(])@((?:~\/|\.{0,2}\/)?[^\s@()<>"'`]+)/gm)].flatMap(
    ([, path = ""]) => {
      const named = path.replace(/[.,;:!?]+$/, "")
      if (!IMPORTABLE.test(named)) return []
      const target = named.startsWith("~/") ? join(home, named.slice(2)) : resolve(dirname(file), named)
      return isWithin(target, within) ? [target] : []
    },
  )
  return [...new Set(found)]
}

function isWithin(path: string, folder: string): boolean {
  try {
    return isBelow(realpathSync(path), realpathSync(folder))
  } catch {
    return false
  }
}
