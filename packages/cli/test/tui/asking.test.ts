import { describe, expect, it } from "vitest"
import type { TerminalContext } from "../../src/tui/context.js"
import { insert } from "../../src/tui/input/buffer.js"
import { type KeyEvent, key } from "../../src/tui/input/keys.js"
import { questionKey } from "../../src/tui/keys/question.js"
import {
  armed,
  asked,
  closed,
  NOBODY_ASKS,
  optionsOf,
  patternScope,
} from "../../src/tui/state/open-questions.js"
import { emptyScreen } from "../../src/tui/state/reduce.js"
import { newUi, type Ui } from "../../src/tui/state/ui.js"

const question = (id: string) => ({ id, kind: "question", question: "Which?", options: ["A", "B"] }) as const
const PLACES = { root: "/work", user: "/home/me/sotto.json" }
const posed = (id = "q1") => ({
  question: question(id),
  options: optionsOf(question(id), PLACES),
  printed: false,
})
const ANSWERED = { type: "text", text: "1" } as const

/** Presses keys, and says what they came to: answers, or text for the draft. */
function press(start: Ui, ...keys: readonly KeyEvent[]) {
  let ui = start
  const answers: string[] = []
  const actions = {
    ui: () => ui,
    update: (change: (ui: Ui) => Ui) => {
      ui = change(ui)
    },
    answer: (option: number, words: string) =>
      answers.push(optionsOf(question("q1"), PLACES)[option]?.answer(words) ?? ""),
  } as unknown as TerminalContext
  const forDraft = keys.filter((event) => !questionKey(event, actions))
  return { ui, answers, forDraft }
}

function uiWith(asking: Ui["asking"], draft = ""): Ui {
  const ui = newUi(emptyScreen("s", "build", "m"), 80, 24, 0)
  return { ...ui, asking, draft: { ...ui.draft, buffer: insert(ui.draft.buffer, draft) } }
}

describe("a question that appears", () => {
  it("gets no key before it has been in sight for a while", () => {
    const { answers, forDraft, ui } = press(uiWith(asked(NOBODY_ASKS, posed(), false)), ANSWERED)
    expect(answers).toEqual([])
    expect(forDraft).toEqual([ANSWERED])
    // Whoever has begun to write goes on writing.
    expect(armed(ui.asking).focus).toBe("draft")
  })

  it("gets no key while something is being written, not even Enter", () => {
    const enter = key("enter")
    const asking = armed(asked(NOBODY_ASKS, posed(), true))
    const { answers, forDraft } = press(uiWith(asking, "a message"), ANSWERED, enter)
    expect(answers).toEqual([])
    expect(forDraft).toEqual([ANSWERED, enter])
  })

  it("is answered by a number or by choosing, once it is in sight", () => {
    const ready = uiWith(armed(asked(NOBODY_ASKS, posed(), false)))
    expect(press(ready, { type: "text", text: "2" }).answers).toEqual(["B"])
    expect(press(ready, key("down"), key("enter")).answers).toEqual(["B"])
  })

  it("is turned to with Tab, and left with Esc", () => {
    const writing = uiWith(asked(NOBODY_ASKS, posed(), true), "a message")
    expect(press(writing, key("tab"), ANSWERED).answers).toEqual(["A"])
    expect(press(writing, key("tab"), key("escape"), ANSWERED).answers).toEqual([])
  })

  it("leaves letters to the draft: they begin a message", () => {
    const ready = uiWith(armed(asked(NOBODY_ASKS, posed(), false)))
    const letter = { type: "text", text: "a" } as const
    const { answers, forDraft, ui } = press(ready, letter, ANSWERED)
    expect(answers).toEqual([])
    expect(forDraft).toEqual([letter, ANSWERED])
    expect(ui.asking.focus).toBe("draft")
  })

  it("takes words with an answer, apart from the draft", () => {
    const ready = uiWith(armed(asked(NOBODY_ASKS, posed(), false)))
    const { answers, forDraft } = press(
      ready,
      { type: "text", text: "3" },
      { type: "text", text: "Both" },
      key("enter"),
    )
    expect(answers).toEqual(["Both"])
    expect(forDraft).toEqual([])
  })

  it("makes way for the next, which has to be seen first as well", () => {
    const two = asked(armed(asked(NOBODY_ASKS, posed("q1"), false)), posed("q2"), false)
    const next = closed(two, "q1")
    expect(next).toMatchObject({ open: [{ question: { id: "q2" } }], focus: "arming" })
    expect(closed(next, "q2")).toEqual(NOBODY_ASKS)
  })
})

it("offers to allow always only where a pattern says exactly what was asked", () => {
  const about = {
    id: "q",
    kind: "permission",
    call: "c",
    tool: "bash",
    permission: "bash",
    target: "npm test",
  } as const
  const labels = (always?: string) =>
    optionsOf({ ...about, ...(always && { always }) }, PLACES).map(({ label }) => label)
  expect(labels()).toEqual(["Allow once", "Allow for this session", "Deny, and say why…"])
  expect(labels("npm test")).toContain("Always allow in this project, by pattern…")
  expect(optionsOf({ ...about, always: "npm test" }, PLACES)[2]?.words).toBe("npm test")
})

it("says of each answer what it covers, for how long, and where that is kept", () => {
  const about = {
    id: "q",
    kind: "permission",
    call: "c",
    tool: "bash",
    permission: "bash",
    target: "npm test",
    always: "npm test",
  } as const
  const [once, session, always, deny] = optionsOf(about, PLACES)
  expect(once?.scope?.("")).toBe("this call and nothing else")
  expect(session?.scope?.("")).toContain("this exact command line, until this session ends")
  expect(always?.scope?.("npm test")).toBe("bash of exactly npm test, in /work, kept in /home/me/sotto.json")
  expect(always?.scope?.("npm *")).toContain('every bash that begins with "npm "')
  expect(deny?.scope?.("")).toContain("does not run")
})

it("warns of a pattern that lets a program run or destroy anything", () => {
  const scope = (pattern: string) => patternScope("bash", pattern, PLACES)
  for (const pattern of ["*", "bash *", "python3 *", "/usr/bin/node *", "sudo *", "xargs*", "rm *", "git *"])
    expect(scope(pattern)).toMatch(/^CAREFUL/)
  for (const pattern of ["npm test", "npm test *", "rm -rf build"])
    expect(scope(pattern)).not.toContain("CAREFUL")
})
