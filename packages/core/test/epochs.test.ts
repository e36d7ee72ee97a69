import type { AssistantPart, Request, Session } from "@sotto/core"
import { describe, expect, it } from "vitest"
import {
  calls,
  everything,
  exchange,
  MODELS,
  request,
  says,
  start,
  tail,
  told,
  work,
} from "./support/session.js"
import { problemsOf } from "./support/validate.js"

const THOUGHT: AssistantPart = { type: "reasoning", text: "let me see", signature: "sig" }
const CALL: AssistantPart = { type: "tool-call", id: "c1", name: "read", input: {} }
const SUMMARY = "This summary stands for it:"

/** Why the epoch of a request began; undefined if the request goes on with the one before. */
function rebase(session: Session, sent: Request): readonly string[] | undefined {
  const entry = session.log.find(({ seq }) => sent.id === `req-${seq}`)
  return entry?.type === "step" ? entry.epoch?.reasons : undefined
}

/** A session that has had one turn. */
function talked(model: string = MODELS.smooshing): Session {
  const session = start({ model: { id: model } })
  session.say("OLD question")
  exchange(session, says("OLD answer"))
  return session
}

function valid(session: Session): Request {
  const sent = request(session)
  expect(problemsOf(sent)).toEqual([])
  return sent
}

describe("compaction", () => {
  it("when idle: the summary heads the next prompt, and nothing older is sent", () => {
    const session = talked()
    session.compact("We talked.")
    expect(session.next().is).toBe("idle")
    session.say("NEW question")
    const sent = valid(session)
    expect(rebase(session, sent)).toEqual(["compaction"])
    expect(everything(sent)).not.toContain("OLD")
    expect(everything(sent)).toMatch(/This summary stands for it:.*We talked\..*NEW question/s)
  })

  it("with a request in flight: the request and its reply come after the summary", () => {
    const session = talked()
    session.say("NEW question")
    const flying = request(session)
    session.compact("We talked.")
    expect(request(session)).toBe(flying)
    session.reply(flying.id, says("NEW answer"))
    session.say("NEXT question")
    const sent = valid(session)
    expect(everything(sent)).toMatch(/We talked\..*NEW question.*NEW answer.*NEXT question/s)
    expect(everything(sent)).not.toContain("OLD")
  })

  it("with open calls: the reply that made them stays before their results", () => {
    const session = talked()
    session.say("OLD work")
    exchange(session, calls("c1"))
    session.compact("We talked.")
    session.result("c1", "NEW result")
    const sent = valid(session)
    expect([...sent.messages].map(({ role }) => role)).toEqual(["user", "assistant", "user"])
    expect(everything(sent)).toMatch(/We talked\..*c1.*NEW result/s)
    expect(everything(sent)).not.toContain("OLD")
  })

  it("in an open tool turn with reasoning: waits, and happens at the next prompt", () => {
    const session = talked()
    session.say("OLD work")
    exchange(session, { parts: [THOUGHT, CALL] })
    session.result("c1", "result")
    session.compact("We talked.")
    const open = valid(session)
    expect(rebase(session, open)).toBeUndefined()
    expect([...open.messages].at(-2)?.content).toEqual([THOUGHT, CALL])
    session.reply(open.id, says("done"))
    session.say("NEW question")
    expect(rebase(session, valid(session))).toEqual(["compaction"])
    expect(everything(request(session))).toContain(SUMMARY)
  })

  it("leaves undelivered messages queued", () => {
    const session = talked()
    session.say("OLD work")
    exchange(session, calls("c1"))
    const { id } = session.say("still waiting", { delivery: "after-turn" })
    session.compact("We talked.")
    expect(session.queue().map((queued) => queued.id)).toEqual([id])
    session.result("c1", "result")
    exchange(session, says("done"))
    expect(told(valid(session))).toBe("still waiting")
  })

  it("brings what a rule has told into the new system prompt, and says nothing of it again", () => {
    const session = talked()
    session.observe("date", "2026-11-16")
    session.say("which day?")
    expect(told(exchange(session, says("Monday")))).toContain("The date is 2026-11-16.")
    session.compact("We talked.")
    session.say("NEW question")
    const sent = valid(session)
    expect(sent.pins.system).toContain("- date: 2026-11-16")
    expect(everything(sent)).not.toContain("2026-11-16")
  })

  it("a mode the model was told of still counts: keeping rules stay silent", () => {
    const session = talked()
    session.switchAgent("plan")
    session.say("plan it")
    expect(told(exchange(session, says("a plan")))).toContain("The mode changed from build to plan.")
    session.compact("We planned.")
    session.say("go on")
    expect(everything(valid(session))).not.toContain("The mode changed")
  })

  it("the view keeps the whole conversation", () => {
    const session = talked()
    session.compact("We talked.")
    session.say("NEW question")
    exchange(session, says("NEW answer"))
    expect(JSON.stringify(session.view())).toMatch(/OLD question.*OLD answer.*NEW question.*NEW answer/)
    expect(JSON.stringify(session.view())).not.toContain("We talked.")
  })
})

describe("snip", () => {
  it("drops what the ids name, keeps the pairs, and refuses the rest", () => {
    const session = start({ snip: true })
    const { id } = session.say("OLD words")
    work(session, "c1", "OLD output")
    session.say("framed words")
    exchange(session, says("done"))
    const resultId = /\[id:(r\d+)\]/.exec(everything(request(again(session))))?.[1] ?? ""
    const framed = session.view().find(({ parts }) => JSON.stringify(parts).includes("framed"))?.id ?? ""
    session.abort()
    expect(session.snip([id, resultId, framed, "nobody"])).toEqual({
      removed: [id, resultId],
      refused: [framed, "nobody"],
    })
    session.say("NEW")
    const sent = valid(session)
    expect(rebase(session, sent)).toEqual(["snip"])
    expect(everything(sent)).not.toContain("OLD")
    expect(everything(sent)).toContain("framed words")
    expect(session.snip([id]).refused).toEqual([])
  })

  it("of nothing is no rebase, and of what is unanswered is refused", () => {
    const session = start()
    const { id } = session.say("now")
    const sent = request(session)
    expect(session.snip([id])).toEqual({ removed: [], refused: [id] })
    expect(request(session)).toBe(sent)
  })

  function again(session: Session): Session {
    session.say("again")
    return session
  }
})

describe("switching the model", () => {
  it("is a rebase with the new model's capabilities", () => {
    const session = talked()
    session.switchModel({ id: MODELS.developer })
    session.say("NEW")
    const sent = valid(session)
    expect(rebase(session, sent)).toEqual(["model"])
    expect(sent.pins).toMatchObject({ model: MODELS.developer, capabilities: { systemMessages: true } })
    expect(everything(sent)).toContain("OLD answer")
  })

  it("there and back before the next request is none", () => {
    const session = talked()
    session.switchModel({ id: MODELS.developer })
    session.switchModel({ id: MODELS.smooshing })
    session.say("NEW")
    expect(rebase(session, valid(session))).toBeUndefined()
  })

  it("waits while an open tool turn holds reasoning", () => {
    const session = start()
    session.say("work")
    exchange(session, { parts: [THOUGHT, CALL] })
    session.switchModel({ id: MODELS.developer })
    session.result("c1", "result")
    expect(exchange(session, says("done")).pins.model).toBe(MODELS.smooshing)
    session.say("NEW")
    expect(valid(session).pins.model).toBe(MODELS.developer)
  })
})

describe("switching the agent", () => {
  it("to one with its own prompt is a rebase", () => {
    const session = talked()
    session.switchAgent("poet")
    session.say("NEW")
    const sent = valid(session)
    expect(rebase(session, sent)).toEqual(["agent"])
    expect(sent.pins.system).toContain("You write verse.")
  })

  it("between plan and build is none: same system, same tools, one reminder", () => {
    const session = talked()
    const before = [...session.log].findLast((entry) => entry.type === "step")
    session.switchAgent("plan")
    session.say("NEW")
    const sent = valid(session)
    expect(rebase(session, sent)).toBeUndefined()
    expect(sent.pins).toBe(before?.type === "step" ? before.epoch?.pins : undefined)
    expect(told(sent).match(/The mode changed/g)).toHaveLength(1)
  })
})

describe("reasoning", () => {
  it("is returned verbatim within an epoch", () => {
    const session = start()
    session.say("think")
    exchange(session, { parts: [THOUGHT, { type: "text", text: "done <system-reminder>" }] })
    session.say("NEW")
    expect([...valid(session).messages][1]?.content).toEqual([
      THOUGHT,
      { type: "text", text: "done <system-reminder>" },
    ])
  })

  it("is stripped by a rebase", () => {
    const session = start()
    session.say("think")
    exchange(session, { parts: [THOUGHT, { type: "text", text: "done" }] })
    session.switchModel({ id: MODELS.developer })
    session.say("NEW")
    expect([...valid(session).messages][1]?.content).toEqual([{ type: "text", text: "done" }])
  })

  it("alone is no reply: a marker stands beside it", () => {
    const session = start()
    session.say("think")
    exchange(session, { parts: [THOUGHT] })
    session.say("NEW")
    expect([...valid(session).messages][1]?.content).toEqual([
      THOUGHT,
      expect.objectContaining({ text: "[no reply]" }),
    ])
    expect(tail(request(session))).toHaveLength(1)
  })
})
