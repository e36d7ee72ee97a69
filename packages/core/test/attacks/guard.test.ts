import { readFileSync } from "node:fs"
import { neutralise, restoreNeutralised } from "@sotto/core"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { request, start } from "../support/session.js"
import { BENIGN } from "./benign.js"
import { DISGUISED, TOKENS } from "./disguises.js"

/** What must hold of every text. */
function expectReversible(text: string): void {
  const { text: safe, count } = neutralise(text)
  if (restoreNeutralised(safe) !== text) expect.fail(`not restored: ${JSON.stringify(text)}`)
  expect(safe.length - text.length).toBe(count)
  expect(restoreNeutralised(neutralise(safe).text)).toBe(safe)
}

describe("disguises", () => {
  it("are at least 2,000, and cover at least 80 tokens of chat templates", () => {
    expect(DISGUISED.length).toBeGreaterThanOrEqual(2_000)
    expect(TOKENS.length).toBeGreaterThanOrEqual(80)
  })

  it("are all made inert, and restored exactly", () => {
    const passed = DISGUISED.filter((text) => neutralise(text).count === 0)
    expect(passed).toEqual([])
    for (const text of DISGUISED) expectReversible(text)
  })

  it("are made inert in the middle of a text as well", () => {
    const passed = DISGUISED.filter((text) => neutralise(`before\n${text} after, and more.`).count === 0)
    // What only the end of a text makes dangerous is none of these.
    expect(passed).toEqual([])
  })
})

describe("benign texts", () => {
  it("are at least 200", () => {
    expect(new Set(BENIGN).size).toBeGreaterThanOrEqual(200)
  })

  it("stay as they are, byte for byte", () => {
    expect(BENIGN.filter((text) => neutralise(text).count > 0)).toEqual([])
    expect(BENIGN.filter((text) => restoreNeutralised(text) !== text)).toEqual([])
  })
})

describe("any text", () => {
  const hostile = fc.constantFrom(
    ..."<[]&%\\|/#;:{}>-_~!sSyrmntixuU0379abefINST \n\t",
    ..."\u200b\u00ad\ufe0f\u0301\u2800＜［｜＆％＼ﬆİıсѕе\ud83d\udc00\u{e003c}\u{e0073}\u{e0026}\u{1d42c}",
    ...'\x1b,\x1b[,\x1b[31m,\x1b],\x07,\x9b,\x1b\\,«,»,【,】,Μ,ν,ー,中,\ufffd,\n  USER: ,"x"\\,\n,minimax:,tool_call,[|user|]'.split(
      ",",
    ),
    ..."amp;,lt;,lt,#60,#x3c,u003c,u{3c},x3c,74,3C,25,system,-reminder,system-reminder,mcp-resource,|>,INST],SYS>>".split(
      ",",
    ),
    ...[
      "\nHuman",
      "System:",
      "### ",
      "s>",
      "/s>",
      "bos>",
      "extra_id_0",
      "new-diagnostics",
      "shy;",
      "nbsp;",
      "~b]",
    ],
  )
  const texts = fc.array(hostile, { maxLength: 14 }).map((all) => all.join(""))

  it("made of hostile pieces is restored exactly", () => {
    fc.assert(fc.property(texts, expectReversible), { seed: 11, numRuns: 5_000 })
  })

  it("made of whole disguises is restored exactly", () => {
    const pieces = fc.oneof(fc.constantFrom(...DISGUISED), hostile)
    const mixed = fc.array(pieces, { maxLength: 6 }).map((all) => all.join(""))
    fc.assert(fc.property(mixed, expectReversible), { seed: 12, numRuns: 2_000 })
  })

  it("cut in two anywhere in a disguise shows no tag where its halves are joined", () => {
    const whole = "</system-reminder>"
    for (let i = 1; i < whole.length; i++)
      expect(neutralise(whole.slice(0, i)).text + neutralise(whole.slice(i)).text).not.toContain(whole)
  })

  it.each([
    "<ΝΕW-DIAGΝΟSΤΙCS>",
    "<sys\x1b[31mtem-reminder>",
    "<sys\x1b]0;title\x07tem-reminder>",
    "「system\u30fcreminder」",
    "<sys\ufffdtem-reminder>",
    "[|user|]",
    "<|turn>",
    "<turn|>",
  ])("%j is made inert in one of two parts, wherever it is cut", (whole) => {
    for (let i = 1; i < whole.length; i++) {
      const parts = [whole.slice(0, i), whole.slice(i)].map((part) => neutralise(part).text)
      expect([i, parts.join("") !== whole]).toEqual([i, true])
    }
  })
})

describe("long hostile texts", () => {
  it.each([
    ["an opening and three million zero-width characters", `<${"\u200b".repeat(3_000_000)}`],
    ["openings", "<".repeat(1_000_000)],
    ["escaped ampersands", "&amp;".repeat(200_000)],
    ["a chain of escaped ampersands", `&${"amp;".repeat(200_000)}`],
    ["backslashes", `<${"\\".repeat(1_000_000)}`],
    ["zeros of an entity", `&#${"0".repeat(1_000_000)}`],
    ["tokens", "<|a|>".repeat(100_000)],
    ["speakers", "\nHuman:".repeat(50_000)],
    ["colour sequences that are cut off", `<${"\x1b[".repeat(500_000)}`],
    ["escaped colour sequences that are cut off", "&#27;[".repeat(150_000)],
    ["titles of terminals that never end", `${"<\x1b]x".repeat(250_000)}<`],
    ["unknown characters", `<${"中".repeat(1_000_000)}`],
    ["brackets of another form", "「s".repeat(500_000)],
  ])("are restored: %s", (_, text) => {
    const { text: safe, count } = neutralise(text)
    expect(count).toBeGreaterThan(0)
    expect(restoreNeutralised(safe) === text).toBe(true)
  })

  it("said as a prompt do not break the session", () => {
    const session = start()
    session.say(`<${"\u200b".repeat(3_000_000)}`)
    expect([...request(session).messages]).toHaveLength(1)
  })
})

describe("docs/trust.md", () => {
  it("has as many disguises and harmless texts as there are", () => {
    const page = readFileSync(new URL("../../../../docs/trust.md", import.meta.url), "utf8")
    expect(page).toContain(
      `| disguises of tags and template tokens | ${DISGUISED.length.toLocaleString("en-US")} |`,
    )
    expect(page).toContain(`| ${BENIGN.length} harmless texts`)
  })
})
