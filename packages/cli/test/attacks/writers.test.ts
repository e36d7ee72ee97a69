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
  "tui/terminal/keyboard.ts": "codes of our own",
  "tui/terminal/display.ts": "painted rows",
}

it("only the printer and the terminal UI's display write to the terminal", () => {
  const writes =
    /process\.(?:stdout|stderr)\.write|\bconsole\.\w+\(|\b(?:stdout|stderr|#stdout)\.write\(|writeSync\((?:1|2),|toWeb\(process\.std/
  const found = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .filter((name) => writes.test(readFileSync(join(SOURCES, name), "utf8")))
  expect(found.filter((name) => WRITERS[name] === undefined)).toEqual([])
})
