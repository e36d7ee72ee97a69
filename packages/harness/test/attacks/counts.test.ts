import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { BENIGN } from "../../../shell/test/attacks/benign.js"
import { ATTACKS } from "../../../shell/test/attacks/families.js"
import { REPOSITORIES } from "./repositories.js"
import { ESCAPES } from "./sandbox-escapes.js"

const PAGE = readFileSync(new URL("../../../../docs/trust.md", import.meta.url), "utf8")

describe("docs/trust.md", () => {
  it.each([
    ["shell scripts", new Set(Object.values(ATTACKS).flat()).size],
    ["hostile repositories", REPOSITORIES.length],
    ["escapes from the sandbox", ESCAPES.length],
  ])("has as many %s as there are", (corpus, count) => {
    expect(PAGE).toContain(`| ${corpus} | ${count.toLocaleString("en-US")} |`)
  })

  it("has as many harmless scripts as there are", () => {
    expect(PAGE).toContain(`| ${BENIGN.length} harmless scripts`)
  })
})
