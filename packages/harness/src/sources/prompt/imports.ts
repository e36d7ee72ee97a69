import { dirname, join, resolve } from "node:path"
import { leadsInside } from "../../platform/workspace/location.js"

/** Text that people write to be read. Anything else, a file of secrets say, is never pulled in by a line. */
const IMPORTABLE = /\.(?:md|mdx|markdown|txt)$/i

/** What an instruction file imports with `@path`, as it is written there. Code, inline or fenced, imports nothing. */
export function importsIn(text: string): readonly string[] {
  if (!text.includes("@")) return []
  const prose = text.replace(/^(```|~~~)[\s\S]*?^\1/gm, "").replace(/`[^`\n]*`/g, "")
  const found = [...prose.matchAll(/(?<=^|[\s(])@((?:~\/|\.{0,2}\/)?[^\s@()<>"'`]+)/gm)]
  const named = found.map(([, path = ""]) => path.replace(/[.,;:!?]+$/, ""))
  return [...new Set(named.filter((path) => IMPORTABLE.test(path)))]
}

/** Where that is, if it is there and lies in the folder that the file's imports may come from, links followed. */
export function imported(path: string, file: string, home: string, within: string): string | undefined {
  const target = path.startsWith("~/") ? join(home, path.slice(2)) : resolve(dirname(file), path)
  return leadsInside(target, within) ? target : undefined
}
