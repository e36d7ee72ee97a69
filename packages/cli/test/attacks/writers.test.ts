import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const SOURCES = fileURLToPath(new URL("../../src/", import.meta.url))

/** Who may write to the terminal, and why what they write is inert. */
const WRITERS: Readonly<Record<string, string>> = {
  "screen/printer.ts": "the one printer",
  "screen/progress.ts": "one line of our own, with names made inert",
  "acp/stdio.ts": "the protocol's JSON, which editors read",
  "tour/scenes/programs.ts": "the text of a server that a scene starts: only Sotto reads what it prints",
  "tour/scenes/work.ts": "the text of hooks that a scene starts: only Sotto reads what they print",
  "tui/terminal/keyboard.ts": "codes of our own",
  "tui/terminal/display.ts": "painted rows",
  "tui/terminal/signals.ts": "titles, calls and the clipboard, of values that are made safe there",
}

it("only the printer and the terminal UI's display write to the terminal", () => {
  const writes =
    /process\.(?:stdout|stderr)\.write|\bconsole\.\w+\(|\b(?:stdout|stderr|#stdout)\.write\(|writeSync\((?:1|2),|toWeb\(process\.std/
  const found = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .filter((name) => writes.test(readFileSync(join(SOURCES, name), "utf8")))
  expect(found.filter((name) => WRITERS[name] === undefined)).toEqual([])
})

it("only the room of the terminal and the painter of rows know how a sequence for the terminal begins", () => {
  const begins = /\\u001b|\\x1b|\\033|\\u009b|\\u009d|fromCharCode\((?:27|0x1b)\)/i
  const found = readdirSync(join(SOURCES, "tui"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .filter((name) => begins.test(readFileSync(join(SOURCES, "tui", name), "utf8")))
  expect(found.sort()).toEqual([
    // Takes apart what a terminal sends.
    "input/keys.ts",
    "terminal/codes.ts",
    "terminal/signals.ts",
    "text/paint.ts",
  ])
})
