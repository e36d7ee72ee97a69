import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import manifest from "../package.json" with { type: "json" }

const folder = join(import.meta.dirname, "../src")
const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  // Without the comments: their examples are programs of somebody who has a clock.
  .map((name) => ({
    name,
    text: readFileSync(join(folder, name), "utf8").replace(/^ *\/\*\*[\s\S]*?\*\//gm, ""),
  }))

it("core has no runtime dependency", () => {
  expect(Object.keys(manifest)).not.toContain("dependencies")
  for (const { name, text } of sources)
    for (const [, from = ""] of text.matchAll(/from "([^"]+)"/g)) expect(from, name).toMatch(/^\.\.?\//)
})

/** Types keep out what the platform offers and lint what it names; this is what neither sees. */
it("core has no clock and no randomness", () => {
  expect(sources.length).toBeGreaterThan(50)
  for (const { name, text } of sources)
    expect(text, name).not.toMatch(/Math\.random|Date\.now|new Date|performance\.now/)
})
