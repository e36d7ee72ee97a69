import { describe, expect, it } from "vitest"
import {
  defineScript,
  type Expectation,
  parseScript,
  SCRIPT_IS_OVER,
  ScriptError,
  type ScriptStep,
} from "../src/index.js"
import { decodeWhole } from "./support/decode.js"
import { ask, DIALECTS, post, rehearsalFor } from "./support/http.js"

describe("a script in YAML", () => {
  it("says the same as one in TypeScript", () => {
    const yaml = `
steps:
  - text: I look around.
    reasoning: Where am I?
    calls:
      - name: glob
        input: { pattern: "**/*.ts" }
      - { name: read, id: call-2 }
    delay: 5
    expect:
      - told: Fix it
      - reminder: /mode changed/i
        carrier: tool-result
    fail: { status: 429, retryAfter: 1 }
  - text: Done.
    stop: end
    tokenDelay: 2
    disobey: true
    fail:
      - drop: middle
      - event: 529
      - malformed: true
      - refuse: system
`
    const script = defineScript([
      {
        text: "I look around.",
        reasoning: "Where am I?",
        calls: [
          { name: "glob", input: { pattern: "**/*.ts" } },
          { name: "read", id: "call-2" },
        ],
        delay: 5,
        expect: [{ told: "Fix it" }, { reminder: "/mode changed/i", carrier: "tool-result" }],
        fail: [{ status: 429, retryAfter: 1 }],
      },
      {
        text: "Done.",
        stop: "end",
        tokenDelay: 2,
        disobey: true,
        fail: [{ drop: "middle" }, { event: 529 }, { malformed: true }, { refuse: "system" }],
      },
    ])
    expect(parseScript(yaml)).toEqual(script)
    expect(parseScript("- text: Hi")).toEqual({ steps: [{ text: "Hi" }] })
  })

  it("may have scripts for conversations that begin with certain words", () => {
    const yaml = "scripts:\n  - when: /tester/i\n    steps:\n      - text: Tested.\nsteps:\n  - text: Else."
    expect(parseScript(yaml)).toEqual({
      scripts: [{ when: "/tester/i", steps: [{ text: "Tested." }] }],
      steps: [{ text: "Else." }],
    })
  })

  const wrong: readonly (readonly [string, string, string])[] = [
    ["a typo", "- text: a\n- texts: b", "tour.yaml:2: 1.texts: is not a known field"],
    [
      "a wrong kind",
      "steps:\n  - text: a\n    delay: soon",
      'tour.yaml:3: steps.0.delay: should be a number from 0 on, and is "soon"',
    ],
    ["a call without a name", "- calls:\n    - input: {}", "tour.yaml:2: 0.calls.0.name: is missing"],
    [
      "a script for nothing",
      "scripts:\n  - steps:\n      - text: a",
      "tour.yaml:2: scripts.0.when: is missing",
    ],
    [
      "a script without steps",
      "scripts:\n  - when: a",
      "tour.yaml:2: scripts.0.steps: should be a list of steps, and there are none",
    ],
    [
      "a broken expression for words",
      "scripts:\n  - when: /(/\n    steps: [{ text: a }]",
      "tour.yaml:2: scripts.0.when: is not a regular expression: /(/",
    ],
    [
      "requests counted over several conversations",
      "counting: requests\nscripts:\n  - when: a\n    steps: [{ text: a }]",
      "tour.yaml:1: counting: should not be requests where there are scripts for several conversations",
    ],
    [
      "an impossible status",
      "- text: a\n  fail:\n    status: 200",
      "tour.yaml:3: 0.fail.status: should be a status from 400 to 599, and is 200",
    ],
    [
      "two failures in one",
      "- fail: { status: 429, drop: before }",
      "tour.yaml:1: 0.fail: should have exactly one of status, drop, event, malformed, refuse",
    ],
    [
      "a broken expression",
      "- text: a\n  expect:\n    - told: /(/",
      "tour.yaml:3: 0.expect.0.told: is not a regular expression: /(/",
    ],
    [
      "an unknown carrier",
      "- expect:\n    - carrier: pigeon",
      "tour.yaml:2: 0.expect.0.carrier: should be one of system-message",
    ],
    ["no steps", "steps: []", "tour.yaml:1: steps: should be a list of steps, and there are none"],
    ["no YAML", "- text: 'a\n- b: c", "tour.yaml:2: Missing closing 'quote"],
    ["no script", "hello", 'tour.yaml:1: should be a mapping, and is "hello"'],
  ]
  it.each(wrong)("names file, line and field of %s", (_, text, message) => {
    expect(() => parseScript(text, "tour.yaml")).toThrow(ScriptError)
    expect(() => parseScript(text, "tour.yaml")).toThrow(message)
  })

  it("is checked when it is not YAML, too", () => {
    expect(() => defineScript([{ text: 3 } as unknown as ScriptStep])).toThrow(
      "script: 0.text: should be a text, and is 3",
    )
  })
})

describe("which step is played", () => {
  const script: readonly ScriptStep[] = [{ text: "One." }, { text: "Two." }]
  const after = (answers: readonly string[]) => ({
    path: "/v1/chat/completions",
    body: {
      model: "gpt-5.6",
      messages: [
        ...answers.flatMap((content) => [
          { role: "user", content: "Go on." },
          { role: "assistant", content },
        ]),
        { role: "user", content: "Go on." },
      ],
    },
  })
  const said = async (response: Response) => decodeWhole("openai-chat", await response.json()).parts

  it("is told from the request alone, for any number of conversations", async () => {
    const rehearsal = await rehearsalFor({ script })
    for (const answers of [[], ["One."], [], ["One."]])
      expect(await said(await post(rehearsal, after(answers)))).toEqual([
        { type: "text", text: answers.length === 0 ? "One." : "Two." },
      ])
  })

  it("is, after the last one, an end that says so", async () => {
    const rehearsal = await rehearsalFor({ script })
    const parts = await said(await post(rehearsal, after(["One.", "Two."])))
    expect(parts).toEqual([{ type: "text", text: SCRIPT_IS_OVER }])
  })

  it("is the next one for each new request where requests are counted, and the same for the same", async () => {
    const rehearsal = await rehearsalFor({ script: { steps: script, counting: "requests" } })
    const texts = []
    for (const answers of [[], [], ["One."], [], ["another"]])
      texts.push(...(await said(await post(rehearsal, after(answers)))))
    expect(texts.map((part) => "text" in part && part.text)).toEqual([
      "One.",
      "One.",
      "Two.",
      "One.",
      SCRIPT_IS_OVER,
    ])
  })
})

describe("scripts for several conversations", () => {
  it.each(DIALECTS)("are told apart by the words they begin with, over %s", async (dialect) => {
    const scripts = [
      { when: "/^you are alice/i", steps: [{ text: "Alice." }] },
      { when: "You are bob", steps: [{ text: "Bob." }] },
    ]
    const rehearsal = await rehearsalFor({ script: { steps: [{ text: "Else." }], scripts } })
    const told = async (words: string) => {
      const response = await post(rehearsal, ask(dialect, { words }))
      return decodeWhole(dialect, await response.json()).parts.at(-1)
    }
    expect(await told("You are Alice.")).toMatchObject({ text: "Alice." })
    expect(await told("Today, You are bob.")).toMatchObject({ text: "Bob." })
    const reminder = "<system-reminder>\nYou are bob.\n</system-reminder>"
    expect(await told(`Hello.\n${reminder}`)).toMatchObject({ text: "Else." })
  })
})

describe("expectations", () => {
  const REMINDED = "Hello\n<system-reminder>\nThe mode changed.\n</system-reminder>"
  const checks: readonly (readonly [Expectation, string | undefined])[] = [
    [{ told: "Hello" }, undefined],
    [{ told: "/^hello/i" }, undefined],
    [
      { told: "Goodbye" },
      'Step 1 expected told "Goodbye"; what was told is:\n  [user] Hello\n  [user-text] The mode changed.',
    ],
    [{ notTold: "Goodbye" }, undefined],
    [{ notTold: "Hello" }, 'Step 1 expected not told "Hello"'],
    [{ notTold: "Hello", carrier: "user-text" }, undefined],
    [{ reminder: "mode" }, undefined],
    [{ reminder: "Hello" }, 'Step 1 expected a reminder "Hello"'],
    [{ reminder: "mode", carrier: "user-text" }, undefined],
    [{ reminder: "mode", carrier: "system-message" }, 'Step 1 expected a reminder "mode" by system-message'],
    [{ carrier: "user-text" }, undefined],
    [{ carrier: "tool-result" }, "Step 1 expected a reminder by tool-result"],
    [{ system: "You are" }, 'Step 1 expected a system prompt with "You are"; it is ""'],
    [{ tool_choice: "auto" }, undefined],
    [{ tool_choice: "none" }, "Step 1 expected tool_choice none; it is auto"],
    [{ tools: ["read"] }, undefined],
    [{ tools: ["read", "bash"] }, "Step 1 expected the tools bash; there are read"],
  ]

  it.each(checks)("%j", async (expectation, message) => {
    for (const dialect of DIALECTS) {
      const rehearsal = await rehearsalFor({ script: [{ text: "Yes.", expect: [expectation] }] })
      const response = await post(rehearsal, ask(dialect, { words: REMINDED, tools: ["read"] }))
      expect(response.status).toBe(message === undefined ? 200 : 400)
      if (message === undefined) continue
      const text = await response.text()
      expect(text).toContain("rehearsal_expectation_failed")
      expect((JSON.parse(text) as { error: { message: string } }).error.message).toContain(message)
      expect(rehearsal.requests[0]).toMatchObject({ status: 400, error: { fault: "expectation" } })
    }
  })
})
