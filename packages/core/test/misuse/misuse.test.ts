import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { programOf } from "../support/compile.js"
import { MISUSES, USES } from "./misuse.js"

const file = join(import.meta.dirname, "misuse.ts")
const DIRECTIVE = "// @ts-expect-error"

/** The lines on which the compiler finds an error once no error is expected any more. */
function refusedLines(text: string): readonly number[] {
  const program = programOf(new Map([[file, text]]))
  const source = program.getSourceFile(file)
  return program
    .getSemanticDiagnostics(source)
    .map(({ start = 0 }) => (source?.getLineAndCharacterOfPosition(start).line ?? 0) + 1)
}

describe("the types", () => {
  it("refuse at least 30 wrong uses, each by an error of its own, and no right one", () => {
    const text = readFileSync(file, "utf8")
    const expected = text.split("\n").flatMap((line, i) => (line.trim() === DIRECTIVE ? [i + 2] : []))
    expect(expected.length).toBe(Object.keys(MISUSES).length)
    expect(expected.length).toBeGreaterThanOrEqual(30)
    expect(USES.length).toBeGreaterThan(10)
    const refused = refusedLines(text.replaceAll(DIRECTIVE, "//"))
    expect([...new Set(refused)].toSorted((a, b) => a - b)).toEqual(expected)
  }, 60_000)
})
