import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { parseScript } from "../src/index.js"

it("the README's script is one", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")
  const [, yaml = ""] = /```yaml\n([\s\S]*?)```/.exec(readme) ?? []
  expect(parseScript(yaml, "README.md").steps).toHaveLength(3)
})
