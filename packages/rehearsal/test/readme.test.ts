import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { parseScript } from "../src/index.js"

it("the README's scripts are some", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")
  const scripts = [...readme.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = ""]) =>
    parseScript(yaml, "README.md"),
  )
  expect(scripts.map(({ steps }) => steps.length)).toEqual([3, 1])
})
