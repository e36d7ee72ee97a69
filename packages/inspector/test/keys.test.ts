import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { KEYS } from "../src/page/shell/keys.js"

it("has every key in the docs, with the same words", () => {
  const docs = readFileSync(new URL("../../../docs/inspector.md", import.meta.url), "utf8")
  const rows = docs.split("\n").flatMap((line) => {
    const [, keys, what] = /^\| (.+?) \| (.+?) \|$/.exec(line) ?? []
    return keys === undefined || what === undefined || keys === "keys" || keys === "---"
      ? []
      : [{ keys, what }]
  })
  expect(rows).toEqual(KEYS)
})
