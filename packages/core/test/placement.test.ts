import { type Carrier, defineRule, type Session, type SessionOptions, type WireMessage } from "@sotto/core"
import { describe, expect, it } from "vitest"
import { calls, exchange, MODELS, request, start, tail, textOf, told, work } from "./support/session.js"
import { problemsOf } from "./support/validate.js"

/** A bodyless reminder of the harness, and one that quotes somebody. */
function remind(session: Session): void {
  session.note({ type: "critical", text: "Keep it short." })
  session.note({ type: "file.edited", path: "a.ts", before: "old", after: "new" })
}

/** A turn at its second boundary: one result, and whatever else is said. */
function secondStep(
  model: string,
  prepare: (session: Session) => void,
  options: Partial<SessionOptions> = {},
) {
  const session = start({ model: { id: model }, ...options })
  session.say("Start")
  work(session, "c1", "RESULT")
  prepare(session)
  const sent = request(session)
  expect(problemsOf(sent)).toEqual([])
  return { session, sent, carriers: carriersOf(session) }
}

function carriersOf(session: Session): Record<string, Carrier | undefined> {
  const rows = session.ledger(2).filter(({ outcome }) => outcome === "spoke")
  return Object.fromEntries(rows.map(({ kind, carrier }) => [kind, carrier]))
}

/** Role by role, what each block is about. */
function outline(messages: readonly WireMessage[]): readonly (readonly string[])[] {
  return messages.map(({ role, content }) => [role, ...content.flatMap(about)])
}

function about(block: object): readonly string[] {
  if ("content" in block && Array.isArray(block.content))
    return [`result(${block.content.flatMap(about).join(" ")})`]
  const text = textOf(block)
  const what = { RESULT: "RESULT", WORDS: "WORDS", Keep: "Keep it short.", "a.ts": "a.ts was changed" }
  const found = Object.entries(what).flatMap(([name, words]) => (text.includes(words) ? [name] : []))
  if (found.length === 0) return [/user.*sent/i.test(text) ? "frame" : text]
  return [text.startsWith("<system-reminder") ? `<${found.join("+")}>` : found.join("+")]
}

describe("where things stand, by model", () => {
  const all = (session: Session) => {
    session.say("WORDS")
    remind(session)
  }

  it("a Claude without system messages: all of it moves into the last tool result", () => {
    const { sent, carriers } = secondStep(MODELS.smooshing, all)
    expect(outline(tail(sent))).toEqual([["user", "result(RESULT <WORDS> <Keep> <a.ts>)"]])
    expect(new Set(Object.values(carriers))).toEqual(new Set(["tool-result"]))
  })

  it("a Claude with system messages: words as they are, the quoting reminder in the result, frame and line as system", () => {
    const { sent, carriers } = secondStep(MODELS.system, all)
    expect(outline(tail(sent))).toEqual([
      ["user", "result(RESULT <a.ts>)", "WORDS"],
      ["system", "frame", "Keep"],
    ])
    expect(carriers).toEqual({
      queued_command: "system-message",
      critical_system_reminder: "system-message",
      edited_text_file: "tool-result",
    })
  })

  it("a Claude with system messages: words that come with somebody else's move into the result with them", () => {
    const { sent } = secondStep(MODELS.system, (session) => {
      session.say("WORDS of a human")
      session.say("WORDS of a task", { origin: { kind: "task-notification" } })
      remind(session)
    })
    expect(outline(tail(sent))).toEqual([
      ["user", "result(RESULT <WORDS> <WORDS> <a.ts>)"],
      ["system", "Keep"],
    ])
  })

  it.each([MODELS.smooshing, MODELS.system])("%s: asking for user-text gives no sibling either", (model) => {
    const { sent, carriers } = secondStep(model, remind, {
      reminders: { edited_text_file: { carrier: "user-text" } },
    })
    expect(outline(tail(sent))[0]?.slice(1)).toHaveLength(1)
    expect(carriers.edited_text_file).toBe("tool-result")
  })

  it("a Claude with system messages, and no words: what quotes somebody moves into the result", () => {
    const { sent } = secondStep(MODELS.system, remind)
    expect(outline(tail(sent))).toEqual([
      ["user", "result(RESULT <a.ts>)"],
      ["system", "Keep"],
    ])
  })

  it("OpenAI: as with system messages, and nothing moves into a result", () => {
    expect(outline(tail(secondStep(MODELS.developer, all).sent))).toEqual([
      ["user", "result(RESULT)", "WORDS", "<a.ts>"],
      ["system", "frame", "Keep"],
    ])
    expect(outline(tail(secondStep(MODELS.developer, remind).sent))[0]).toEqual([
      "user",
      "result(RESULT)",
      "<a.ts>",
    ])
  })

  it("another provider: text blocks after the results, in tags", () => {
    const { sent, carriers } = secondStep(MODELS.plain, all)
    expect(outline(tail(sent))).toEqual([["user", "result(RESULT)", "<WORDS>", "<Keep>", "<a.ts>"]])
    expect(new Set(Object.values(carriers))).toEqual(new Set(["user-text"]))
  })

  it.each(Object.values(MODELS))(
    "%s: with no result in the tail, words come first and reminders after them",
    (id) => {
      const session = start({ model: { id } })
      remind(session)
      session.say("WORDS")
      const sent = request(session)
      expect(problemsOf(sent)).toEqual([])
      expect(
        outline(tail(sent))
          .flat()
          .filter((one) => one !== "user" && one !== "system")
          .at(0),
      ).toBe("WORDS")
    },
  )

  it("only the last of several results carries reminders", () => {
    const session = start()
    session.say("Start")
    exchange(session, calls("c1", "c2"))
    session.result("c2", "RESULT two")
    session.result("c1", "RESULT one")
    remind(session)
    expect(outline(tail(request(session)))).toEqual([
      ["user", "result(RESULT)", "result(RESULT <Keep> <a.ts>)"],
    ])
  })

  it("the messages of a boundary stay together: one unframed keeps all of them out of the result", () => {
    const session = start({ reminders: { queued_command: false } })
    session.say("Start")
    work(session, "c1", "RESULT")
    session.say("WORDS of a human")
    session.say("WORDS of a task", { origin: { kind: "task-notification" } })
    expect(outline(tail(request(session)))).toEqual([["user", "result(RESULT)", "WORDS", "<WORDS>"]])
  })
})

describe("authority follows provenance", () => {
  it.each([MODELS.system, MODELS.developer])("%s: no outsider's word stands in a system message", (model) => {
    const { sent } = secondStep(model, (session) => {
      session.say("OUTSIDER one", { origin: { kind: "task-notification" } })
      session.say("OUTSIDER two", { origin: { kind: "channel", server: "OUTSIDER three" } })
      session.note({ type: "file.edited", path: "OUTSIDER.ts", before: "OUTSIDER", after: "-" })
    })
    const system = tail(sent).filter(({ role }) => role === "system")
    expect(JSON.stringify(system)).not.toContain("OUTSIDER")
  })

  it("asking for the system carrier does not give it to what quotes an outsider", () => {
    const settings = { edited_text_file: { carrier: "system-message" } } as const
    const { carriers } = secondStep(MODELS.system, remind, { reminders: settings })
    expect(carriers.edited_text_file).toBe("tool-result")
  })

  it("a rule whose trust is untrusted never gets it either, body or not", () => {
    const rule = defineRule({
      kind: "gossip",
      trust: "untrusted",
      decide: () => [{ forms: [{ line: "Heard." }] }],
    })
    const { carriers } = secondStep(MODELS.system, () => {}, { rules: [rule] })
    expect(carriers).toEqual({ gossip: "tool-result" })
  })
})

describe("what else is written", () => {
  it("media that a model cannot take becomes a note that names it", () => {
    const session = start({ model: { id: "local-model", capabilities: { images: false } } })
    session.say([
      { type: "image", mediaType: "image/png", data: "AAAA", name: "shot.png" },
      { type: "file", mediaType: "application/pdf", data: "AAAA" },
    ])
    expect(told(request(session))).toBe(
      '[image "shot.png" (image/png) was left out: this model does not take it]\n[file (application/pdf) was left out: this model does not take it]',
    )
  })

  it("with a nonce every reminder opens with it", () => {
    const session = start({ nonce: true })
    session.note({ type: "critical", text: "Keep it short." })
    session.say("Start")
    const sent = request(session)
    expect(sent.pins.nonce).toBeDefined()
    expect(told(sent)).toContain(
      `<system-reminder nonce="${sent.pins.nonce}">\nKeep it short.\n</system-reminder>`,
    )
  })

  it("with snip, words and results carry their ids, and reminders and framed words none", () => {
    const { sent } = secondStep(MODELS.smooshing, (session) => session.say("WORDS"), { snip: true })
    expect([...sent.messages][0]?.content.map(textOf)).toEqual(["Start", "[id:said-1]"])
    const tags = told(sent).match(/\[id:[^\]]+\]/g)
    expect(tags).toHaveLength(1)
    expect(told(sent)).toMatch(/^RESULT\n\[id:r\d+\]\n<system-reminder>/)
  })

  it("a result without output, and a message without words, say so", () => {
    const session = start()
    session.say("  ")
    expect(told(work(session, "c1", ""))).toBe("(empty message)")
    expect(told(request(session))).toBe("(no output)")
  })
})

describe("half of a surrogate pair", () => {
  it.each(Object.values(MODELS))("is repaired wherever it enters a request to %s", (id) => {
    const half = "a\ud800b\udc00"
    const session = start({ model: { id } })
    session.observe("environment:directory", half)
    session.say(half)
    work(session, "c1", half)
    session.note({ type: "file.edited", path: half, before: "x", after: half })
    session.say(half)
    expect(JSON.stringify([...request(session).messages, request(session).pins.system])).not.toMatch(
      /\\ud[89a-f]/i,
    )
  })
})
