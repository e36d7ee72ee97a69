import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { readReference } from "./reference.js"

const root = join(import.meta.dirname, "../../../..")
const pages = readReference()

describe("the API reference", () => {
  it.each(pages.map((page) => [page.path, page] as const))(
    "%s is current (npm run docs writes it)",
    async (path, page) => {
      await expect(page.markdown).toMatchFileSnapshot(join(root, path))
    },
  )

  it("has a page for every entry point, and no other", () => {
    expect(readdirSync(join(root, "docs/api")).toSorted()).toEqual(
      pages.map(({ path }) => path.slice("docs/api/".length)).toSorted(),
    )
  })

  it.each(pages.map((page) => [page.entry, page] as const))(
    "%s has no exported symbol without a comment, and in core no public member either",
    (entry, page) => {
      const isCore = entry.startsWith("@sotto/core")
      expect(page.uncommented.filter((name) => isCore || !name.includes("."))).toEqual([])
    },
  )
})
