import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { SEQUENCES } from "../../../cli/test/attacks/sequences.js"
import { BENIGN as PLAIN_TEXTS } from "../../../core/test/attacks/benign.js"
import { DISGUISED } from "../../../core/test/attacks/disguises.js"
import { BENIGN } from "./benign.js"
import { ATTACKS } from "./families.js"
import { REPOSITORIES } from "./repositories.js"
import { ESCAPES } from "./sandbox-escapes.js"

const PAGE = readFileSync(new URL("../../../../docs/trust.md", import.meta.url), "utf8")
const written = (count: number) => count.toLocaleString("en-US")

describe("docs/trust.md", () => {
  it.each([
    ["shell scripts", new Set(Object.values(ATTACKS).flat()).size],
    ["disguises of tags and template tokens", DISGUISED.length],
    ["terminal sequences", SEQUENCES.length],
    ["hostile repositories", REPOSITORIES.length],
    ["escapes from the sandbox", ESCAPES.length],
  ])("has as many %s as there are", (corpus, count) => {
    expect(PAGE).toContain(`| ${corpus} | ${written(count)} |`)
  })

  it("has as many harmless scripts and texts as there are", () => {
    expect(PAGE).toContain(`| ${written(BENIGN.length)} harmless scripts`)
    expect(PAGE).toContain(`| ${written(PLAIN_TEXTS.length)} harmless texts`)
  })
})
