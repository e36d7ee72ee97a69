import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const changelog = readFileSync(join(import.meta.dirname, "../../../CHANGELOG.md"), "utf8")

it("lists each version once, the unreleased one first, by what was added, changed and fixed", () => {
  const [, ...versions] = changelog.split(/^## /m)
  const names = versions.map((text) => text.split("\n")[0] ?? "")
  expect(new Set(names).size).toBe(names.length)
  expect(names[0]).toBe("Unreleased")
  for (const [i, name] of names.entries()) {
    if (i > 0) expect(name).toMatch(/^\d+\.\d+\.\d+(?: \(\d{4}-\d\d-\d\d\))?$/)
    const headings: readonly string[] = versions[i]?.match(/^###+ .*$/gm) ?? []
    const order = ["### Added", "### Changed", "### Fixed"]
    expect(headings).toEqual(order.filter((heading) => headings.includes(heading)))
  }
})
