import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { MUTANTS } from "./mutants/mutants.js"
import { promisesPage } from "./mutants/page.js"

const core = join(import.meta.dirname, "..")

describe("the seeded faults of `npm run test:mutants`", () => {
  it("are at least 20, attack every promise, and have names of their own", () => {
    expect(MUTANTS.length).toBeGreaterThanOrEqual(20)
    expect(new Set(MUTANTS.map(({ promise }) => promise)).size).toBe(8)
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length)
  })

  it.each(MUTANTS)("$name still applies: its text stands once in $file, and its tests exist", (mutant) => {
    const source = readFileSync(join(core, "src", mutant.file), "utf8")
    expect(source.split(mutant.find)).toHaveLength(2)
    expect(mutant.replace).not.toBe(mutant.find)
    for (const name of mutant.tests) expect(existsSync(join(core, "test", `${name}.test.ts`))).toBe(true)
  })
})

describe("docs/promises.md", () => {
  it("is current: `npm run docs` writes it", async () => {
    await expect(promisesPage()).toMatchFileSnapshot("../../../docs/promises.md")
  })
})
