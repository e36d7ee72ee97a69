import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { neutralise, restoreNeutralised } from "@sotto/core"
import { median, millis, table, times } from "./figures.js"

const LENGTH = 5_000_000
const MOST_MS = 500
const ROUNDS = 3

/** Texts made to cost as much as they can, of five million characters each. */
const HOSTILE: Readonly<Record<string, string>> = {
  '"<" only': filled("<"),
  '"<", then zero-width characters': `<${filled("\u200b")}`,
  '"<" and zero-width characters by turns': filled("<\u200b"),
  "&amp; again and again": filled("&amp;"),
  "one long &amp;amp;amp;": `&${filled("amp;")}`,
  "\\u again and again": filled("\\u"),
  "\\u003c again and again": filled("\\u003c"),
  backslashes: `<${filled("\\")}`,
  '"<|" again and again': filled("<|"),
  tokens: filled("<|a|>"),
  tags: filled("<system-reminder>"),
  "tags that are never complete": filled("<system-reminde"),
  "&#0 again and again": filled("&#0"),
  "%25 again and again": filled("%25"),
  turns: filled("\nHuman:"),
  "colours that are cut off": filled("<\x1b["),
  "titles of terminals that never end": filled("<\x1b]0"),
  "brackets of another form": filled("「<"),
}

/**
 * What the guard takes for ordinary code, and for texts made against it. With a folder: which of its files it changes,
 * and where, for somebody to judge whether each had to be.
 */
export async function run([folder]: readonly string[]): Promise<void> {
  if (folder !== undefined) return showChanged(folder)
  const texts = { "source code": sources(), ...HOSTILE }
  const base = timeOf(() => void [...sources()].length)
  const rows = Object.entries(texts).map(([name, text]) => {
    const safe = neutralise(text)
    const there = timeOf(() => void neutralise(text))
    const back = timeOf(() => void restoreNeutralised(safe.text))
    const verdict = there <= MOST_MS ? "PASS" : "above"
    return [name, String(safe.count), millis(there), millis(back), times(there / base), verdict]
  })
  const headings = [
    "5 MB of",
    "made inert",
    "neutralise",
    "restore",
    "against a walk over the text",
    `at most ${MOST_MS} ms`,
  ]
  console.log(table(headings, rows).join("\n"))
}

const TEXT = /\.(?:[cm]?[jt]sx?|json|md|html|css|ya?ml|txt|c|h|cc|py|sh)$/i
const AROUND = 30

function showChanged(folder: string): void {
  let files = 0
  let changed = 0
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !TEXT.test(entry.name)) continue
    const path = join(entry.parentPath, entry.name)
    const text = readFileSync(path, "utf8")
    const safe = neutralise(text)
    files++
    if (safe.count === 0) continue
    changed++
    let at = 0
    while (text[at] === safe.text[at]) at++
    console.log(
      `${path}: ${safe.count}, first ${JSON.stringify(text.slice(Math.max(0, at - AROUND), at + AROUND))}`,
    )
  }
  console.log(`${changed} of ${files} files are changed.`)
}

function timeOf(work: () => void): number {
  return median(
    Array.from({ length: ROUNDS }, () => {
      // The processor's time, not the clock's: others may use the machine too.
      const start = process.cpuUsage()
      work()
      const { user, system } = process.cpuUsage(start)
      return (user + system) / 1_000
    }),
  )
}

function filled(unit: string): string {
  return unit.repeat(Math.ceil(LENGTH / unit.length)).slice(0, LENGTH)
}

/** The engine's own sources, as often as it takes. */
function sources(): string {
  const root = fileURLToPath(new URL("../../packages/core/src", import.meta.url))
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  )
  return filled(names.map((name) => readFileSync(join(root, name), "utf8")).join("\n"))
}
