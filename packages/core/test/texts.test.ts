import { estimateTokens } from "@sotto/core"
import { describe, expect, it } from "vitest"
import { MARKERS, OUTCOMES } from "../src/epoch/markers.js"
import { CASES } from "./catalogue/cases.js"
import { allTexts, type Text } from "./catalogue/texts.js"
import { boundary, compact } from "./catalogue/walker.js"
import { everything, start } from "./support/session.js"

type Lint = (line: string, kind: string) => boolean

const CONCEALS =
  /\b(?:do not|don't|never|avoid|without)\s+(?:\w+\s+){0,2}(?:mention|tell|reveal|disclos|report|show|acknowledg)\w*|secret|hidden from|keep (?:this|it) (?:to yourself|quiet|between)|unaware|confidential/i
const ACRONYMS = new Set(["JSON", "AGENTS", "CLAUDE", "CONTEXT", "README", "HTTP", "SKILL"])
const EMPHASIS = /!|\b(?:MUST|NEVER|IMPORTANT|ALWAYS|NOT|DO|ALL)\b/
const GUESSES =
  /\bbecause (?:you|the user)\b|\b(?:the user|user|they) (?:wants?|intends?|meant|means|expects?|prefers?)\b|\blinter\b|\bintention|\bon purpose\b|\bforgot|\bprobably\b|\blikely\b|\bmistake/i
const AUTHORITY =
  /\b(?:must|shall|obey|comply|overrid\w+|supersed\w+|takes? precedence|forbidden|required|allowed|may (?:only |not )?be \w+|keep to it|replace the additional)\b/i

/** What is wrong with a text, by name. Each says whether a line has the fault. */
const LINTS: Readonly<Record<string, Lint>> = {
  "asks for concealment": (line) => CONCEALS.test(line),
  shouts: (line) =>
    EMPHASIS.test(line) || (line.match(/\b[A-Z]{4,}\b/g) ?? []).some((word) => !ACRONYMS.has(word)),
  'says "system" without explaining it': (line) => /\bsystem\b/i.test(line),
  "claims what a rule cannot know": (line, kind) =>
    GUESSES.test(kind === "agent_mention" ? line.replace("The user wants the agent", "") : line),
  "has more than one sentence of authority": (line) =>
    line.split(/(?<=[.:])\s+/).filter((sentence) => AUTHORITY.test(sentence)).length > 1,
  "does not end": (line) => !/[.:\]]$/.test(line.split(LISTED).at(0) ?? line),
  "has tabs or trailing spaces": (line) => /\t|[ \t]+$/m.test(line),
}

/** Where a line was cut in the middle, it has no end to judge; the note says so. */
const CUT_SHORT = /(?<=\w)\W*\n(?=\[cut to fit the reminder budget: \d+ of \d+ characters are shown\]$)/

/** Names that a line lists below itself are data. */
const LISTED = /\n- /

function faults({ line, kind }: Pick<Text, "line" | "kind">): readonly string[] {
  return Object.entries(LINTS).flatMap(([name, has]) => (has(line, kind) ? [name] : []))
}

describe("the lint", () => {
  it.each<[string, readonly string[]]>([
    [
      "asks for concealment",
      ["Do not tell the user.", "Never mention this.", "This is a secret.", "It is hidden from users."],
    ],
    [
      "asks for concealment",
      ["Don't ever reveal it.", "Work without telling them.", "Keep this to yourself."],
    ],
    [
      "shouts",
      ["Read it!", "You MUST read it.", "IMPORTANT: read it.", "NEVER do this.", "READ the file.", "Do NOT."],
    ],
    ['says "system" without explaining it', ["A system notice.", "The System says so."]],
    [
      "claims what a rule cannot know",
      ["Stale because you forgot it.", "The user wants it done.", "A linter did it."],
    ],
    ["claims what a rule cannot know", ["The change was intentional.", "This is likely a mistake."]],
    ["has more than one sentence of authority", ["You must read it. It is forbidden to write."]],
    ["does not end", ["No full stop", "A list,", "Nothing after:\nbut this"]],
    ["has tabs or trailing spaces", ["A tab\there.", "A space at the end. \nNext."]],
  ])("finds what %s", (name, lines) => {
    for (const line of lines)
      expect([line, faults({ line, kind: "any" })]).toEqual([line, expect.arrayContaining([name])])
  })

  it("lets plain sentences pass, and an agent mention say what the user wants, which the user said", () => {
    for (const line of [
      "AGENTS.md changed. Read it again.",
      "It reports 2 problems in a.ts:",
      "A JSON file and a PDF.",
    ])
      expect(faults({ line, kind: "any" })).toEqual([])
    const wish = { line: "The user wants the agent explore invoked.", kind: "agent_mention" }
    expect(faults(wish)).toEqual([])
    expect(faults({ ...wish, kind: "any" })).not.toEqual([])
  })
})

describe.each(CASES.map((one) => [one.kind, one] as const))("the texts of %s", (kind, one) => {
  const texts = allTexts(one)
  const lines = [...new Set(texts.map(({ line }) => line.replace(CUT_SHORT, "")))]

  it("are found, in every form", () => expect(lines.length).toBeGreaterThan(0))

  it.each(lines)("%s", (line) => expect(faults({ kind, line })).toEqual([]))

  it("fit the default budget, also where what they quote is long", () => {
    for (const { line, tokens } of texts) {
      expect(estimateTokens(line)).toBeLessThanOrEqual(300)
      expect(tokens).toBeLessThanOrEqual(8_000)
    }
  })
})

describe("forms that a budget brings about", () => {
  it("are among the texts: cut ones, and short ones", () => {
    const texts = CASES.flatMap((one) => allTexts(one))
    expect(
      texts.some(({ body, line }) => `${line}\n${body}`.includes("[cut to fit the reminder budget:")),
    ).toBe(true)
    expect(
      texts.some(({ line }) => /^The language server reports 2 new problems in a\.ts\.$/.test(line)),
    ).toBe(true)
  })
})

describe("what else the harness writes", () => {
  it.each([...Object.values(MARKERS), ...Object.values(OUTCOMES)])("%s", (line) =>
    expect(faults({ line, kind: "marker" })).toEqual([]),
  )

  it("the frame of a summary", () => {
    const session = start()
    boundary(session)
    compact(session)
    const [line = ""] = /^The conversation up to here.*$/m.exec(everything(boundary(session))) ?? []
    expect(line).not.toBe("")
    expect(faults({ line, kind: "summary" })).toEqual([])
  })
})
