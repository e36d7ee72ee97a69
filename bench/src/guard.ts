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
}

/** What the guard takes for ordinary code, and for texts made against it. */
export async function run(): Promise<void> {
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
