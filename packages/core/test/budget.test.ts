import {
  defineRule,
  dynamic,
  estimateTokens,
  type KindSettings,
  type Rule,
  type Session,
  type SessionOptions,
} from "@sotto/core"
import { describe, expect, it } from "vitest"
import { exchange, request, says, spoke, start, told, work } from "./support/session.js"

const LONG = "word ".repeat(200)

/** A rule that always wants to say the same. */
function wants(kind: string, lines: readonly string[], more: Partial<Rule> = {}): Rule {
  return defineRule({ kind, ...more, decide: () => [{ forms: lines.map((line) => ({ line })) }] })
}

function outcomes(session: Session, step: number): Readonly<Record<string, string>> {
  return Object.fromEntries(session.ledger(step).map(({ kind, outcome }) => [kind, outcome]))
}

function running(options: Partial<SessionOptions>): Session {
  const session = start(options)
  session.say("Go")
  return session
}

describe("the budget of a step", () => {
  it("is kept: the first form that fits is told at once", () => {
    const session = running({ rules: [wants("long", [LONG, "short form"])], budget: { perStep: 100 } })
    const text = told(work(session, "c1"))
    expect(text).toContain("short form")
    expect(text).not.toContain("word")
    expect(outcomes(session, 1).long).toBe("spoke")
  })

  it("defers what fits in no form once, then cuts the fullest", () => {
    const session = running({ rules: [wants("long", [LONG, LONG])], budget: { perStep: 100 } })
    expect(told(work(session, "c1"))).not.toContain("word")
    expect(told(work(session, "c2"))).toContain("cut to fit")
    expect([outcomes(session, 1).long, outcomes(session, 2).long]).toEqual(["over-budget", "spoke"])
  })

  it("what has no shorter form is cut, with a note that says how much is shown", () => {
    const session = running({ rules: [wants("long", [LONG])], budget: { perStep: 100 } })
    work(session, "c1")
    const text = told(work(session, "c2"))
    expect(text).toMatch(/word .*\n\[cut to fit the reminder budget: \d+ of 1000 characters are shown\]/)
    const [row] = session.ledger(2).filter(({ outcome }) => outcome === "spoke")
    expect(row?.tokens).toBeLessThanOrEqual(100)
  })

  it("goes by priority, and what must be said is said whatever it costs", () => {
    const rules = [
      wants("low", ["low ".repeat(60)], { priority: 10 }),
      wants("high", ["high ".repeat(50)], { priority: 90 }),
      wants("must", [LONG], { exempt: true }),
    ]
    const session = running({ rules, budget: { perStep: 100 } })
    request(session)
    expect(outcomes(session, 1)).toMatchObject({ low: "over-budget", high: "spoke", must: "spoke" })
    expect(spoke(session, 1)).toEqual(["high", "must"])
  })

  it("gives room first to what has waited longest", () => {
    const rules = [
      wants("low", ["low ".repeat(60)], { priority: 10 }),
      wants("high", ["high ".repeat(50)], { priority: 90 }),
    ]
    const session = running({ rules, budget: { perStep: 100 } })
    work(session, "c1")
    request(session)
    expect(outcomes(session, 2)).toMatchObject({ low: "spoke", high: "over-budget" })
  })

  it("starves no one: eight files under a small budget are all told", () => {
    const session = running({ budget: { perStep: 120 } })
    for (let i = 0; i < 8; i++)
      session.note({ type: "file.edited", path: `file-${i}.ts`, before: LONG, after: `${LONG}more` })
    const text = Array.from({ length: 8 }, (_, i) => told(work(session, `c${i}`))).join("\n")
    for (let i = 0; i < 8; i++)
      expect(text.match(new RegExp(`file-${i}\\.ts was changed`, "g"))).toHaveLength(1)
  })

  it("is what one asks of its own counter", () => {
    const rules = [wants("long", ["twelve chars"])]
    const dear = running({ rules, budget: { perStep: 100 }, countTokens: (text) => text.length * 10 })
    request(dear)
    expect(outcomes(dear, 1).long).toBe("over-budget")
    expect(estimateTokens("é€𝄞")).toBe(Math.ceil((2 + 3 + 4) / 4))
  })

  it("cuts the words of other origins, with a note, and never a human's", () => {
    const session = running({ budget: { perStep: 150 } })
    work(session, "c1")
    session.say(`human ${LONG}`)
    session.say(`task ${LONG}`, { origin: { kind: "task-notification" } })
    const text = told(request(session))
    expect(text).toContain(`human ${LONG}`)
    expect(text).not.toContain(`task ${LONG}`)
    expect(text).toContain("[cut to fit the reminder budget:")
  })

  it("counts what the guard adds to the words of other origins", () => {
    const perStep = 300
    const session = running({ budget: { perStep } })
    work(session, "c1")
    session.say("<system-reminder>".repeat(500), { origin: { kind: "channel", server: "ci" } })
    request(session)
    const [aside] = session.asides(1)
    const sent = estimateTokens(`<system-reminder>\n${aside?.text}\n</system-reminder>`)
    expect(sent).toBeLessThanOrEqual(perStep)
    expect(aside?.tokens).toBe(sent)
  })
})

describe("the share of the context", () => {
  it("limits reminders to a part of what they stand in", () => {
    const long = (share: number) => {
      const session = running({ rules: [wants("long", [LONG])], budget: { share } })
      work(session, "c1", LONG.repeat(4))
      return told(request(session))
    }
    expect(long(0.1)).toContain("[cut to fit the reminder budget:")
    expect(long(1)).toContain(`<system-reminder>
${LONG}
</system-reminder>`)
  })
})

describe("settings of a kind", () => {
  const critical = (settings: KindSettings, rest: Partial<SessionOptions> = {}) => {
    const session = start({ reminders: { critical_system_reminder: settings, ...rest.reminders }, ...rest })
    session.note({ type: "critical", text: "Keep it short." })
    session.say("Go")
    return { session, text: told(exchange(session, says("ok"))) }
  }

  it("off", () => {
    const { session, text } = critical(false)
    expect(text).toBe("Go")
    expect(outcomes(session, 1).critical_system_reminder).toBe("disabled")
  })

  it("text, with placeholders; one it does not know stays as it is", () => {
    const { text } = critical({ text: "Boss: {{line}} ({{ key }}, {{nothing}})" })
    expect(text).toContain("Boss: Keep it short. (Keep it short., {{nothing}})")
  })

  it("text with the rule's own values", () => {
    const session = start({ reminders: { build_switch: { text: "{{from}} → {{to}}" } } })
    session.say("Go")
    exchange(session, says("ok"))
    session.switchAgent("plan")
    session.say("Plan")
    expect(told(request(session))).toContain("build → plan")
  })

  it("text around an untrusted body leaves the body in its frame", () => {
    const session = start({ reminders: { edited_text_file: { text: "{{key}} is new" } } })
    session.note({ type: "file.edited", path: "a.ts", before: "old", after: "new" })
    session.say("Go")
    expect(told(request(session))).toMatch(
      /a\.ts is new\n<reminder-body source="a\.ts">\n@@ line 1 @@\n-old\n\+new\n<\/reminder-body>/,
    )
  })

  it("throttle, in place of the rule's own", () => {
    const session = start({ reminders: { todo_reminder: { throttle: { limit: 1 } } } })
    session.observe(dynamic("todos"), [{ content: "write tests" }])
    session.say("Go")
    const texts = Array.from({ length: 25 }, (_, i) => told(work(session, `c${i}`)))
    expect(texts.filter((text) => text.includes("write tests"))).toHaveLength(1)
  })

  it("priority decides the order", () => {
    const rules = [wants("a", ["line a"]), wants("b", ["line b"])]
    const session = running({ rules, reminders: { b: { priority: 60 } } })
    request(session)
    expect(spoke(session, 1)).toEqual(["b", "a"])
  })

  it("budget bounds the kind, whatever room there is", () => {
    const rules = [wants("long", [LONG, "short form"])]
    const session = running({ rules, reminders: { long: { budget: 50 } } })
    work(session, "c1")
    expect(told(work(session, "c2"))).toContain("short form")
  })
})
